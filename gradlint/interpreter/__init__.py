"""The abstract interpreter: runs a program over facts and tells what happens."""

from gradlint.interpreter.core import BOUND
from gradlint.interpreter.program import interpret
from gradlint.interpreter.receivers import APART, LIBRARY
from gradlint.interpreter.shapes import receivers_of
from gradlint.interpreter.tracing import Trace

__all__ = ["APART", "BOUND", "LIBRARY", "Trace", "interpret", "receivers_of"]
