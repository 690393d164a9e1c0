"""Whether commits say in their first line what they do.

`python -m tests.commit_subjects [REPOSITORY]` reads the subjects of all commits since this was agreed. It ends with 1
if one is longer than 72 characters, ends with a full stop, or does not begin with a capitalised verb in the imperative,
as far as its first word tells. Where there is no history it says so.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

AGREED = "4ba40ae822546d6978a767fe9b6b1eb4b88521bb"
"""The last commit before."""
LAST = 30
"""How many commits are read where the history does not reach back to that one."""
LONGEST = 72
NO_VERBS = frozenset(
    "a after all also an and any as at before both but by each either every few for from he how i if in into it its "
    "less many more most new no none nobody not nothing now of on once one only or other our she so some such than "
    "that the their then there these they this those though to two under what whatever when where which while who "
    "whoever whose why with without you".split()
)
"""Words that begin a sentence and never a request."""
VERBS = frozenset(
    "bias bring canvas cling embed exceed feed fling focus heed need ping proceed ring seed shed sing speed spring "
    "string swing wed weed wring".split()
)
"""Verbs that end as a noun, a participle or a third person does."""


def faults(subject: str) -> Iterator[str]:
    """What is wrong with the subject of a commit."""
    if len(subject) > LONGEST:
        yield f"has {len(subject)} characters, {LONGEST} at most"
    if subject.endswith("."):
        yield "ends with a full stop"
    first = re.match(r"[A-Z][a-z]*(-[a-z]+)*(?= |$)", subject)
    if not first:
        yield "does not begin with a capitalised verb"
    elif is_no_request(first[0].lower()):
        yield f"begins with `{first[0]}`, which is no verb in the imperative"


def is_no_request(word: str) -> bool:
    """Whether a word is none that asks for something."""
    return word in NO_VERBS or (word not in VERBS and re.search(r"([^s]s|ed|ing)$", word) is not None)


def git(repository: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """What git says of a repository."""
    return subprocess.run(["git", "-C", str(repository), *command], capture_output=True, text=True, check=False)


def subjects(repository: Path) -> list[str] | None:
    """The subjects of the commits that are held to it, the newest first; None without a history."""
    is_known = git(repository, "merge-base", "--is-ancestor", AGREED, "HEAD").returncode == 0
    span = f"{AGREED}..HEAD" if is_known else f"-{LAST}"
    log = git(repository, "log", "--no-merges", "--format=%h %s", span)
    return log.stdout.splitlines() if log.returncode == 0 else None


def main(arguments: Sequence[str]) -> int:
    """Print what is wrong with the subjects of a repository's commits."""
    repository = Path(arguments[0]) if arguments else Path(__file__).parent.parent
    found = subjects(repository)
    if found is None:
        print("no history: the subjects of commits are not checked")
        return 0
    wrong = [f"{line}\n  {fault}" for line in found for fault in faults(line.partition(" ")[2])]
    print(*wrong, f"{len(found)} subjects of commits, {len(wrong)} faults", sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
