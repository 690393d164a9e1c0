"""The requests of `backward` and `autograd.grad`, read off the arguments of their calls."""

from __future__ import annotations

from gradlint.domain.facts import NO, YES, Truth, either, negation
from gradlint.domain.objects import MAPPINGS, Container, Tensor
from gradlint.domain.value_sets import alternatives, truth_of
from gradlint.domain.values import NONE_VALUE, NOTHING, Constant, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.backward import Request, backward
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.iteration import consume, elements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import receiver
from gradlint.interpreter.static.sites import Site

MATERIALIZED = "materialize_grads"
"""The argument of `torch.autograd.grad` by which what was not used has a gradient of zeros, and so may be unused."""
RETAINED = "retain_variables"
"""The name of `retain_graph` in the first versions of torch; those of today raise a TypeError."""
METHOD = {"gradient": 0, "retain_graph": 1, "create_graph": 2, "inputs": 3}
BACKWARD = {"grad_tensors": 1, "retain_graph": 2, "create_graph": 3, "inputs": 5}
GRAD = {"inputs": 1, "grad_outputs": 2, "retain_graph": 3, "create_graph": 4, "allow_unused": 6}
"""The positions of the arguments of `Tensor.backward`, `torch.autograd.backward` and `torch.autograd.grad`."""


def flag(args: Arguments, name: str, position: int, default: bool = False) -> Truth:
    """A yes-or-no argument; None counts as not given."""
    value = args.get(name, position, Constant(default))
    return truth_of(Constant(default) if value == NONE_VALUE else value)


def wanted_inputs(m: Interpreter, node: Site, args: Arguments, positions: dict[str, int]) -> list[Value] | None:
    """The inputs of a call to differentiate by, as far as they are known one by one; None: all leaves."""
    given = args.get("inputs", positions["inputs"], NONE_VALUE)
    return None if given == NONE_VALUE else each(m, node, given)


def requested(
    m: Interpreter, how: str, args: Arguments, positions: dict[str, int], wanted: list[Value] | None
) -> Request:
    """Return the request of a call; a graph that is to be created is kept unless the call says otherwise."""
    create = flag(args, "create_graph", positions["create_graph"])
    formerly = args.get(RETAINED, -1, NONE_VALUE)
    kept = args.get("retain_graph", positions["retain_graph"], formerly)
    given = next(name for name in positions if name.startswith("grad"))
    listed = wanted or []
    refs = tuple(dict.fromkeys(m.own(ref) for value in listed for ref, _ in m.all(value, Tensor)))
    return Request(
        how,
        retain=create if kept == NONE_VALUE else truth_of(kept),
        create=create,
        renamed=formerly != NONE_VALUE,
        gradient=negation(_is_none(args.get(given, positions[given], NONE_VALUE))),
        inputs=None if wanted is None else refs,
        listed=tuple(listed),
        exact=all(len(alternatives(value)) == 1 and m.may_be(value, Tensor) for value in listed) and not args.unknown,
        allow_unused=either(
            (flag(args, "allow_unused", positions.get("allow_unused", -1)), flag(args, MATERIALIZED, -1))
        ),
    )


def _is_none(value: Value) -> Truth:
    if value == NONE_VALUE:
        return YES
    return Truth.unsure() if NONE_VALUE in alternatives(value) else NO


def each(m: Interpreter, node: Site, value: Value) -> list[Value]:
    """The tensors of an argument that takes one or several; all in one where they are not known one by one."""
    thing = m.only(value, Container)
    if thing is not None and thing.rest == NOTHING:
        return [inner for _, inner in thing.items]
    if thing is not None and thing.kind in MAPPINGS:
        return [thing.rest]
    if m.may_be(value, Tensor):
        return [value]
    element = elements(m, node, value)
    consume(m, node, value, "differentiating")
    return [element]


def run_backward(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`root.backward(...)`."""
    wanted = wanted_inputs(m, node, args, METHOD)
    backward(m, node, [owner], replace(requested(m, "backward", args, METHOD, wanted), of=receiver(node)))
    return NONE_VALUE
