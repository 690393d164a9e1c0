"""Parameters that are computed from others: weight norm, spectral norm, parametrizations, pruning."""

from __future__ import annotations

from functools import partial, reduce
from operator import or_

from gradlint.domain.facts import NO, UNSURE, YES, Truth, both
from gradlint.domain.items import item_of, with_item
from gradlint.domain.objects import Module, Tensor
from gradlint.domain.provenance import Cause, CauseKind
from gradlint.domain.refs import Ref
from gradlint.domain.values import NONE_VALUE, Constant, ImportPath, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.compute import apply
from gradlint.interpreter.autograd.tensor import fresh
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import Model, models
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import parameters
from gradlint.interpreter.nn.unknown_parts import parameter
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge import ROWS
from gradlint.knowledge.modules.reparametrizations import RESTORING
from gradlint.knowledge.schema import Operation, ReparametrizationRow, Result

COMPUTED = Operation("reparametrize", (), (), (), "", results=(Result(),))
INSIDE = "parametrizations"


def _name(args: Arguments) -> str:
    """The parameter that is meant; empty where that is not known."""
    given = args.get("tensor_name" if "tensor_name" in args.keywords else "name", 1, Constant("weight"))
    return given.value if type(given) is Constant and isinstance(given.value, str) else ""


def _reparametrizing(path: str, m: Interpreter, node: Site, args: Arguments) -> Value:
    row = m.torch.reparametrizations[path]
    start, name = m.push(args.get("module", 0, NONE_VALUE)), _name(args)
    for ref, module in m.all(m.state.stack[start], Module):
        replaced = _replace(m, node, ref, row, name, item_of(module.attributes, name, NONE_VALUE))
        if replaced and m.may_be(given := args.get("parametrization", 2, NONE_VALUE), Module):
            _put(m, node, ref, f"{INSIDE}.{name}.0", given)
    owner = m.pop_from(start)[0]
    return owner if m.may_be(owner, Module) else result_of_unknown([owner])


def _replace(m: Interpreter, node: Site, ref: Ref, row: ReparametrizationRow, name: str, held: Value) -> bool:
    """Put others in the place of what is held, if it is a parameter, which from now on is computed from them; where it
    is but one other, it is that parameter itself under another name."""
    old = m.only(held, Tensor)
    if old is None or not old.parameter.may(YES):
        return False
    asked = YES if row.asks else old.requires_grad
    sources: list[tuple[str, Value]] = []
    for path in row.parameters:
        made_there = _made_there(m, old)
        made: Value = held
        if len(row.parameters) > 1:
            made = parameter(m, node, f"parameter {path}", requires_grad=asked, dtype=old.dtype, inference=made_there)
        sources.append(("input", made))
        _put(m, node, ref, path.replace("weight", name), made)
    for path in row.buffers:
        made = fresh(m, node, f"buffer {path}", dtype=old.dtype, made="buffer", inference=_made_there(m, old))
        _put(m, node, ref, path.replace("weight", name), made, buffer=True)
    modes, m.state.grad_mode, m.state.inference = m.state.modes, YES, NO
    computed = apply(m, node, COMPUTED, sources)
    m.state.modes = modes
    for one, tensor in m.all(computed, Tensor):  # it is computed anew for whoever looks, or by every call
        facts = {"requires_grad": tensor.requires_grad | NO, "leaf": tensor.leaf | YES, "node": (*tensor.node, None)}
        m.store(one, replace(tensor, inference=UNSURE, **facts))
    _put(m, node, ref, name, computed)
    return True


def _made_there(m: Interpreter, old: Tensor) -> Truth:
    """Return whether what takes the place of a parameter is made in inference mode: some are the old numbers, others
    are new."""
    return NO if old.inference is NO and m.state.inference is NO else UNSURE


def _put(m: Interpreter, node: Site, ref: Ref, path: str, value: Value, *, buffer: bool = False) -> None:
    """Set what a dotted name means in a module; what stands between is made where it is missing."""
    first, _, below = path.partition(".")
    module: Module = m[ref]
    if below:
        inside = [held for held, _ in m.all(item_of(module.attributes, first, NONE_VALUE), Module)]
        held = (
            inside[0]
            if inside
            else m.new(
                node,
                f"{first} inside",
                Module(
                    cls=ImportPath("torch.nn.ModuleDict"),
                    mode=module.mode,
                    open=NO,
                    causes=(Cause(CauseKind.MADE, node),),
                ),
            )
        )
        _put(m, node, held, below, value, buffer=buffer)
        value, buffer = held, False
    attributes = with_item(module.attributes, first, value)
    buffers = tuple((dict(module.buffers) | ({first: Constant(True)} if buffer else {})).items())
    m.store(ref, replace(module, attributes=attributes, buffers=buffers))


def _restoring(path: str) -> Model:
    keeps = any(same for one, _, same in RESTORING if one == path)

    def restore(m: Interpreter, node: Site, args: Arguments) -> Value:
        """Make a parameter again of what was computed."""
        owner, name = args.get("module", 0, NONE_VALUE), _name(args)
        for ref, module in m.all(owner, Module):
            known = dict(module.attributes)
            tensor = m.only(known.get(name, NONE_VALUE), Tensor)
            if tensor is None or tensor.made != COMPUTED.name:
                continue
            inside = (f"{name}_", f"{INSIDE}.{name}.")
            sources = [source for at, source in parameters(m, ref)[0] if at.startswith(inside)]
            if keeps and len(sources) == 1:
                made = sources[0]
            else:
                asked = reduce(or_, (m[source].requires_grad for source in sources), Truth.of(0))
                made = parameter(m, node, "restored", requires_grad=asked, dtype=tensor.dtype, inference=UNSURE)
                recorded = both(asked, m.recording)
                if keeps and recorded is not YES:  # what does not ask at that moment becomes a buffer
                    m.store(made, replace(m[made], requires_grad=recorded, parameter=recorded))
                    buffers = with_item(module.buffers, name, Constant(True))
                    m.update_fields(ref, Module, buffers=buffers)
                    module = m[ref]
            kept = {k: v for k, v in known.items() if k != INSIDE and not str(k).startswith(f"{name}_")}
            m.store(ref, replace(module, attributes=tuple((kept | {name: made}).items())))
        return owner

    return restore


for _row in ROWS["reparametrizations"]:
    models(_row.path)(partial(_reparametrizing, _row.path))
for _path in {path: None for path, _, _ in RESTORING}:
    models(_path)(_restoring(_path))
