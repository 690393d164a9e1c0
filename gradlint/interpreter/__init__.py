"""The abstract interpreter: runs a program over facts and tells what happens."""

from gradlint.interpreter.driver import interpret
from gradlint.interpreter.engine.machine import BOUND
from gradlint.interpreter.engine.tracing import Trace
from gradlint.interpreter.receivers import APART, LIBRARY
from gradlint.interpreter.static.spelling import receivers_of

__all__ = ["APART", "BOUND", "LIBRARY", "Trace", "interpret", "receivers_of"]
