"""The gate: what a text says at a glance, before it is parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_IMPORT = re.compile(
    r"""^[^\S\n]*(?:
        from[^\S\n]+(?P<dots>[.\s]*)(?P<module>[\w.]*)\s+import\b\s*(?P<names>\((?:[^)]*)\)|(?:\\\n|[^#\n;])*)
      | import[^\S\n]+(?P<modules>(?:\\\n|[^#\n;])*)
    )""",
    re.MULTILINE | re.VERBOSE,
)
_NAME = re.compile(r"[^\W\d][\w.]*")


def mentions(text: str, words: Iterable[str]) -> bool:
    """Whether one of the words stands anywhere in a text, be it in another word, a string or a comment."""
    return any(word in text for word in words)


def imported(text: str) -> frozenset[tuple[int, str]]:
    """All that a text may import, as the number of leading dots and a dotted name; rather too much than too little."""
    return frozenset(_imported(text))


def _imported(text: str) -> Iterator[tuple[int, str]]:
    if "import" not in text:
        return
    for found in _IMPORT.finditer(text.replace("\r\n", "\n").replace("\r", "\n").replace(";", "\n").replace(":", "\n")):
        if found["modules"] is not None:
            yield from ((0, name) for name in _NAME.findall(found["modules"]))
        else:
            dots, module = found["dots"].count("."), found["module"]
            yield dots, module
            yield from ((dots, f"{module}.{name}".lstrip(".")) for name in _NAME.findall(found["names"]))
