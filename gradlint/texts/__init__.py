"""Texts: from bytes to characters, and what these say without a syntax tree. Nothing here needs LibCST."""

from gradlint.texts.binding import Names as Names
from gradlint.texts.binding import bound as bound
from gradlint.texts.decoding import BOM as BOM
from gradlint.texts.decoding import NEWLINE as NEWLINE
from gradlint.texts.decoding import Unreadable as Unreadable
from gradlint.texts.decoding import decode as decode
from gradlint.texts.decoding import encode as encode
from gradlint.texts.decoding import encoding as encoding
from gradlint.texts.decoding import rows as rows
from gradlint.texts.decoding import with_line_feeds as with_line_feeds
from gradlint.texts.imports import absolute as absolute
from gradlint.texts.imports import imported as imported
from gradlint.texts.imports import mentions as mentions
from gradlint.texts.magics import is_python as is_python
from gradlint.texts.magics import without_magics as without_magics
from gradlint.texts.mapping import IDENTITY as IDENTITY
from gradlint.texts.mapping import SourceMap as SourceMap
from gradlint.texts.mapping import Text as Text
from gradlint.texts.mapping import of_python as of_python
from gradlint.texts.naming import foreign as foreign
from gradlint.texts.python import TOO_DEEP as TOO_DEEP
from gradlint.texts.python import NotLinted as NotLinted
from gradlint.texts.python import fault as fault
from gradlint.texts.recovering import readable as readable
from gradlint.texts.taking import CannotBeEdited as CannotBeEdited
from gradlint.texts.taking import can_take as can_take
