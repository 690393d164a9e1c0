"""Sites of events: a piece of syntax, or one of several things that happen at it."""

from __future__ import annotations

import libcst as cst

from gradlint.frozen import frozen


@frozen()
class Part:
    """One of several things that happen at the same piece of syntax."""

    node: cst.CSTNode
    part: str


Site = cst.CSTNode | Part
"""The place of an event; a report points at its syntax."""


def syntax(site: Site) -> cst.CSTNode:
    """The piece of syntax that a site belongs to."""
    return site.node if isinstance(site, Part) else site
