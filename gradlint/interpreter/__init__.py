"""The abstract interpreter: runs a program over facts and tells what happens."""

from gradlint.interpreter.program import interpret

__all__ = ["interpret"]
