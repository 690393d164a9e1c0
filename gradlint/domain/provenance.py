"""Provenance: how a fact is known, and the places in the program that contributed to it."""

from __future__ import annotations

from enum import Enum, IntEnum, StrEnum

from gradlint.domain.refs import Syntax
from gradlint.frozen import frozen

MOST_CAUSES = 6


class Belief(IntEnum):
    """The evidence for the kind of a thing; the highest is the weakest.

    What the program was seen to make is `UNTOUCHED` once unseen code has had it: it has kept its flags if that code did
    what most does.
    """

    PROVEN = 0
    ANNOTATED = 1
    UNTOUCHED = 2
    FROM_USAGE = 3
    FROM_NAME = 4

    @property
    def seen_made(self) -> bool:
        """Return whether the program was seen to make the thing."""
        return self is Belief.PROVEN or self is Belief.UNTOUCHED

    def once_handed_over(self) -> Belief:
        """Return the belief that is left once unseen code has had the thing."""
        return max(self, Belief.UNTOUCHED if self.seen_made else Belief.FROM_USAGE)


class CauseKind(Enum):
    """The kind of a cause at a place in the program, by the word under which a finding's notes speak of it.

    Of tensors and other objects: it was `MADE` there, or `COPIED` (a mapping that was filled at once with what another
    holds, by "leaves" if those can be copied deeply); `CUT`: it left the graph; it was `ASKED` to require grad, or
    something that it was computed from was; its elements are `COUNTED` from bounds of which nothing tells that they are
    not whole; `FROZEN`: something that it was computed from was asked not to, so that it does not itself; its elements
    became probabilities (`SQUASHED`); it was to keep its gradient (`RETAINED`); the `INFERENCE` mode in which it
    was made was switched on; an iterator was gone through (`USED`). Of leaves: the last `BACKWARD` that may have filled
    the gradient, `MIXED` where it certainly added to one that a step had used, and since then, the gradient was
    `CLEARED`, or `RETURNED` by `autograd.grad`; one was `READ`. Of
    graph nodes: a backward `FREED` them or `KEPT` them, what they saved was `WRITTEN` in place, `STEPPED` by an
    optimizer, `LOADED` into a module or `HIDDEN` from torch; `FLAT`: their gradient is zero.
    """

    MADE = "made"
    COPIED = "copied"
    CUT = "cut"
    ASKED = "asked"
    FROZEN = "frozen"
    COUNTED = "counted"
    SQUASHED = "squashed"
    RETAINED = "retained"
    INFERENCE = "inference"
    USED = "used"
    BACKWARD = "backward"
    MIXED = "mixed"
    CLEARED = "cleared"
    RETURNED = "returned"
    READ = "read"
    FREED = "freed"
    KEPT = "kept"
    WRITTEN = "written"
    STEPPED = "stepped"
    LOADED = "loaded"
    HIDDEN = "hidden"
    FLAT = "flat"


class AskKind(StrEnum):
    """A way to set whether a tensor requires grad."""

    FACTORY = "factory"
    ASSIGNMENT = "assign"
    METHOD = "method"
    MODULE = "module"
    PARAMETER = "Parameter"
    VARIABLE = "Variable"
    PRETRAINED = "from_pretrained"


class WriteKind(StrEnum):
    """A way to write memory in place: by a `METHOD` or a `FUNCTION`, an `AUGMENTED` assignment, one to an `ITEM`, into
    `out=`, by a `MODULE`, in a `STEP` of an optimizer, in the `LOAD` of a state dict, or through a NumPy `ARRAY` that
    shares it."""

    METHOD = "method"
    FUNCTION = "function"
    AUGMENTED = "augmented"
    ITEM = "setitem"
    OUT = "out"
    MODULE = "module"
    STEP = "step"
    LOAD = "load"
    ARRAY = "array"


class ClearKind(StrEnum):
    """A way to clear gradients: the `zero_grad()` of an `OPTIMIZER` or a `MODULE`, the `ASSIGNMENT` of None to `.grad`,
    or the `METHOD` that fills one with zeros."""

    OPTIMIZER = "optimizer"
    MODULE = "module"
    ASSIGNMENT = "assign"
    METHOD = "zero_"


class IteratorKind(StrEnum):
    """The maker of an iterator, by the word for it: a method of modules or of mappings, a function or class of Python,
    a `GENERATOR`, or a `GENEXPR`, which runs over its source at each `next` as a comprehension does at
    once. It may be of a batch, of something in a `LIBRARY`, or `ANNOTATED`."""

    UNKNOWN = ""
    PARAMETERS = "parameters()"
    NAMED_PARAMETERS = "named_parameters()"
    BUFFERS = "buffers()"
    NAMED_BUFFERS = "named_buffers()"
    CHILDREN = "children()"
    NAMED_CHILDREN = "named_children()"
    MODULES = "modules()"
    NAMED_MODULES = "named_modules()"
    VALUES = "values()"
    KEYS = "keys()"
    ITEMS = "items()"
    RANGE = "range"
    ITER = "iter"
    REVERSED = "reversed"
    ENUMERATE = "enumerate"
    ZIP = "zip"
    MAP = "map"
    FILTER = "filter"
    PRODUCT = "product"
    GROUPS = "groups"
    GROUP = "group"
    GROUPBY = "groupby"
    REPEAT = "repeat"
    COUNT = "count"
    TEE = "tee"
    ACCUMULATE = "accumulate"
    CHAIN = "chain"
    GENERATOR = "generator"
    GENEXPR = "generator expression"
    OF_BATCH = "of batch"
    LIBRARY = "iterator"
    ANNOTATED = "annotated"


class CutKind(StrEnum):
    """A way in which a value leaves the graph of what it is computed from.

    A function `DIFFERENTIATED` it without recording that, a factory `COPIED` its elements, an `OPERATION` has no
    derivative, it became a `NUMBER`, was `DETACHED` or wrapped as a `PARAMETER`; or gradients were off (`MODE`), or
    enabled `IN_VAIN`, inside inference mode, which goes on.
    """

    DIFFERENTIATED = "differentiated"
    COPIED = "copied"
    OPERATION = "operation"
    NUMBER = "number"
    DETACHED = "detached"
    MODE = "no_grad"
    IN_VAIN = "enable_grad"
    PARAMETER = "parameter"


@frozen()
class Cause:
    """A place in the program that contributed, and what happened there.

    `by` is what did it: the operation or function that gave a tensor without a graph; "itself" if the operation wrote
    what it had saved as another operand. `name` is how the program writes what it happened to, `how` says more of those
    that are `ASKED` and `FROZEN`, or `CUT`.
    """

    kind: CauseKind
    node: Syntax
    by: str = ""
    name: str = ""
    how: AskKind | CutKind | None = None
