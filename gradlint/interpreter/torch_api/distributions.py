"""The distributions of torch: what is drawn from them, and what is computed from their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gradlint.domain.facts import ANY_DTYPE, ANY_SHAPE, NO, UNSURE, YES, Shape
from gradlint.domain.items import item_of
from gradlint.domain.objects import MOST_ITEMS, Container, Instance, Tensor
from gradlint.domain.provenance import Cause, CauseKind
from gradlint.domain.refs import Ref
from gradlint.domain.values import NOTHING, UNKNOWN, ImportPath, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.compute import apply
from gradlint.interpreter.autograd.tensor_attributes import PART as NAMED_PART
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import ATTRIBUTES_OF, TypeSlot, implements, models
from gradlint.interpreter.engine.iteration import tuple_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.schema import Operation, Result
from gradlint.knowledge.shapes import SHAPES, Told
from gradlint.knowledge.shapes.outline import shape_of
from gradlint.knowledge.torch.distributions import BY_ELEMENT, BY_ROW, DISCRETE, PARTS, REPARAMETRISED, WHOLE, file_of

HOME = "torch.distributions."
GIVEN = "(given)"
"""The attribute of an instance that keeps what it was made from; no attribute of the program's is called so."""


def _operation(name: str, *, dtype: str = "float", differentiable: bool = True) -> Operation:
    return Operation(name, (), (), (), "", results=(Result(dtype=dtype, differentiable=differentiable),))


DRAWN = _operation("sample", differentiable=False)
DRAWN_DISCRETE = _operation("sample of a discrete distribution", differentiable=False)
DRAWN_WHOLE = _operation("sample of a discrete distribution", dtype="integer", differentiable=False)
COMPUTED = {name: _operation(name) for name in ("rsample", "log_prob", "entropy", "cdf", "icdf")}
DIVERGENCE = _operation("kl_divergence")
PART = _operation("part of a distribution")


def _given(m: Interpreter, value: Value) -> list[Value]:
    """The parameters of a distribution."""
    about = m.only(value, Instance)
    given = m.only(item_of(about.attributes, GIVEN, NOTHING), Container) if about is not None else None
    return [] if given is None else [value for _, value in given.items]


def _build(m: Interpreter, node: Site, path: str, args: Arguments) -> Value:
    """A new distribution. Some compute what they keep of their parameters (Categorical, Beta), some keep views: without
    gradients the one is off the graph, the other is a leaf that shows the parameter's flag."""
    keep = _kept if m.recording is YES else _kept_off
    kept = [keep(m, m.part_of(node, f"kept {at}"), value) for at, value in enumerate(args.values())]
    given = tuple_of(m, node, kept, "parameters")
    about = Instance(ImportPath(path), ((GIVEN, given),), open=UNSURE, causes=(Cause(CauseKind.MADE, node),))
    return m.new(node, "distribution", about)


def _kept(m: Interpreter, node: Site, value: Value) -> Value:
    """Return the parameter that a distribution keeps: when it requires grad later, that does not put on the graph what
    was computed of it before, and shows on a view."""
    thing = m.thing(value)
    if type(thing) is not Tensor or type(value) is not Ref or thing.requires_grad is not NO:
        return value
    return m.new(node, "kept", replace(thing, base=(*(thing.base or (value,)), None)))


def _kept_off(m: Interpreter, node: Site, value: Value) -> Value:
    """Return the parameter that a distribution keeps if it is given without gradients."""
    return value if all(tensor.requires_grad is NO for _, tensor in m.all(value, Tensor)) else UNKNOWN


def _computing(row: Operation, m: Interpreter, node: Site, args: Arguments) -> Value:
    """A method that computes from the parameters, and from the tensors it is given."""
    owner, others = args.positional[0], args.positional[1:] if row.name not in ("sample", "rsample") else []
    operands = [("input", value) for value in (*_given(m, owner), *others)][:MOST_ITEMS]
    made = apply(m, node, row, operands)
    if len(args.positional) == 1 + len(others) and not args.keywords and not args.unknown:
        m.update_fields(made, Tensor, shape=_shape(m, owner, others))
    return made


