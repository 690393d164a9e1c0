"""The elements of modules one by one: their parts, and their tensors, with their names.

Only where all of it is known: each part is one object and under one name, and there are certainly no others.
"""

from __future__ import annotations

from collections.abc import Callable

from gradlint.domain.facts import NO, YES
from gradlint.domain.objects import Module, Tensor
from gradlint.domain.provenance import IteratorKind
from gradlint.domain.refs import Ref
from gradlint.domain.state import OLDEST
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import NOTHING, UNKNOWN, Constant, ImportPath, Unknown, Value
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.iteration import MOST_ELEMENTS, tuple_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import below
from gradlint.interpreter.nn import module_containers
from gradlint.interpreter.python.containers import container
from gradlint.interpreter.python.mro import find_method, torch_base
from gradlint.interpreter.static.sites import Site

Named = list[tuple[str, Ref]]
RENAMING = frozenset({"torch.nn.SyncBatchNorm.convert_sync_batchnorm"})
"""The functions that rename a module's parts, which are held under another name here than in truth."""


def named_children(m: Interpreter, ref: Ref) -> Named | None:
    """The parts of a module in their order, each once."""
    found: dict[Ref, str] = {}
    if not _is_known(m, ref):
        return None
    for name, part in m[ref].attributes:
        if type(part) is Ref and type(m.thing(part)) is Module:
            found.setdefault(part, str(name))
    return [(name, part) for part, name in found.items()]


def named_modules(m: Interpreter, owner: Ref) -> Named | None:
    """A module and all modules inside it, in the order of `named_modules()`."""
    found: dict[Ref, str] = {}
    todo: Named = [("", owner)]
    while todo:
        path, ref = todo.pop()
        if ref in found:
            continue
        inside = named_children(m, ref)
        if inside is None:
            return None
        found[ref] = path
        todo += [(below(path, name) or "", part) for name, part in reversed(inside)]
    return [(path, ref) for ref, path in found.items()]


def named_tensors(m: Interpreter, owner: Ref, wanted: Callable[[Module, object, Tensor], bool]) -> Named | None:
    """The tensors of a module and its parts, in the order of `named_parameters()` and `named_buffers()`."""
    modules, found = named_modules(m, owner), dict[Ref, str]()
    if modules is None:
        return None
    for path, ref in modules:
        module: Module = m[ref]
        for name, part in module.attributes:
            tensor = m.thing(part)
            if type(part) is Ref and type(tensor) is Tensor and wanted(module, name, tensor):
                found.setdefault(part, below(path, name) or "")
    return [(path, ref) for ref, path in found.items()]


def _is_known(m: Interpreter, ref: Ref) -> bool:
    """Return whether a module is one object whose parts and tensors are all known."""
    module = m.thing(ref)
    if type(module) is not Module or module.open is not NO or module.rest != NOTHING or module.absent:
        return False
    if ref.recency == OLDEST or module.holder in RENAMING or _has_parts_of_its_own(m, module):
        return False
    return all(_is_one(m, part) for _, part in module.attributes)


def _has_parts_of_its_own(m: Interpreter, module: Module) -> bool:
    """Return whether a module derives from a layer of torch that has modules inside, which are not taken apart here."""
    row = m.torch.modules.get(torch_base(m, module.cls))
    if row is None:
        return type(module.cls) is ImportPath
    if row.call in ("container", "none"):
        return False
    return row.call == "loss" or any("." in name for name in row.parameters)  # some losses hold a module that measures


def _is_one(m: Interpreter, value: Value) -> bool:
    """Return whether a value is one module, one tensor that is certainly a parameter or none, or certainly neither."""
    if type(value) is not Ref:
        return type(value) is not Unknown and not any(type(one) in (Ref, Unknown) for one in alternatives(value))
    thing = m.thing(value)
    if type(thing) is Tensor:
        return value.recency < OLDEST and not thing.is_summary and thing.parameter in (YES, NO)
    return value.recency < OLDEST


# ---- element by element


@implements(TypeSlot.LISTED, Module)
def listed(m: Interpreter, ref: Ref, module: Module, by: IteratorKind) -> Named | None:
    """Return the elements of a module, or of a method of it, with the names; None where they are not known."""
    if by in LISTINGS:
        return LISTINGS[by](m, ref)
    of_mapping, kind = by in OF_MAPPINGS, module_containers.base(m, module)
    if kind not in (module_containers.MAPPINGS if of_mapping else module_containers.SEQUENCES):
        return None
    if module.open is not NO or module.rest != NOTHING or not (of_mapping or _goes_over_parts(m, module)):
        return None
    parts = module_containers.parts(m, module)
    return [(name, part) for name, part in parts if type(part) is Ref] if all(_is_one(m, p) for _, p in parts) else None


OF_MAPPINGS = frozenset({IteratorKind.KEYS, IteratorKind.VALUES, IteratorKind.ITEMS})


def _goes_over_parts(m: Interpreter, module: Module) -> bool:
    """Return whether going over a module is not a matter of its class."""
    return find_method(m, module.cls, "__iter__") is None


def _parameters(m: Interpreter, ref: Ref) -> Named | None:
    return named_tensors(m, ref, lambda module, name, tensor: tensor.parameter is YES)


def _buffers(m: Interpreter, ref: Ref) -> Named | None:
    return named_tensors(m, ref, lambda module, name, tensor: name in dict(module.buffers))


LISTINGS: dict[IteratorKind, Callable[[Interpreter, Ref], Named | None]] = {
    IteratorKind.NAMED_PARAMETERS: _parameters,
    IteratorKind.BUFFERS: _buffers,
    IteratorKind.NAMED_BUFFERS: _buffers,
    IteratorKind.CHILDREN: named_children,
    IteratorKind.NAMED_CHILDREN: named_children,
    IteratorKind.MODULES: named_modules,
    IteratorKind.NAMED_MODULES: named_modules,
}
"""The listings of modules by methods, by what is said of their iterators."""


def listing(m: Interpreter, node: Site, owner: Value, by: IteratorKind) -> Value:
    """A list of what a method of a module gives, with names where it gives pairs; `UNKNOWN` where it is unknown or
    long."""
    found = LISTINGS[by](m, owner) if by in LISTINGS and type(owner) is Ref else None
    if found is None or not 0 < len(found) <= MOST_ELEMENTS:
        return UNKNOWN
    held: list[Value] = [ref for _, ref in found]
    if by.startswith("named"):
        held = [tuple_of(m, node, [Constant(name), ref], f"pair {at}") for at, (name, ref) in enumerate(found)]
    return container(m, node, "tuple", held, "listed")
