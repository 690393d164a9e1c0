"""Globs as regular expressions that match in time linear in the text, whatever the glob is.

A star need not be tried twice. What follows it, up to the next star, is looked for from left to right; the first place
where it stands is as good as any other, for the next star takes what is left over. So each star and what follows it is
an atomic group, and so is each `**/` with all that follows up to the next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_STAR, _FOLDERS, _ABOVE = "*", "**/", "**\\/"
"""Pieces that take any number of characters: within a folder; folders, or none; folders, at least one."""
_FOLDERS_AS_EXPRESSION = {_FOLDERS: "(?:[^/]*+/)*?", _ABOVE: "(?:[^/]*+/)+?"}
_NEVER, _ANY, _ALL = "(?!)", "[^/]", ".*+"
NOTHING = re.compile(_NEVER)
"""The pattern that matches no text."""
_LITERAL = re.compile(r"[^*?\[\\]*+")
_SPECIAL = re.compile(r"[*?\[\\]")
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t\\n\\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


class BadGlob(Exception):
    """A text that is no glob; the message says why."""


def is_plain(glob: str) -> bool:
    """Return whether a glob stands for itself alone."""
    return _LITERAL.fullmatch(glob) is not None


def escape(text: str) -> str:
    """The glob that stands for a text alone."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def translate(glob: str, *, across: bool = False) -> str:
    """A regular expression that matches what the glob matches, all of it. Raises `BadGlob`.

    A star stops at a slash unless it goes `across`. `**` between slashes goes over folders; git takes it for one also
    where nothing but literal text stands before it, which holds where a star stops at a slash.
    """
    blocks: list[tuple[str, list[str]]] = [("", [""])]
    for piece in _pieces(glob, across):
        if piece in _FOLDERS_AS_EXPRESSION:
            blocks.append((_FOLDERS_AS_EXPRESSION[piece], [""]))
        elif piece == _STAR:
            blocks[-1][1].append("")
        else:
            blocks[-1][1][-1] += piece
    blocks[-1][1][-1] += r"\Z"
    star = ".*?" if across else "[^/]*?"
    return "".join(
        f"(?>{folders}{first}{''.join(f'(?>{star}{chunk})' for chunk in rest)})" for folders, (first, *rest) in blocks
    )


def _pieces(glob: str, across: bool) -> Iterator[str]:
    """The glob as expressions of one character each, and the pieces that take any number of them."""
    literal = 0 if across else len(_SPECIAL.split(glob, maxsplit=1)[0])
    at = 0
    while at < len(glob):
        sign = glob[at]
        if sign == "*":
            end = len(glob) - len(glob[at:].lstrip("*"))
            starts_folder = at in (0, literal) or glob[at - 1] == "/"
            piece = _stars(glob, end) if starts_folder and end - at > 1 else _STAR
            at = end + {_FOLDERS: 1, _ABOVE: 2}.get(piece, 0)
            yield _STAR if across and piece == _ALL else piece
        elif sign == "[":
            piece, at = _set(glob, at + 1)
            yield piece
        elif sign == "\\":
            yield re.escape(_character(glob, at + 1))
            at += 2
        else:
            yield _ANY if sign == "?" else re.escape(sign)
            at += 1


def _stars(glob: str, end: int) -> str:
    """Return the pattern of two or more stars that begin a folder's name."""
    if end == len(glob):
        return _ALL
    if glob.startswith("/", end):
        return _FOLDERS
    return _ABOVE if glob.startswith("\\/", end) else _STAR


def _character(glob: str, at: int) -> str:
    """The character that a backslash stands before."""
    if at >= len(glob):
        raise BadGlob("it ends in a backslash")
    return glob[at]


def _set(glob: str, at: int) -> tuple[str, int]:
    """The expression of a set, whose first character is at `at`, and where the glob goes on."""
    negated = glob[at : at + 1] in ("!", "^")
    at += negated
    begin, before, members = at, "", ""
    while at == begin or not glob.startswith("]", at):
        sign, before_this, before = glob[at : at + 1], before, ""
        if not sign:
            raise BadGlob("`[` is not closed")
        if sign == "-" and before_this and glob[at + 1 : at + 2] not in ("", "]"):
            at += 1 + (glob[at + 1] == "\\")
            high = _character(glob, at)
            members += f"{re.escape(before_this)}-{re.escape(high)}" if before_this <= high else ""
        elif sign == "[" and (name := _class_name(glob, at)) is not None:
            if name not in _CLASSES:
                raise BadGlob(f"`[:{name}:]` is no class of characters")
            members += _CLASSES[name]
            at += len(name) + 3
        else:
            at += sign == "\\"
            before = _character(glob, at)
            members += re.escape(before)
        at += 1
    if negated:
        return f"[^/{members}]", at + 1
    return f"(?!/)[{members}]" if members else _NEVER, at + 1


def _class_name(glob: str, at: int) -> str | None:
    """The name in `[:name:]`, if that is what begins here."""
    if not glob.startswith("[:", at):
        return None
    end = glob.find("]", at + 2)
    if end < 0:
        raise BadGlob("`[` is not closed")
    return glob[at + 2 : end - 1] if end > at + 2 and glob[end - 1] == ":" else None
