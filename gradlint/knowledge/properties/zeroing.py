"""Effects of writes on zeros, and on other elements."""

from __future__ import annotations

KEEPING_ZEROS = frozenset("zero_ mul_ neg_".split())
"""By name, operations that give zeros where they write zeros: a gradient that was cleared is still cleared then."""

KEEPING_SOME = frozenset("add_ addcdiv_ addcmul_ clamp_ clamp_max_ clamp_min_ div_ lerp_ mul_ neg_ sub_".split())
"""By name, operations that go on from what is there: they do not clear a gradient, unless they multiply by zero. What
others write may be zeros."""
