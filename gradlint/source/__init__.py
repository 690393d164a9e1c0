"""Source: from text to a tree, from nodes to places, to how receivers are spelled and to what edits need to know."""

from gradlint.source.children import parameters_of as parameters_of
from gradlint.source.children import parts as parts
from gradlint.source.children import targets as targets
from gradlint.source.editing import Extent as Extent
from gradlint.source.editing import Layout as Layout
from gradlint.source.editing import Statement as Statement
from gradlint.source.editing import layout as layout
from gradlint.source.parsing import parse as parse
from gradlint.source.parsing import refused as refused
from gradlint.source.placing import NOWHERE as NOWHERE
from gradlint.source.placing import Places as Places
from gradlint.source.placing import placed as placed
