"""Functions that end the program."""

from __future__ import annotations

from gradlint.domain.values import NONE_VALUE, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import models
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site


@models("sys.exit", "builtins.exit", "builtins.quit")
def _exit(m: Interpreter, node: Site, args: Arguments) -> Value:
    """Raise `SystemExit`, which handlers may find."""
    m.raises()
    return NONE_VALUE


@models("os._exit", "os.abort")
def _exit_at_once(m: Interpreter, node: Site, args: Arguments) -> Value:
    """End the process without a word to any handler."""
    m.end_path()
    return NONE_VALUE
