"""The imports of a text, and whether it has a word in it, at a glance: before anything parses it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_HEAD = re.compile(
    r"""^[^\S\n]*+(?:
        from\b(?P<dots>(?:[^\S\n]|\\\n|\.)++)(?P<module>(?:(?!import\b)[\w.]++)?+)(?:[^\S\n]|\\\n)*+import\b
      | import\b
    )(?:[^\S\n]|\\\n)*+""",
    re.MULTILINE | re.VERBOSE,
)
"""The beginning of a statement that imports; what follows is what it imports."""
_LISTED = re.compile(r"\([^)]*+|(?:\\\n|[^#\n;])*+")
_NAME = re.compile(r"[^\W\d][\w.]*")


def mentions(text: str, words: Iterable[str]) -> bool:
    """Return whether one of the words stands anywhere in a text, be it in another word, a string or a comment."""
    return any(word in text for word in words)


def imported(text: str) -> frozenset[tuple[int, str]]:
    """All that a text may import, as the number of leading dots and a dotted name; rather too much than too little."""
    return frozenset(_imported(text))


def _imported(text: str) -> Iterator[tuple[int, str]]:
    if "import" not in text:
        return
    program = text.replace("\r\n", "\n").replace("\r", "\n").replace(";", "\n").replace(":", "\n")
    heads = list(_HEAD.finditer(program))
    for head, end in zip(heads, [*(after.start() for after in heads[1:]), len(program)], strict=False):
        names = _NAME.findall(next(_LISTED.finditer(program, head.end(), end))[0])
        if head["dots"] is None:
            yield from ((0, name) for name in names)
        else:
            dots, module = head["dots"].count("."), head["module"]
            yield dots, module
            yield from ((dots, f"{module}.{name}".lstrip(".")) for name in names)


def absolute(package: str, dots: int, path: str) -> str:
    """The dotted name of what a file of a package imports."""
    if not dots:
        return path
    above = package.split(".")
    return ".".join(part for part in [*above[: max(len(above) - dots + 1, 0)], path] if part)
