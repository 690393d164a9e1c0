"""Criteria: losses that nobody shows, known by the name they are called by and by their arguments.

What is called as a criterion is (`criterion(output, target)`, `self.loss_fn(...)`) computes something from its
arguments: it keeps nothing, differentiates nothing and changes no flags. Most likely, that is, so what it gives, and
what is known of its arguments from then on, is believed as use is.
"""

from __future__ import annotations

from gradlint.domain.facts import ANY_DTYPE, NO, YES
from gradlint.domain.objects import Instance, Tensor
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import Escape, Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import Constant, Imported, PlainObject, PythonNumber, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.compute import apply
from gradlint.interpreter.autograd.detach import cuts
from gradlint.interpreter.autograd.loop_carried import CRITERION
from gradlint.interpreter.autograd.results import Requested
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.escape import graphs_in_reach
from gradlint.interpreter.engine.history import held_in, past_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.unseen import is_opaque
from gradlint.interpreter.static.scopes import dotted
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.knowledge.python.duck_typing_names import is_criterion
from gradlint.knowledge.schema import Operation, Result

LISTS = frozenset({"list", "tuple"})
"""The containers that criteria are passed tensors in."""
ROW = Operation(CRITERION, (), (), (), "", results=(Result(dtype="float"),))


@implements(TypeSlot.CALL_UNSEEN, Unknown, Imported, Instance)
def _call(m: Interpreter, node: Site, callee: Value, args: Arguments) -> Value | None:
    """Return the result of a criterion, computed from its arguments. None where nothing shows that it is one."""
    name = callee.name if type(callee) is Imported else dotted(getattr(syntax(node), "func", None))
    if m.torchless or args.unknown or not is_criterion(name.rpartition(".")[2]):
        return None
    if type(callee) is Ref and not is_opaque(m.state.heap.get(callee)):
        return None
    values = [one for value in args.values() for one in held_in(m, value, LISTS)]
    tensors = [found for value in values for found in m.all(value, Tensor)]
    without_graph = m.recording is YES and all(one.requires_grad is NO for _, one in tensors)
    if not tensors or (without_graph and not cuts(m, values)):
        return None  # what is computed from data alone has parameters of its own, or the network
    if not all(_is_given_to_losses(m, option) for value in values for option in alternatives(value)):
        return None
    behind = past_of(m, [node for _, one in tensors for node in one.node])  # the leaves, whose gradients it might fill
    for ref in dict.fromkeys([*(ref for ref, _ in tensors), *behind]):
        if type(tensor := m.state.heap.get(ref)) is Tensor and tensor.belief < Belief.FROM_USAGE:
            m.store_exact(ref, replace(tensor, belief=Belief.FROM_USAGE))
    for graph in graphs_in_reach(m, values):
        m.graphs.escape(graph, Escape.READ_BY_NAME)
    result = apply(m, node, ROW, [("input", value) for value in values], Requested(part="loss "))
    for ref, tensor in m.all(result, Tensor):
        leaf = NO if tensor.requires_grad is YES else tensor.leaf
        belief = max(tensor.belief, Belief.FROM_USAGE)
        m.store(ref, replace(tensor, dtype=ANY_DTYPE, leaf=leaf, belief=belief, may_be_structured=True))
    return result


def _is_given_to_losses(m: Interpreter, value: Value) -> bool:
    """Return whether it is what a loss is computed from, and nothing that it could train or call."""
    if type(value) is Ref:
        thing = m.state.heap.get(value)
        return type(thing) is Tensor or is_opaque(thing)
    return type(value) in (Unknown, Constant, PythonNumber, PlainObject)
