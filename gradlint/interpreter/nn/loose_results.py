"""Loose results: what a module of an unknown class gives, computed from what it holds."""

from __future__ import annotations

from gradlint.domain import (
    ANY_DTYPE,
    MOST_ITEMS,
    NO,
    NONE_VALUE,
    UNKNOWN,
    YES,
    Belief,
    Module,
    Named,
    Ref,
    Tensor,
    Unknown,
    Value,
    one_of,
)
from gradlint.frozen import replace
from gradlint.interpreter.autograd import hooks
from gradlint.interpreter.autograd.record import Requested, apply
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import submodules
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.modules.options import names_of
from gradlint.knowledge.schema import ModuleRow, Operation, Result


def own_tensors(m: Interpreter, ref: Ref) -> list[tuple[str, Value]]:
    """The tensors that belong to a module, as they take part in what it computes, by the names of its own; what nobody
    knows takes part where a layer has a parameter."""
    found: dict[Value, str] = {}
    sure = {ref}
    for part in submodules(m, ref):
        module: Module = m[part]
        row = m.torch.modules.get(module.cls.path) if type(module.cls) is Named else None
        parameters = () if row is None else row.parameters
        for name, value in (*module.attributes, ("", module.rest)):
            if row is not None and not _takes_part(row, str(name)) and not m.may_be(value, Module):
                continue
            if m.may_be(value, Tensor) or (type(value) is Unknown and name in parameters):
                key = value if part in sure else _perhaps(value)
                found.setdefault(key, str(name) if part == ref else "")
            elif type(value) is Ref and part in sure:
                sure.add(value)
    return [(name, value) for value, name in found.items()]


LAYERS = frozenset({"layer", "two", "with loss", "loss", "rnn", "lstm", "pair", "attention"})
"""How modules are called that compute something from tensors of known names."""


def _takes_part(row: ModuleRow, name: str) -> bool:
    """Whether a layer of torch looks at a tensor of this name: one of its own, or one from which such is computed
    (`weight_g`, `weight_orig`)."""
    if row.call not in LAYERS:
        return True
    own = (*row.parameters, *row.buffers, *names_of(row.path.rpartition(".")[2]))
    return name in ("", *own) or name.startswith(tuple(f"{one}_" for one in own))


def _perhaps(value: Value) -> Value:
    return one_of([value, NONE_VALUE], MOST_ITEMS)


def _is_parameter(m: Interpreter, value: Value) -> bool:
    tensor = m.only(value, Tensor)
    return tensor is not None and tensor.parameter is YES


def loose_result(
    m: Interpreter, node: Site, ref: Ref, module: Module, args: Arguments, *, by_all: bool = True
) -> Value:
    """Return what a module of an unknown class gives: something computed from its parameters and arguments, and perhaps
    from other tensors that it holds: it may well have set them anew before. Not `by_all`: what it is given decides
    which of its parameters take part."""
    row = Operation("module", (), (), (), "", results=(Result(dtype="float"),))
    given = [("input", value) for value in args.values() or [UNKNOWN]]
    own = [
        (name, value if by_all and _is_parameter(m, value) else _perhaps(value)) for name, value in own_tensors(m, ref)
    ]
    if not own and module.open.may(YES):
        own.append(("", UNKNOWN))  # a parameter that unseen code gave it
    result = apply(m, node, row, given, Requested(part="call "), own)
    belief = max(module.belief, Belief.BY_USE)
    for found, tensor in m.all(result, Tensor):
        leaf = NO if tensor.requires_grad is YES else tensor.leaf
        m.store(found, replace(tensor, dtype=ANY_DTYPE, leaf=leaf, belief=max(tensor.belief, belief), loose=True))
    if hooks.may_see_inside(m, ref):
        m.escape([result])
    return result
