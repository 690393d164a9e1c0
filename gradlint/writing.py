"""How files are written: whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile

from gradlint.reading import MOST_CONFIGURED, read_regular


class FileChanged(OSError):
    """A file holds no more what it was read as."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EBUSY, "it has changed meanwhile", path)


def replace_file(path: str, before: bytes, after: bytes) -> None:
    """Have a file that holds `before` hold `after`; a link stays one. Raises `OSError` where that cannot be done, and
    `FileChanged` where the file holds something else: then it is as it was.

    A file beside it is written, and takes its place and its mode at once. A process that is killed leaves the old file
    or the new one, and perhaps what it wrote of that, which is called `.gradlint-...`.
    """
    file = os.path.realpath(path)
    status = os.stat(file)
    if not os.access(file, os.W_OK):  # it could be replaced all the same
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    descriptor, beside = tempfile.mkstemp(prefix=".gradlint-", dir=os.path.dirname(file))
    try:
        with open(descriptor, "wb") as stream:
            stream.write(after)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(beside, stat.S_IMODE(status.st_mode))
        with contextlib.suppress(OSError, AttributeError):  # who may not give it away keeps it
            os.chown(beside, status.st_uid, status.st_gid)
        if read_regular(file, max(MOST_CONFIGURED, len(before))) != before:
            raise FileChanged(path)
        os.replace(beside, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
