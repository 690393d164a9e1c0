"""Source: from bytes to text, from text to a tree, and from nodes to places and to what edits need to know of them."""

from gradlint.source.children import parts as parts
from gradlint.source.decoding import BOM as BOM
from gradlint.source.decoding import NEWLINE as NEWLINE
from gradlint.source.decoding import Unreadable as Unreadable
from gradlint.source.decoding import decode as decode
from gradlint.source.decoding import encode as encode
from gradlint.source.decoding import encoding as encoding
from gradlint.source.decoding import rows as rows
from gradlint.source.editing import Extent as Extent
from gradlint.source.editing import Layout as Layout
from gradlint.source.editing import Statement as Statement
from gradlint.source.editing import layout as layout
from gradlint.source.gate import imported as imported
from gradlint.source.gate import mentions as mentions
from gradlint.source.limits import NotLinted as NotLinted
from gradlint.source.parsing import is_python as is_python
from gradlint.source.parsing import parse as parse
from gradlint.source.placing import Places as Places
from gradlint.source.placing import placed as placed
