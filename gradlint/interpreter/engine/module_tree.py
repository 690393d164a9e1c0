"""Modules as trees: the modules, parameters and buffers inside a module, with their dotted names."""

from __future__ import annotations

from collections.abc import Callable

from gradlint.domain.facts import ANY_MODE, EVAL, NO, TRAIN, YES, Mode, Truth, either
from gradlint.domain.objects import Module, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.values import Constant, Value
from gradlint.interpreter.engine.machine import Interpreter


def walk(m: Interpreter, value: Value, wanted: Callable[[Ref], bool] = lambda _: True) -> dict[Ref, str | None]:
    """A module and all modules inside it in the order of `modules()`, with their dotted names where those are known;
    what is not `wanted` is left out with all that is reached through it alone."""
    found: dict[Ref, str | None] = {}
    todo: list[tuple[Ref, str | None]] = [(ref, "") for ref, _ in reversed(m.all(value, Module))]
    while todo:
        ref, path = todo.pop()
        if ref in found or not wanted(ref):
            continue
        found[ref] = path
        module: Module = m[ref]
        inside = [(inner, below(path, name)) for name, part in module.attributes for inner, _ in m.all(part, Module)]
        inside += [(inner, None) for inner, _ in m.all(module.rest, Module)]
        todo += reversed(inside)
    return found


def below(path: str | None, name: object) -> str | None:
    """The dotted name of a part of the module of that name."""
    return None if path is None else f"{path}.{name}" if path else str(name)


def submodules(m: Interpreter, value: Value) -> list[Ref]:
    """A module and all modules inside it, in order."""
    return list(walk(m, value))


Tensors = tuple[list[tuple[str, Ref]], Truth]
"""Tensors with their dotted names (empty where not known), and whether there may be others."""


def parameters(m: Interpreter, value: Value, *, recurse: bool = True) -> Tensors:
    """The parameters of a module."""
    return _tensors(m, value, recurse, lambda module, name, tensor: tensor.parameter.may(YES))


def memories_of(m: Interpreter, module: Value) -> frozenset[tuple[Ref, ...]]:
    """Return the memories of the parameters of a module."""
    return frozenset([m[ref].storage for _, ref in parameters(m, module)[0] if m[ref].storage])


def buffers(m: Interpreter, value: Value, *, recurse: bool = True, saved: bool = False) -> Tensors:
    """The buffers of a module; `saved`: only those that its state dict has."""

    def wanted(module: Module, name: object, tensor: Tensor) -> bool:
        registered = dict(module.buffers).get(name)
        return registered is not None and not (saved and registered == Constant(False))

    return _tensors(m, value, recurse, wanted)


def _tensors(m: Interpreter, value: Value, recurse: bool, wanted: Callable[[Module, object, Tensor], bool]) -> Tensors:
    found: dict[Ref, str] = {}
    opens = [NO]
    for ref, path in walk(m, value).items() if recurse else [(ref, "") for ref, _ in m.all(value, Module)]:
        module: Module = m[ref]
        opens.append(module.open)
        for name, part in (*module.attributes, (None, module.rest)):
            for inner, tensor in m.all(part, Tensor):
                if wanted(module, name, tensor):
                    found.setdefault(inner, "" if name is None else below(path, name) or "")
    return [(name, ref) for ref, name in found.items()], either(opens)


def certain_parts(m: Interpreter, owner: Value) -> dict[Ref, None]:
    """A module and the modules, parameters and buffers inside it, of those that are certainly there: not one or
    another, not in one of two modules, and each as what it is."""
    certain: dict[Ref, None] = {}
    todo = [owner]
    while todo:
        value = todo.pop()
        if type(value) is not Ref or value in certain:
            continue
        thing = m.state.heap.get(value)
        if type(thing) is Module or (type(thing) is Tensor and thing.parameter in (YES, NO)):
            certain[value] = None
        if type(thing) is Module:
            todo += [*(part for _, part in thing.attributes), *thing.certain]
    return certain


def mode_of(trains: Truth) -> Mode:
    """The mode of a module that trains, or does not."""
    return {YES: TRAIN, NO: EVAL}.get(trains, ANY_MODE)
