"""Operations that are constant between their jumps."""

from __future__ import annotations

FLAT = frozenset({"round", "floor", "ceil", "trunc", "sign", "sgn", "floor_divide"})
"""By name: the gradient is zero everywhere, or backward refuses (`UNDIFFERENTIATED`)."""
UNDIFFERENTIATED = frozenset({"floor_divide"})
