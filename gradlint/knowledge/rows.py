"""The shape of knowledge: one row per operation, factory, module class, optimizer or context.

Rows are plain literals and every row is measured: `tests/test_knowledge.py` runs its example on the
installed torch and compares. Paths are spelled as the object is known to torch's users:
`torch.add`, `torch.Tensor.add` (a method), `torch.nn.functional.relu`, and `operator.add` for the
binary and unary operators of Python.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

KINDS = "bifc"
"""bool, integer, float, complex, in the order of promotion; a kind is one of these letters."""


def promote(*kinds: str) -> str:
    """The kind torch promotes to; it does not depend on shapes or on which operand is a Python number."""
    return max(kinds, key=KINDS.index)


DTYPE_RULES: dict[str, Callable[..., str]] = {
    "same": lambda first, *rest: first,
    "promote": promote,
    "divide": lambda *kinds: max(promote(*kinds), "f", key=KINDS.index),
    "sum": lambda first, *rest: "i" if first == "b" else first,
    "real": lambda first, *rest: "f" if first == "c" else first,
    "real float": lambda first, *rest: "f",
    "bool": lambda *kinds: "b",
    "integer": lambda *kinds: "i",
    "float": lambda *kinds: "f",
    "complex": lambda *kinds: "c",
}
"""Result kind from the operands' kinds, in the order of the row's operands (numbers included)."""


@dataclass(frozen=True, slots=True)
class Result:
    """One tensor (or number) that an operation gives back.

    `kind`: "fresh" (new memory), "view" (tracked by autograd), "alias" (shares memory, not tracked:
    `.data`, `.detach()`), "self" (the first operand itself), "self or fresh", "self or view", "view or
    fresh", "number" (a Python number), "none" (None), or another Python type's name ("list", "Size", ...).
    `dtype` names a rule of `DTYPE_RULES`.
    """

    kind: str = "fresh"
    dtype: str = "same"
    differentiable: bool = True


@dataclass(frozen=True, slots=True)
class Operation:
    """What an operation does.

    `name` is the word that events use; `paths` are all its spellings. `parameters` are the names of its
    positional parameters in order, in the spelling of the function; a method's owner is the first.
    `operands` are those among them that hold tensors (or numbers taking part in the result's dtype);
    one written `*tensors` holds a sequence of tensors. `results` has one entry, or several where a
    tuple comes back; `bundle` is "" , "tuple" (of exactly these results) or "list" (of any number of the one result).
    `saves` is what backward reads: operand names or "result"; "other if input" saves `other` only where
    `input` requires grad. `writes` are the operands whose memory changes (for `Tensor.add_`: input).
    `refuses` are combinations of operand kinds that torch refuses, as strings of `KINDS` letters, where
    the dtype rule would give an answer. `takes_dtype` says that a keyword `dtype=` decides the result's dtype.
    `example` is an expression over `x` (first operand), `y` (second), `z` (third) and `torch`, `F`.
    """

    name: str
    paths: tuple[str, ...]
    parameters: tuple[str, ...]
    operands: tuple[str, ...]
    example: str
    results: tuple[Result, ...] = (Result(),)
    bundle: str = ""
    saves: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()
    takes_dtype: bool = False


@dataclass(frozen=True, slots=True)
class Factory:
    """What makes a new leaf tensor.

    `dtype`: "default" (torch.get_default_dtype), "data" (from the literal data in the first argument:
    whole numbers integer, any float the default, bool bool, complex complex, nothing float), "fill" (from the fill value: `full`),
    "bounds" (from the numbers given: `arange`), "like" (of the first argument or the owner),
    or a letter of `KINDS`. `takes_requires_grad`: whether the keyword `requires_grad=` is accepted.
    """

    name: str
    paths: tuple[str, ...]
    parameters: tuple[str, ...]
    dtype: str
    example: str
    takes_dtype: bool = True
    takes_requires_grad: bool = True
    shares: str = ""
    """Name of the parameter whose memory the result may share (`from_numpy`, `as_tensor`), or empty."""


@dataclass(frozen=True, slots=True)
class ModuleRow:
    """An nn.Module class of torch.

    `parameters` and `buffers` are the names an instance has when made as in `example`. `call` is how it is applied: "layer" (one result from the first
    argument and its parameters), "loss" (input and target), "rnn" (a pair of output and state, "lstm": the state a pair), "pair" (attention), "container"
    (Sequential), "none" (ModuleList, ModuleDict, ParameterList, ParameterDict: not callable), "custom" otherwise. `result` is what one call gives.
    `identity_in_eval`: in eval mode the call may return its argument itself (Dropout, Identity).
    `inplace`: takes `inplace=True`. `mixes_batch`: behaves differently in train and eval mode.
    """

    path: str
    example: str
    input: str
    parameters: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()
    call: str = "layer"
    result: Result = Result()
    saves: tuple[str, ...] = ()
    identity_in_eval: bool = False
    inplace: bool = False
    mixes_batch: bool = False


@dataclass(frozen=True, slots=True)
class OptimizerRow:
    """An optimizer class: whether `step` must be given a closure, and whether it makes state of its own on the first step."""

    path: str
    example: str
    needs_closure: bool = False
    keeps_state: bool = True


@dataclass(frozen=True, slots=True)
class ContextRow:
    """A context manager or decorator of torch that sets the grad mode.

    `to`: "off", "on", "argument" (its first argument decides), "inference" (its first argument, default True, decides about inference mode).
    `on_call`: calling it changes the mode at once (`set_grad_enabled`); `bare_decorator`: it works as a
    decorator without parentheses; `uncalled`: what `with` the class itself raises.
    """

    path: str
    to: str
    on_call: bool = False
    bare_decorator: bool = True
