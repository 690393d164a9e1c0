"""Names for objects that a loop goes over one by one: the one it is at, and those that it was at."""

from __future__ import annotations

from gradlint.domain.refs import Ref

AT, GONE_OVER = "@", " gone over"
"""The marks of references to the one of several objects that a loop is at, and to those that it was at."""


def at(ref: Ref, walk: str) -> Ref:
    """The reference of an object if the loop of that name is at it."""
    return ref._replace(part=f"{ref.part}{AT}{walk}")


def is_at(ref: Ref, walk: str) -> bool:
    """Return whether a reference is one to what the loop of that name is at."""
    return ref.part.endswith(AT + walk)


def plain(ref: Ref) -> Ref:
    """The reference of an object, whatever loop is at it."""
    part, mark, _ = ref.part.partition(AT)
    return ref._replace(part=part) if mark else ref


def marked(ref: Ref, walk: str) -> tuple[Ref, ...]:
    """The references that the loop of that name gives an object; without a name its own."""
    return (at(ref, walk), at(ref, walk + GONE_OVER)) if walk else (ref,)
