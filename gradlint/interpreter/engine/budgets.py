"""The steps in other files have purses of their own: most are for functions that make networks and train them.

Forwards are followed out of a purse of their own, for one that is not followed still gives a module's result; and so
are parsers of arguments, data sets and what draws, for the constants they give.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import libcst as cst

from gradlint.domain.facts import YES
from gradlint.domain.objects import Class, Module, Optimizer, Scaler, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import Function, Imported, ImportPath, Value
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.frames import Frame
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import spelled

OF_DATA = frozenset(
    {"Dataset", "IterableDataset", "TensorDataset", "Subset", "Sampler", "DataLoader", "ArgumentParser"}
)
"""The classes that give data or options and train nothing, by the last part of their names."""
TRAINING = frozenset({"backward", "step", "zero_grad", "parameters", "state_dict", "load_state_dict", "requires_grad_"})
"""Methods that networks, optimizers and losses have and nothing else."""
OF_GRADIENTS = (Tensor, Module, Optimizer, Scaler)


FORWARD, ASIDE, SHORT = "forward", "aside", "short"
PURSES = {FORWARD: 6_000, ASIDE: 1_200, SHORT: 4_000}
"""The statements of other files, counted as `HEAP_OF_A_STEP` says, that the functions of each kind may run in all;
short ones in whatever file, where there are no steps left otherwise."""
MOST_OF_A_SHORT_ONE = 8
"""Statements of a function that calls nothing of the program and is followed where no other is: to run a meter's
`update`, or what makes numbers of a tensor, costs less than to think of all that might become of it."""


def is_short(m: Interpreter, function: Function) -> bool:
    """Return whether a function has few statements, one after the other, and calls nothing that might be long, as far
    as its text shows."""
    node = function.node
    if not isinstance(node, cst.FunctionDef) or len(node.body.body) > MOST_OF_A_SHORT_ONE:
        return False
    plain = all(isinstance(one, (cst.SimpleStatementLine, cst.BaseSmallStatement)) for one in node.body.body)
    uses = m.scan.scopes[node].uses
    return plain and not any("()" in uses[name] and _may_be_long(m, function, name) for name in uses)


def _may_be_long(m: Interpreter, function: Function, name: str) -> bool:
    """Return whether what is called by a dotted name in a function may be of the program. Methods of what it is passed
    and of its attributes are taken for those of tensors and containers."""
    first, _, rest = name.partition(".")
    if first in m.scan.scopes[function.node].binds:
        return not rest or (first == "self" and "." not in rest)
    found = [*_named(m, function, [first])]
    return any(type(value) is not ImportPath for value in found) if found else not hasattr(builtins, first)


def purse_of(m: Interpreter, function: Function, args: Arguments) -> str:
    """The purse that a function of another file belongs to; none for what makes and trains networks.

    What is aside has to do with neither networks nor gradients, as far as its text and what it is passed show.
    """
    if not m.frames[function.frame].file.foreign or m.neighbours.running:  # importing has a bound of its own
        return ""
    if type(function.owner) is cst.ClassDef:
        if any(spelled(base.value).rpartition(".")[2] in OF_DATA for base in function.owner.bases):
            return ASIDE
        if function.name in ("forward", "__call__"):
            return FORWARD
    given = (m.state.heap.get(ref) for ref in m.state.reach(args.values()))
    return "" if _mentions_torch(m, function) or any(isinstance(thing, OF_GRADIENTS) for thing in given) else ASIDE


class Mentions(dict[object, bool]):
    """The functions of other files, each with whether it mentions torch."""


def _mentions_torch(m: Interpreter, function: Function) -> bool:
    """Return whether the text of a function, or of one that it names, uses torch, networks or optimizers."""
    mentions = m.notes(Mentions)
    known = mentions.get(function.node)
    if known is None:
        mentions[function.node] = False  # as far as what calls itself is looked up meanwhile
        uses = m.scan.scopes[function.node].uses
        done = {use.rpartition(".")[2].partition("(")[0] for name in uses for use in (name, *uses[name])}
        known = not TRAINING.isdisjoint(done) or any(_leads_to_torch(m, value) for value in _named(m, function, uses))
        mentions[function.node] = known
    return known


def _named(m: Interpreter, function: Function, uses: Iterable[str]) -> Iterator[Value]:
    """Yield the values that the names in a function's text have at the top level of its file."""
    top = m.frames[function.frame]
    while top.parent is not None:
        top = top.parent
    for name in dict.fromkeys(use.partition(".")[0] for use in uses):
        found = variables.held(m, (top.id, name))
        yield from () if found is None else alternatives(found)


def _leads_to_torch(m: Interpreter, value: Value) -> bool:
    if type(value) is Function:
        return _mentions_torch(m, value)
    cls = m.state.heap.get(value) if type(value) is Ref else None
    if type(cls) is Class:
        return cls.module.may(YES)
    return type(value) is Imported or (type(value) is ImportPath and value.path.partition(".")[0] == "torch")


def steps_in(m: Interpreter, frame: Frame) -> str:
    """Return the name of the step count that a frame's file draws on: that of the running file, or of the others."""
    return "left" if frame.file.foreign == m.frame.file.foreign else "elsewhere"


@contextmanager
def out_of_its_purse(m: Interpreter, function: Function, args: Arguments) -> Iterator[None]:
    """Run a function with the steps of the purse that it belongs to."""
    steps = steps_in(m, m.frames[function.frame])
    before = getattr(m.steps, steps)
    purse = purse_of(m, function, args)
    given = min(before, m.steps.purses.get(purse, before))
    if given <= 0:
        purse, given = SHORT, m.steps.purses[SHORT]
    if not purse:
        yield
        return
    setattr(m.steps, steps, given)
    yield
    m.steps.purses[purse] -= given - getattr(m.steps, steps)
    setattr(m.steps, steps, before)
