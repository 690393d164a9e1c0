"""The wording of findings: a message says what happens to which expression, its help what to do about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from gradlint import linter
from gradlint.finding import Effect, Finding
from gradlint.knowledge.pack_index import Packs
from gradlint.proving import cases_of
from gradlint.registry import packs, rules
from gradlint.rule import LONGEST, Rule
from gradlint.testing.claims import Claim, rules_of

IMPERATIVES = frozenset(
    "add apply assign build call clamp clear clip close compute convert copy create decorate detach differentiate "
    "divide drop enable freeze give guard keep leave limit make move pass put read reduce register remove replace "
    "restore return set store switch take unfreeze update use wrap write".split()
)
"""The verbs with which a help begins."""
_CODE = re.compile(r"`[^`]*`")
_BARE = re.compile(r"\w\(|\w_\w|(?<![\w.])\.[a-z]\w*|\b[a-z]\w*\.[a-z]\w+|\bNone\b|\bTrue\b|\bFalse\b")
"""The text that is code wherever it stands."""
_VAGUE = re.compile(r"\b(this|these|what|none|nobody|goes? on|as it was|made anew|handed)\b")
"""Words that leave open what is meant, or that are not torch's."""


def word_claims(*folders: str | Path, prefix: str = "") -> list[Claim]:
    """The wording of every finding in the examples of the rules whose code begins so, and in the files of folders."""
    wanted, every = rules_of(prefix), rules()
    codes, known = frozenset(rule.code for rule in wanted), packs()
    claims = [Claim(f"{rule.code}-words", partial(_of_examples, rule, every)) for rule in wanted]
    files = [path for folder in folders for path in sorted(Path(folder).glob("*.py"))]
    return claims + [
        Claim(f"{path.parent.name}-{path.stem}-words", partial(_of_file, path, every, codes, known)) for path in files
    ]


def _of_examples(rule: Rule, every: tuple[Rule, ...]) -> Iterator[str]:
    for case in cases_of(rule, every):
        yield from faults(found for found in case.findings() if found.code == rule.code)


def _of_file(path: Path, every: tuple[Rule, ...], codes: frozenset[str], known: Packs) -> Iterator[str]:
    found = linter.analyse(path.read_text(encoding="utf-8"), every, packs=known)
    yield from faults(one for one in (*found.findings, *found.elsewhere) if one.code in codes)


def faults(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield the faults in the words of findings, a line for each."""
    for finding in findings:
        for part, text, checks in (
            ("message", finding.message, (too_long, with_cure, vague, bare, unlike_a_part)),
            ("help", finding.help, (not_imperative, bare, unlike_a_part)),
            *(("note", note.text, (bare, unlike_a_part)) for note in finding.notes),
        ):
            for check in checks:
                if fault := check(text):
                    yield f"{finding.code}: the {part} `{text}` {fault}"
        if finding.consequence not in tuple(Effect):
            yield f"{finding.code}: the effect is {finding.consequence!r}; choose one of {', '.join(Effect)}"


def too_long(text: str) -> str:
    """A message fits a line."""
    return f"has {len(text)} characters; say it in {LONGEST}" if len(text) > LONGEST else ""


def with_cure(text: str) -> str:
    """Return the fault of a message with a cure in it: what to do stands in the help."""
    return "has two halves; put the cure into the help" if ";" in _CODE.sub("``", text) else ""


def vague(text: str) -> str:
    """A message stands alone and names what it speaks of."""
    found = _VAGUE.search(_CODE.sub("``", text))
    return f"says `{found[0]}`; name what is meant" if found else ""


def bare(text: str) -> str:
    """Code stands in backticks."""
    found = _BARE.search(_CODE.sub("``", text))
    return f"has code without backticks, at `{found[0]}`" if found else ""


def unlike_a_part(text: str) -> str:
    """Return the fault of a text that is not one line that begins in lower case and has no full stop."""
    if "\n" in text:
        return "is not one line"
    if text[:1].isupper() and not text.split()[0].isupper():
        return "begins with a capital"
    return "ends with a full stop" if text.endswith(".") else ""


def not_imperative(text: str) -> str:
    """A help says what to do."""
    first = re.split(r"[\s:,]", text, maxsplit=1)[0]
    return "" if first in IMPERATIVES else f"begins with `{first}`; begin with a verb, as in `call ...` or `move ...`"
