"""The shape of knowledge: one row per operation, factory, module class, optimizer or context.

Rows are plain literals and every row is measured: `tests/test_knowledge.py` runs its example on the
installed torch and compares. Paths are spelled as the object is known to torch's users:
`torch.add`, `torch.Tensor.add` (a method), `torch.nn.functional.relu`, and `operator.add` for the
binary and unary operators of Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from gradlint.frozen import frozen
from gradlint.versions import Version, Versioned

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
    "second": lambda first, second, *rest: second,
    "third": lambda first, second, third, *rest: third,
    "promote rest": lambda first, *rest: promote(*rest),
    "sum of promoted": lambda *kinds: "i" if promote(*kinds) == "b" else promote(*kinds),
    "real of promoted": lambda *kinds: "f" if promote(*kinds) == "c" else promote(*kinds),
    "real divide": lambda *kinds: "f",
    "inexact": lambda first, *rest: max(first, "f", key=KINDS.index),
    "real": lambda first, *rest: "f" if first == "c" else first,
    "real float": lambda first, *rest: "f",
    "bool": lambda *kinds: "b",
    "truth": lambda first, *rest: "bi" if first == "i" else "b",
    "integer": lambda *kinds: "i",
    "float": lambda *kinds: "f",
    "complex": lambda *kinds: "c",
}
"""Result kind from the operands' kinds, in the order of the row's operands (numbers included). Where it depends on how
wide whole numbers are, what 64 bits give comes first: `any` of eight bits without a sign gives such."""

MIXED = r"(?!(.)\1*$).+"
"""A pattern for `refuses`: the operands are not all of one kind."""


@cache
def refused(patterns: Iterable[str], word: str) -> bool:
    """Return whether one of these patterns says that torch raises for operands of these kinds."""
    return any(_matches(pattern, word) for pattern in patterns)


def _matches(pattern: str, word: str) -> bool:
    if pattern.startswith("="):
        return re.fullmatch(pattern[1:], word) is not None
    return re.fullmatch(pattern, word) is not None or re.fullmatch(pattern, word.lower()) is not None


def _listed(entries: tuple[str, ...], operand: str, word: str) -> bool:
    """Return whether an operand is among entries of the form "operand" or "operand: pattern of words"."""
    for entry in entries:
        name, _, pattern = entry.partition(": ")
        if name == operand and (not pattern or _matches(pattern, word)):
            return True
    return False


class Saving(NamedTuple):
    """A token of a row's `saves`: what is kept, of which kinds it must be a tensor, what must require grad, and what
    must be a tensor as well, and of what a copy may be kept instead."""

    name: str
    kinds: str = ""
    condition: str = ""
    beside: str = ""
    or_copy: str = ""

    @property
    def is_own(self) -> bool:
        """Return whether it lies in memory that nothing else can write, or in that of another result than the first."""
        return self.name == "own" or self.name.startswith("result ")


@cache
def savings(tokens: tuple[str, ...]) -> tuple[Saving, ...]:
    """Return the savings that the tokens of `saves` say, each read once."""
    return tuple(map(_saving, tokens))


def _saving(token: str) -> Saving:
    what, _, condition = token.partition(" if ")
    what, _, beside = what.partition(" beside ")
    what, _, or_copy = what.partition(" or copy of ")
    name, _, kinds = what.partition(": ")
    return Saving(name, kinds, condition, beside, or_copy)


ANY, STACK, VIEW = "any", "stack", "view"
"""The operands of which a copy may be kept ("a or copy of stack"): any that is laid out for it; stacks of matrices,
which have more than two dimensions; those stacks that are views."""


@frozen()
class Result:
    """One tensor (or number) that an operation gives back.

    `kind`: "fresh" (new memory), "view" (of the first operand, tracked by autograd), "alias" (shares its memory, not
    tracked: `.data`, `.detach()`), "self" (the first operand itself), several of these joined by " or " where shapes
    and arguments decide ("self or view or fresh"), "number" (a Python number), "none" (None), or another Python
    type's name ("list", "Size", ...). A result of another dtype kind than the first operand is neither self nor view,
    unless the row names nothing else.
    `dtype` names a rule of `DTYPE_RULES`. `precision` is the floating point dtype that the result certainly has
    (empty: not known): of an operand that has it already the result is then the operand itself.

    Where `passes` is False, backward may end here though the result requires grad, and no operand gets a gradient:
    the sign of a determinant passes nothing on, nor do residuals without elements.

    What follows from a row (the tests hold torch to it), where `asked` says that some operand not in `ignores`
    requires grad and the result is float or complex:

    * fresh, view or alias with gradients on: requires grad iff `differentiable` and `asked`; a leaf iff it does not;
    * fresh or alias with gradients off: requires no grad, is a leaf;
    * view with gradients off: requires grad iff the operand it views does; a leaf in any case;
    * self, written: with gradients on it requires grad if it did, or if `differentiable` and some operand not in
      `ignores` does (whole numbers too: torch lets `integers.fill_(x)` require grad); else as before;
    * self, not written: nothing changes if `differentiable`, else its graph is cut (`detach_`), but not in
      inference mode.
    """

    kind: str = "fresh"
    dtype: str = "same"
    differentiable: bool = True
    precision: str = ""
    passes: bool = True

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of which it is one."""
        return _kinds(self.kind)


