"""Inside `try`: what certainly goes well, so that no handler is reached from there.

Nearly everything may raise something: sizes that do not fit, names that are not there, code that nobody sees. The few
calls that certainly do not are vouched for when they are made; a statement that consists of nothing else goes well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gradlint.domain.facts import FLOAT, NO, YES
from gradlint.domain.objects import Node, Tensor
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import Ref
from gradlint.domain.values import Constant, PlainObject, PythonNumber, Value
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.properties.never_raises import ALONE, BACKWARD, DENSE

REVEAL = "builtins.reveal"
"""The function by which a program asks what is known of a value, and that does nothing."""
SHOWING = frozenset({"builtins.print", REVEAL})


def for_operation(m: Interpreter, node: Site, name: str, given: Sequence[Value]) -> None:
    """Vouch for an operation that is given a tensor alone."""
    if m.known_not_to_raise is not None and name in ALONE and len(given) == 1 and _is_dense(m.only(given[0], Tensor)):
        m.known_not_to_raise.add(node)


def _is_dense(shown: Tensor | None) -> bool:
    """Return whether something certainly is a dense float tensor, not made in inference mode."""
    if shown is None or shown.belief is not Belief.PROVEN or shown.inference is not NO:
        return False
    return shown.dtype is FLOAT and shown.made in DENSE | BACKWARD


def for_showing(m: Interpreter, node: Site, path: str, given: Sequence[Value]) -> None:
    """Vouch for showing what is known."""
    if m.known_not_to_raise is None or path not in SHOWING:
        return
    if all(
        type(value) in (Constant, PythonNumber, PlainObject) or m.only(value, Tensor) is not None for value in given
    ):
        m.known_not_to_raise.add(node)


def for_backward(m: Interpreter, node: Site, root: Value, past: Iterable[Ref]) -> None:
    """Vouch for a backward of one number that is known to require grad, to all leaves, through a graph of which
    everything is known."""
    if m.known_not_to_raise is not None and _is_one_number(m, root) and all(_lets_through(m, ref) for ref in past):
        m.known_not_to_raise.add(node)


def _is_one_number(m: Interpreter, root: Value) -> bool:
    shown = m.only(root, Tensor)
    return shown is not None and _is_dense(shown) and shown.scalar is YES


def _lets_through(m: Interpreter, ref: Ref) -> bool:
    """Return whether a node or leaf refuses no backward: it lacks nothing, nobody sees its gradient, and its memory is
    the one it was made with, so that its gradient fits."""
    thing = m.state.heap.get(ref)
    if type(thing) is Node:
        return thing.op in BACKWARD and thing.freed is NO and thing.backward_done is NO and thing.stale is NO
    if type(thing) is not Tensor or thing.hooks or not _is_dense(thing):
        return False
    return all(memory.site == ref.site for memory in thing.storage)