def _shape(m: Interpreter, owner: Value, scored: Sequence[Value]) -> Shape:
    """The shape of what a distribution draws or says of itself; what it scores is taken to be like what it draws, if
    nothing is known of that."""
    about = m.only(owner, Instance)
    name = about.cls.path.removeprefix(HOME) if about is not None and type(about.cls) is ImportPath else ""
    tensors = [tensor for value in _given(m, owner) if (tensor := m.only(value, Tensor)) is not None]
    shapes = [tensor.shape for tensor in tensors]
    if name in BY_ROW and len(shapes) == 1:
        drawn = shape_of(SHAPES["sum"], shapes, Told({"dim": -1}))
    elif name in BY_ELEMENT:
        drawn = shape_of(SHAPES["add"], shapes, Told())
    else:
        return ANY_SHAPE
    given = [tensor.shape for value in scored if (tensor := m.only(value, Tensor)) is not None]
    known = [shape for shape in given if shape.answers()]
    unsure = ANY_SHAPE if len(known) < len(scored) else drawn
    return shape_of(SHAPES["add"], [drawn, *known], Told()) | unsure


def part(m: Interpreter, node: Site, owner: Value, name: str) -> Value | None:
    """An attribute of a distribution that is computed from its parameters; None for all others. It is computed anew
    each time: what it was without gradients says nothing of what it is with them."""
    about = m.only(owner, Instance) if name in PARTS else None
    cls = about.cls if about is not None else None
    if type(cls) is not ImportPath or cls.path.removeprefix(HOME) not in REPARAMETRISED | DISCRETE:
        return None
    found = apply(m, node, PART, [("input", value) for value in _given(m, owner)][:MOST_ITEMS])
    for ref, tensor in m.all(found, Tensor):
        m.store(ref, replace(tensor, requires_grad=tensor.requires_grad | UNSURE, leaf=tensor.leaf | UNSURE))
    return found


@models(f"{HOME}kl_divergence", f"{HOME}kl.kl_divergence")
def _divergence(m: Interpreter, node: Site, args: Arguments) -> Value:
    operands = [("input", value) for owner in args.values() for value in _given(m, owner)]
    return apply(m, node, DIVERGENCE, operands[:MOST_ITEMS])


ATTRIBUTES_OF |= dict.fromkeys((f"{HOME}{name}" for name in REPARAMETRISED | DISCRETE), part)


def _known(name: str) -> None:
    """Register a class and its methods, under its name and under that of its file."""
    path = HOME + name
    made = DRAWN if name in REPARAMETRISED else DRAWN_WHOLE if name in WHOLE else DRAWN_DISCRETE
    models(path, f"{HOME}{file_of(name)}.{name}")(lambda m, node, args: _build(m, node, path, args))
    models(f"{path}.sample")(partial(_computing, made))
    for method, row in COMPUTED.items():
        models(f"{path}.{method}")(partial(_computing, row))


for _name in sorted(REPARAMETRISED | DISCRETE):
    _known(_name)


@implements(TypeSlot.CALL, Tensor)
def _of_network(m: Interpreter, node: Site, method: Ref, args: Arguments, name: str) -> Value | None:
    """A method of a distribution, by its name, that a network gave which is not followed: nobody else gets hold of it,
    and what is drawn has left the graph."""
    called = method.part.removeprefix(NAMED_PART)
    row = DRAWN_DISCRETE if called == "sample" else COMPUTED.get(called)
    if row is None or not method.part.startswith(NAMED_PART):
        return None
    made = apply(m, node, row, [("input", value) for value in (method, *args.positional)][:MOST_ITEMS])
    m.update_fields(made, Tensor, dtype=ANY_DTYPE)
    return made
