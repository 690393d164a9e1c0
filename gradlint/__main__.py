"""The entry point of `gradlint` and `python -m gradlint`.

The folder one stands in is what is linted, so nothing in it may be imported: it is taken off the search
path before anything but this file is loaded. Python itself put it there for `python -m`, and an empty
entry in PYTHONPATH puts it there for everybody.
"""

from __future__ import annotations

import os
import site
import sys


def main() -> int:
    """Run the command line and give its exit code."""
    _forget_current_folder()
    from gradlint.cli import run

    return run(sys.argv[1:])


def _forget_current_folder() -> None:
    """Keep of the search path what is not the current folder, or where packages are installed."""
    installed = {os.path.realpath(folder) for folder in (*site.getsitepackages(), site.getusersitepackages())}
    sys.path[:] = [entry for entry in sys.path if not _is_current(entry) or os.path.realpath(entry) in installed]


def _is_current(entry: str) -> bool:
    if not entry:
        return True
    try:
        return os.path.samefile(entry, os.curdir)
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
