"""Writes that leave zeros alone."""

from __future__ import annotations

KEEPING_ZEROS = frozenset("zero_ mul_ neg_".split())
"""By name, operations that give zeros where they write zeros: a gradient that was cleared is still cleared then."""
