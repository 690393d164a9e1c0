"""Safe reading of files: whatever a path leads to, reading it neither blocks nor fills the memory."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable

MOST_SETTINGS = 1_000_000
"""The most bytes that a file of configuration, be it ours or git's, may hold."""
MEGABYTE = 1_000_000
MOST_SOURCE = 2 * MEGABYTE
"""The most bytes that a linted file may hold, where the configuration does not say otherwise. What it costs follows
from its tokens (`source.limits`), not from how long they are; the largest file of torch has 1.4 MB."""
MOST_CONFIGURED = 100 * MEGABYTE
"""The most bytes that the configuration can allow."""
MOST_LOG = 32 * MEGABYTE
"""The bytes at the end of a log that are looked at."""

_FLAGS = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"))
_KINDS = {
    stat.S_IFDIR: "it is a folder",
    stat.S_IFIFO: "it is a pipe",
    stat.S_IFSOCK: "it is a socket",
    stat.S_IFCHR: "it is a device",
    stat.S_IFBLK: "it is a device",
}


class TooLarge(OSError):
    """A file holds more than is read."""

    def __init__(self, most: int, path: str | None = None) -> None:
        super().__init__(errno.EFBIG, f"it is larger than {most / 1_000_000:g} MB", path)


def read_regular(path: str, most: int) -> bytes:
    """Return the content of a regular file. Raises `OSError` where there is none or it cannot be read, with the reason
    as its `strerror`, and `TooLarge` for more than `most` bytes."""
    data = read_start(path, most + 1)
    if len(data) > most:
        raise TooLarge(most, path)
    return data


def read_start(path: str, most: int) -> bytes:
    """The first bytes of a regular file, `most` or fewer. Raises `OSError` as `read_regular` does."""
    _check_regular(os.stat(path), path)  # to open a device may set it going
    with open(os.open(path, _FLAGS), "rb") as stream:
        _check_regular(os.fstat(stream.fileno()), path)
        return stream.read(most) or b""


def read_end(path: str, most: int) -> bytes:
    """The last bytes of a regular file, `most` or fewer. Raises `OSError` as `read_regular` does."""
    _check_regular(os.stat(path), path)
    with open(os.open(path, _FLAGS), "rb") as stream:
        _check_regular(os.fstat(stream.fileno()), path)
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - most))
        return stream.read(most)


def last_of(read: Callable[[int], bytes], most: int, step: int = MEGABYTE) -> bytes:
    """The last bytes that can be read, `most` or fewer, however many come."""
    kept, held = list[bytes](), 0
    while data := read(step):
        kept.append(data)
        held += len(data)
        if held > 2 * most:
            kept, held = [b"".join(kept)[-most:]], most
    return b"".join(kept)[-most:]


def reason(error: OSError | ValueError) -> str:
    """Return the reason that a file could not be read, in a few words."""
    return getattr(error, "strerror", None) or str(error)


def _check_regular(status: os.stat_result, path: str) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        raise OSError(errno.EINVAL, _KINDS.get(kind, "it is no regular file"), path)
