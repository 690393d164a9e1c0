"""Operations that make probabilities of scores, and those that leave elements as they are."""

from __future__ import annotations

SQUASHING = frozenset({"softmax", "Softmax", "Softmax2d", "sigmoid", "Sigmoid"})
"""By name: operations and modules whose results lie between 0 and 1, whatever they are given."""

KEEPING = frozenset(
    (
        "atleast_1d atleast_2d atleast_3d bfloat16 broadcast_to chunk clone contiguous cpu cuda detach diagonal double "
        "expand expand_as flatten flip float gather getitem half index_select iteration masked_select movedim narrow "
        "permute ravel repeat repeat_interleave reshape reshape_as roll select split squeeze t take take_along_dim "
        "tensor_split tile to transpose type type_as unbind unflatten unfold unsqueeze view view_as"
    ).split()
)
"""By name: operations whose results, if they are of floating point, hold elements of their first operand, as they were
but for rounding."""

NUDGING, TINY = "add", 1e-4
"""By name: the operation by which elements are kept away from zero, and the most that is added then."""
