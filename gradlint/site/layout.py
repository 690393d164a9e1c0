"""HTML: the frame of every page, and text and code as it is written there. All that comes in is escaped."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from collections.abc import Iterator
from html import escape as escape

from gradlint import pages
from gradlint.finding import printed
from gradlint.rule import Rule

RULES = "rules"
"""The folder of the pages."""
_INLINE = re.compile(r"`([^`]+)`|\*([^*\s][^*]*)\*")
_BETWEEN_PARAGRAPHS = re.compile(r"\n\s*\n")
_KINDS = {tokenize.STRING: "str", tokenize.COMMENT: "com", tokenize.NUMBER: "num"}


def address(rule: Rule) -> str:
    """Return the address of a rule's page, from the top of the site."""
    return f"{RULES}/{rule.name}.html"


def page(title: str, body: str, up: str) -> str:
    """A whole page; `up` leads from it to the top of the site."""
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title>"
        f'<link rel="stylesheet" href="{up}style.css"></head>\n'
        f'<body data-up="{up}"><header><a class="home" href="{up}index.html">gradlint</a>'
        '<label class="search"><span>Search</span><input id="query" type="search" autocomplete="off" '
        'placeholder="code, name or the words of an error"></label></header>\n'
        '<ol id="found" class="rules" aria-live="polite" hidden></ol>\n'
        f"<main>{body}</main>\n"
        f'<script src="{up}rules.js"></script><script src="{up}search.js"></script></body></html>\n'
    )


def entry(rule: Rule, up: str) -> str:
    """A rule in a list."""
    return (
        f'<li><a href="{up}{address(rule)}"><b>{escape(rule.code)}</b> {escape(rule.name)}</a>'
        f"{chips(rule)}<p>{inline(pages.summary(rule))}</p></li>"
    )


def chips(rule: Rule) -> str:
    """Return the effect of a rule's mistakes, and whether it is on."""
    effect = printed(rule.effect)
    off = "" if rule.default else '<span class="chip">off by default</span>'
    return f'<span class="chip {effect.replace(" ", "-")}">{effect}</span>{off}'


def inline(text: str) -> str:
    """Text with code in backticks and words in stars."""
    parts, end = [], 0
    for match in _INLINE.finditer(text):
        code, word = match.groups()
        parts.append(escape(text[end : match.start()]))
        parts.append(f"<code>{escape(code)}</code>" if code is not None else f"<em>{escape(word)}</em>")
        end = match.end()
    return "".join(parts) + escape(text[end:])


def blocks(text: str) -> str:
    """Paragraphs and headings."""
    return "".join(_block(part) for part in _BETWEEN_PARAGRAPHS.split(text.strip()) if part)


def _block(text: str) -> str:
    if text.startswith("## "):
        return f"<h2>{inline(text[3:])}</h2>"
    return f"<p>{inline(' '.join(text.split()))}</p>"


# ---- code


def code(text: str, marked: frozenset[int] = frozenset()) -> str:
    """A program with its words told apart; rows that are `marked` stand out."""
    rows = _coloured(text).split("\n")
    lines = [f"<mark>{row}</mark>" if number in marked else row for number, row in enumerate(rows, 1)]
    return "<pre><code>" + "\n".join(lines) + "</code></pre>"


def _coloured(text: str) -> str:
    lines, at, parts = text.split("\n"), (1, 0), list[str]()
    for kind, start, end in _words(text):
        parts.append(escape(_between(lines, at, start)))
        # A string of several rows is closed at the end of each, so that a row is a piece of HTML of its own.
        word = escape(_between(lines, start, end)).split("\n")
        parts.append("\n".join(f'<span class="{kind}">{row}</span>' for row in word))
        at = end
    return "".join(parts) + escape(_between(lines, at, (len(lines), len(lines[-1]))))


def _words(text: str) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
    """Keywords, strings, numbers and comments; none from where the text is no Python."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind = _KINDS.get(token.type, "key" if keyword.iskeyword(token.string) else "")
            if kind:
                yield kind, token.start, token.end
    except (tokenize.TokenError, SyntaxError):
        return


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    first, last = lines[start[0] - 1][start[1] :], lines[end[0] - 1][: end[1]]
    return "\n".join([first, *lines[start[0] : end[0] - 1], last])
