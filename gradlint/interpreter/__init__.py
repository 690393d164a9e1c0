"""The abstract interpreter: runs a program over facts and emits events."""

from gradlint.interpreter.driver import interpret
from gradlint.interpreter.engine.event_log import BOUND
from gradlint.interpreter.engine.tracing import Trace
from gradlint.interpreter.syntax.receivers import APART, LIBRARY

__all__ = ["APART", "BOUND", "LIBRARY", "Trace", "interpret"]
