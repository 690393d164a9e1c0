"""The pages of all rules as a static site: plain files that refer to each other and need no server.

`files` is pure; `write` puts what it gives on the disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from gradlint import pages
from gradlint.rule import Rule
from gradlint.site import layout
from gradlint.site.index import index
from gradlint.site.rule import rule_page

STYLE, SEARCH = "style.css", "search.js"
ASSETS = (STYLE, SEARCH)
"""Files that go into the site as they are."""
INDEX = "rules.js"


def files(rules: Sequence[Rule]) -> Iterator[tuple[str, str]]:
    """The name and the text of each file but the assets."""
    yield INDEX, index(rules)
    yield "index.html", layout.page("gradlint: the rules", _families(rules), up="")
    for rule in rules:
        yield layout.address(rule), layout.page(f"{rule.code} {rule.name}", rule_page(rule, rules), up="../")


def write(folder: str, rules: Sequence[Rule]) -> int:
    """Write the site into a folder and say how many pages it has. Raises `OSError`."""
    os.makedirs(os.path.join(folder, layout.RULES), exist_ok=True)
    for name in ASSETS:
        with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as asset:
            _put(folder, name, asset.read())
    count = 0
    for name, text in files(rules):
        _put(folder, name, text)
        count += name.endswith(".html")
    return count


def _put(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, *name.split("/")), "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _families(rules: Sequence[Rule]) -> str:
    """The table of contents: each family with its rules."""
    names = dict.fromkeys(pages.family(rule) for rule in rules)
    chosen = sum(rule.default for rule in rules)
    intro = f"<h1>The rules</h1><p>{len(rules)} rules, of which {chosen} are on by default.</p>"
    return intro + "".join(_family(name, [rule for rule in rules if pages.family(rule) == name]) for name in names)


def _family(name: str, rules: Sequence[Rule]) -> str:
    title, about = pages.family_texts(rules[0]) or (name.replace("_", " "), "")
    rows = "".join(layout.entry(rule, up="") for rule in rules)
    return f"<section><h2>{layout.inline(title)}</h2>{layout.blocks(about)}<ul class='rules'>{rows}</ul></section>"
