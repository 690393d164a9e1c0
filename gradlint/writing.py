"""Changes of files: whole or not at all, and only where they still hold what the change was made for."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile

from gradlint.reading import read_start

PREFIX = ".gradlint-"
"""The prefix of the names of files that are being written; nothing that is linted is called so."""


class FileChanged(OSError):
    """A file no longer holds what was read of it, so it is left as it is."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EBUSY, "it has changed meanwhile", path)


def replace_file(path: str, before: bytes, after: bytes) -> None:
    """Have a regular file that holds `before` hold `after`; its mode stays, and its owner where that can be had.

    The file that a symbolic link leads to is changed, not the link. The new one is written beside the old one and then
    put in its place, so that nobody ever sees a part of it. Raises `FileChanged` where the file holds something else by
    now, and `OSError` where it cannot be read or written; the file is then as it was.
    """
    file = os.path.realpath(path)
    _check_unchanged(file, before, path)
    if not os.access(file, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    handle, beside = tempfile.mkstemp(prefix=PREFIX, dir=os.path.dirname(file))
    try:
        with open(handle, "wb") as stream:
            stream.write(after)
            stream.flush()
            os.fsync(stream.fileno())
        _give_owner_and_mode(beside, os.stat(file))
        _check_unchanged(file, before, path)  # the last moment at which that can be seen
        os.replace(beside, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def create_file(path: str, data: bytes) -> None:
    """Have a file hold these bytes where there is none. Raises `OSError`; then there is still none of ours."""
    with open(path, "xb") as stream:
        try:
            stream.write(data)
            stream.flush()
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(path)
            raise


def _check_unchanged(file: str, before: bytes, path: str) -> None:
    if read_start(file, len(before) + 1) != before:
        raise FileChanged(path)


def _give_owner_and_mode(file: str, status: os.stat_result) -> None:
    """Give a file the owner, as far as one may, and the mode that another has."""
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(file, status.st_uid, status.st_gid)
    os.chmod(file, stat.S_IMODE(status.st_mode))  # after the owner, whose change takes bits away