@cache
def _kinds(kind: str) -> frozenset[str]:
    return frozenset(kind.split(" or "))


@frozen()
class Operation(Versioned):
    """An operation, by whatever of its spellings it is called.

    `name` is the word that events use; `paths` are all its spellings. `parameters` are the names of its
    positional parameters in order, in the spelling of the function; a method's owner is the first.
    `operands` are those among them that hold tensors (or numbers taking part in the result's dtype);
    one written `*tensors` holds a sequence of tensors. `numbers` are the operands that may be Python numbers instead,
    `optional` those that may be None or left out: they then count as of the first operand's kind, requiring no grad.
    `besides` are parameters that hardly ever are tensors (a temperature, the weight of a loss) but take part in the
    graph where they are; what is saved is then not certain.
    `results` has one entry, or several where a tuple comes back; `bundle` is "" , "tuple" (of exactly these results)
    or "list" (of any number of the one result; where the operands are a sequence, one per operand and from it alone).
    `saves` is what backward reads: operand names, "result" (the first; "result 1" the second ...); "other if input"
    saves `other` only where `input` requires grad, "weight: fc" saves it only if it is a tensor of these kinds (else
    numbers are kept as well), "result beside other" only if `other` is a tensor and no number, "a or copy of any"
    may keep a copy of it instead (see `STACK`), "own" stands for what nobody else can write.
    `adds` are operands that it adds to the rest of the result by an operation of its own: a backward to these alone
    goes through nothing of the rest, and frees none of it.
    `writes` are the operands whose memory changes (for `Tensor.add_`: input), unless the parameter `writes_if` is
    False; `unchecked` says that torch lets it write a leaf that requires grad with gradients on, `in_no_grad` that it
    does its work with gradients off inside (`nn.init`), which comes to the same.
    `refuses` are combinations of operand kinds that torch refuses, as regular expressions over words of `KINDS`
    letters (see `refused`). `rejects_grad` are the operands that must not require grad with gradients on
    (torch raises at once; "input: c" only where the word of kinds matches), `ignores` those whose requires_grad
    does not reach the result.
    `takes_dtype` says that a keyword `dtype=` decides the result's dtype, `takes_out` that `out=` is written and
    returned (and no operand may require grad then, unless `out_unchecked`), `inplace_flag` that `inplace=True` makes it
    write and return its first operand. `complex_if` is a parameter that makes the result complex where it is true, and
    real, with twice the numbers, where it is false. `needs` are parameters, with their defaults, all of which have to
    be true (or other than 0) for it to do anything: else its first operand comes back, and only else. `together` says
    that the views it gives are made at once: torch refuses a recorded write to any of them. `measured` is False where
    this machine's torch cannot show it (`cuda`).
    `example` is an expression over `f` (the function at each path) and `x`, `y`, `z`, `w`, `v`, `u` (the operands
    in order), `others` are further examples that show the other kinds of result; `shapes` are the operands' shapes
    there (2x2 where nothing is said).
    """

    name: str
    paths: tuple[str, ...]
    parameters: tuple[str, ...] = ("input",)
    operands: tuple[str, ...] = ("input",)
    example: str = "f(x)"
    results: tuple[Result, ...] = (Result(),)
    bundle: str = ""
    saves: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    writes_if: str = ""
    refuses: tuple[str, ...] = ()
    takes_dtype: bool = False
    numbers: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()
    rejects_grad: tuple[str, ...] = ()
    ignores: tuple[str, ...] = ()
    unchecked: bool = False
    in_no_grad: bool = False
    inplace_flag: bool = False
    complex_if: str = ""
    needs: tuple[tuple[str, bool], ...] = ()
    takes_out: bool = False
    out_unchecked: bool = False
    others: tuple[str, ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()
    together: bool = False
    measured: bool = True

    @property
    def savings(self) -> tuple[Saving, ...]:
        """Return the tensors that backward reads."""
        return savings(self.saves)

    def refused(self, word: str) -> bool:
        """Return whether torch raises for operands of these kinds, one letter each, in capitals for Python numbers.

        A pattern in small letters speaks of tensors and numbers alike; one with capitals, or after "=", of the
        word as it stands.
        """
        return refused(self.refuses, word)

    def rejects(self, operand: str, word: str) -> bool:
        """Return whether torch raises, with gradients on, because this operand requires grad."""
        return _listed(self.rejects_grad, operand, word)

    def records_write(self, operand: str) -> bool:
        """Return whether autograd records that this operand is written: not if the operand comes back without a graph,
        nor if it could not require grad in the first place."""
        comes_back = self.results[0].kind == "self"
        return self.results[0].differentiable if comes_back else operand not in self.rejects_grad

    def ignored(self, operand: str, word: str) -> bool:
        """Return whether the requires_grad of this operand does not reach the result."""
        return _listed(self.ignores, operand, word)


def changing(
    row: Operation, *, until: Version, since: Version, source: str = "", **facts: Any
) -> tuple[Operation, Operation]:
    """An operation as it is before `until`, and as it is from `since` on, where these facts are others."""
    return replace(row, until=until, source=source), replace(row, since=since, source=source, **facts)


@frozen()
class Factory(Versioned):
    """A factory of new leaf tensors.

    `dtype`: "default" (torch.get_default_dtype), "data" (from the literal data in the first argument:
    whole numbers integer, any float the default, bool bool, complex complex,
    nothing float), "fill" (from the fill value: `full`),
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
    follows: bool = False
    """True if its result for a tensor is recorded, or that very tensor: what is unknown may be one."""
    asks: bool = False
    """True if the result requires grad unless an argument says otherwise (`nn.Parameter`)."""
    keeps: bool = False
    """True if it gives a leaf of its own on the memory of its argument, which requires grad as that does."""
    refuses: tuple[str, ...] = ()
    """Kinds of the first argument (or the owner) with which torch raises (`rand_like` of whole numbers)."""


@frozen()
class ModuleRow(Versioned):
    """An nn.Module class of torch.

    `parameters` and `buffers` are the names an instance has when made as in `example`; `input` are the arguments of its
    call there, `others` those of calls that may give a result of another kind. `call` is how it is applied: "layer"
    (one result from the first argument and its parameters), "two" (one from two), "with loss" (two from two), "loss"
    (input and target), "rnn" (a pair of output and state, "lstm": the state a pair), "pair" (LSTMCell), "attention"
    (output and weights), "container" (Sequential), "none" (ModuleList, ModuleDict, ParameterList, ParameterDict: not
    callable), "custom" otherwise. `result` is what one call gives for floating point (or, where it takes nothing else,
    whole) input, in training mode; where it does not pass gradients on, some of the parameters may get none.
    `saves` is what backward reads, as in `Operation`: "input", names of parameters, "result", "own"; conditions are
    "input", names of parameters, and "parameters": all of them ask, where nobody wrote down what one alone needs.
    `adds` are parameters that it adds by an operation of its own, as in `Operation`.
    `identity_in_eval`: in eval mode the call may return its argument itself (Dropout, Identity).
    `inplace_at`: where `inplace` stands among the arguments of a class that with `inplace=True` writes and returns its
    argument (AlphaDropout takes the word and does not).
    `mixes_batch`: behaves differently in train and eval mode.
    """

    path: str
    example: str
    input: str = ""
    parameters: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()
    call: str = "layer"
    result: Result = Result()
    saves: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    identity_in_eval: bool = False
    inplace_at: int | None = None
    mixes_batch: bool = False

    @property
    def savings(self) -> tuple[Saving, ...]:
        """Return the tensors that backward reads."""
        return savings(self.saves)


@frozen()
class OptimizerRow(Versioned):
    """An optimizer class: whether `step` must be given a closure, whether it may run it more than once, and whether its
    first step makes state of its own.

    `example` is over `p`, a list of one parameter (2x2).
    """

    path: str
    example: str
    needs_closure: bool = False
    repeats_closure: bool = False
    keeps_state: bool = True


@frozen()
class ScalerRow(Versioned):
    """A GradScaler class; `enabled` is the position of that parameter, whose default is True.

    `example` makes one that works on the CPU, empty where the class cannot (it then switches itself off). What follows
    from being one (the tests hold torch to it): `scale` multiplies by the factor, tensors in lists and tuples too, and
    is a recorded operation that saves the factor; `unscale_` divides the gradients of the optimizer's parameters in
    place and may be called once between two calls of `update`; so may `step`, which unscales what is not yet unscaled
    and skips where a gradient is not finite; both refuse before the first `scale`; `update` writes the factor in
    place. One that is not enabled passes everything on untouched: `scale` gives its argument back, `step` steps.
    """

    path: str
    enabled: int
    example: str = ""


@frozen()
class SchedulerRow(Versioned):
    """A class that sets learning rates. `optimizer` is its first parameter, but for `ChainedScheduler`, which takes
    other schedulers (`chained`).

    `early`: torch warns when it steps before its optimizer has. `needs_metric`: `step` must be given a number.
    `example` is over `o`, an SGD with momentum, and `s`, `torch.optim.lr_scheduler`.
    """

    path: str
    example: str
    early: bool = True
    needs_metric: bool = False
    chained: bool = False


@frozen()
class ClearingRow(Versioned):
    """A function that clears gradients: it leaves None or zeros where `set_to_none` is left out."""

    path: str
    to_none: bool


@frozen()
class ClipRow(Versioned):
    """A function that makes the gradients of its first argument smaller, in place and outside the graph.

    `returns`: "norm" (a tensor that requires no grad) or "none". `example` is over `f` and `p`, a list of parameters
    with gradients.
    """

    path: str
    example: str
    returns: str = "none"


@frozen()
class ManagerRow(Versioned):
    """A context manager that leaves the grad mode and inference mode as they are, inside and afterwards.

    `gives` is what `as` binds: "itself", "none", "argument" (its first one, or None) or "" (something else). `copies`:
    what backward reads may be a copy made while the block ran, so that writing the original does no harm. `enabled`
    is the position of the parameter that switches it off (-1: there is none). `example` is over `f`.
    """

    path: str
    example: str
    gives: str = ""
    copies: bool = False
    enabled: int = -1


@frozen()
class ContextRow(Versioned):
    """A context manager or decorator of torch that sets the grad mode.

    `to`: "off", "on", "argument" (its first argument decides), "inference" (its first argument,
    default True, decides about inference mode: True turns gradients off, False on, even inside no_grad).
    `on_call`: calling it changes the mode at once (`set_grad_enabled`); `bare_decorator`: it works as a
    decorator without parentheses. `with` the class itself raises TypeError.
    """

    paths: tuple[str, ...]
    to: str
    on_call: bool = False
    bare_decorator: bool = True


@frozen()
class PlainRow(Versioned):
    """A call, method or attribute that neither changes nor keeps a tensor passed to it.

    `returns`: "bool", "int", "float", "str", "none", "tuple", "list" ..., a Python type's name; "iterator" or
    "container" where
    its elements are those of its argument; "argument" (one of the arguments, or an element of them); "list of ..."
    (a new list); "... or none" (or None); "" (anything).
    """

    path: str
    returns: str = ""


@frozen()
class ReparametrizationRow(Versioned):
    """A function of torch that makes a parameter of a module depend on others, and gives the module back.

    `example` makes it of `m`, a Linear layer; `parameters` and `buffers` are what takes the place of the parameter
    `weight` there. The weight itself is from then on computed, in the grad mode of whoever looks or of the last
    call. `asks`: the new parameters require grad even where the old one did not.
    """

    path: str
    example: str
    parameters: tuple[str, ...]
    buffers: tuple[str, ...] = ()
    asks: bool = False
