"""Methods that every nn.Module has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlint import events
from gradlint.domain.facts import ANY_DEVICE, ANY_PRECISION, EVAL, NO, UNSURE, YES, both, truth
from gradlint.domain.objects import MOST_ITEMS, Iterator, Module, Tensor
from gradlint.domain.provenance import AskKind, ClearKind, IteratorKind
from gradlint.domain.refs import ASTRAY, OPAQUE, Ref
from gradlint.domain.value_sets import alternatives, one_of, references, truth_of
from gradlint.domain.values import NONE_VALUE, NOTHING, UNKNOWN, Constant, ImportPath, PlainObject, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd import hooks
from gradlint.interpreter.autograd.backward_arguments import flag
from gradlint.interpreter.autograd.grad import clear_gradients, left_as_none
from gradlint.interpreter.autograd.requires_grad import Asked, set_requires_grad
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.dispatch import Method
from gradlint.interpreter.engine.iteration import iterator, tuple_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import Tensors, buffers, certain_parts, mode_of, parameters, submodules
from gradlint.interpreter.nn.module import set_mode, tensor_iterator
from gradlint.interpreter.nn.module_listing import listing
from gradlint.interpreter.nn.state_dict import load_state_dict, state_dict
from gradlint.interpreter.nn.unknown_parts import unseen_module
from gradlint.interpreter.python.attribute_load import get_attribute
from gradlint.interpreter.python.dynamic_attributes import set_by_name
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.static.scopes import receiver, spelled
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.training.clearing import OF_MODULES


def _tensors_of(which: Callable[..., Tensors], by: IteratorKind, position: int) -> Method:
    """A method that goes over tensors of a module: those inside its parts as well, or its own alone."""

    def method(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
        deep = flag(args, "recurse", position, default=True)
        own = which(m, owner, recurse=False)[0] if deep.may(NO) else None
        made = tensor_iterator(m, node, owner, which(m, owner, recurse=deep.may(YES)), by, surely=own)
        if not args.values() and not args.unknown and (listed := listing(m, node, owner, by)) != UNKNOWN:
            m.update_fields(made, Iterator, listed=listed)
        return made

    return method


def _train(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    set_mode(m, node, owner, mode_of(truth_of(args.get("mode", 0, Constant(True)))))
    return owner


def _eval(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`eval()` is `train(False)`, also where the class has a `train` of its own."""
    own = method_of(m, owner, "train")
    if own is not None:
        return call_function(m, node, own, Arguments([owner, Constant(False)]))
    set_mode(m, node, owner, EVAL)
    return owner


def _moved(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`to`, `half` and the like: the same module, and the same handles, perhaps made of other numbers."""
    facts: dict[str, Any] = {"precision": ANY_PRECISION, "device": ANY_DEVICE}
    if args.unknown or "memory_format" in args.keywords:
        facts["contiguous"] = UNSURE
    for _, ref in (*parameters(m, owner)[0], *buffers(m, owner)[0]):
        moved = replace(thing := m[ref], inference=m[ref].inference | m.state.inference, **facts)
        if moved != thing:
            m.store(ref, moved)
    for _, ref in buffers(m, owner)[0]:
        thing = m[ref]
        computed = both(thing.requires_grad, m.recording)  # a buffer is replaced by what the move computes from it
        made_by, leaf = thing.node, thing.leaf
        if computed.may(YES):
            made_by, leaf = tuple(dict.fromkeys((*(made_by or (None,)), OPAQUE, ASTRAY))), leaf | NO
        m.store(ref, replace(thing, requires_grad=thing.requires_grad | computed, leaf=leaf, node=made_by))
    return owner


def _requires_grad_(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    to = truth_of(args.get("requires_grad", 0, Constant(True)))
    refs = [ref for _, ref in parameters(m, owner)[0]]
    if refs:
        m.loops.sweeping += refs
        sure = certain_parts(m, owner)
        set_requires_grad(m, one_of(refs, len(refs)), Asked(node, to, AskKind.MODULE, spelled(receiver(node))), sure)
        del m.loops.sweeping[len(m.loops.sweeping) - len(refs) :]
    return owner


def _zero_grad(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    to_none = left_as_none(m, OF_MODULES, args)
    refs = [ref for _, ref in parameters(m, owner)[0]]
    m.loops.sweeping += refs
    clear_gradients(m, node, refs, to_none=to_none, by=ClearKind.MODULE, sure=certain_parts(m, owner))
    del m.loops.sweeping[len(m.loops.sweeping) - len(refs) :]
    return NONE_VALUE


def _modules(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    found, listed = _all(m, node, owner), listing(m, node, owner, IteratorKind.MODULES)
    certain = _certain(m, owner, found)
    return iterator(m, node, Iterator(found, owner, IteratorKind.MODULES, empty=NO, listed=listed, certain=certain))


def _certain(m: Interpreter, owner: Value, element: Value) -> tuple[Ref, ...]:
    """Return the modules of an iterator that the owner certainly has."""
    parts = certain_parts(m, owner)
    return tuple(option for option in alternatives(element) if type(option) is Ref and option in parts)


def _all(m: Interpreter, node: Site, owner: Value) -> Value:
    """A module and all its parts; those nobody saw are one more."""
    return one_of([NOTHING, *submodules(m, owner), *_unseen(m, node, owner)], MOST_ITEMS)


def _unseen(m: Interpreter, node: Site, owner: Value) -> list[Value]:
    """A module that stands for the parts that were not seen, if there may be any."""
    opened = tuple(ref for ref in submodules(m, owner) if m[ref].open.may(YES))
    return [unseen_module(m, node, "unseen part", opened, ImportPath(TORCH_MODULE))] if opened else []


def _children_of(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    found, listed = _direct(m, node, owner), listing(m, node, owner, IteratorKind.CHILDREN)
    return iterator(
        m, node, Iterator(found, owner, IteratorKind.CHILDREN, listed=listed, certain=_certain(m, owner, found))
    )


def _direct(m: Interpreter, node: Site, owner: Value) -> Value:
    """The modules that are registered on a module itself."""
    held = [part for _, module in m.all(owner, Module) for part in (*dict(module.attributes).values(), module.rest)]
    found = [ref for part in held for ref, _ in m.all(part, Module)]
    return one_of([NOTHING, *found, *_unseen(m, node, owner)], MOST_ITEMS)


def _named(m: Interpreter, node: Site, element: Value, by: IteratorKind, owner: Value, args: Arguments) -> Value:
    pair = tuple_of(m, node, [PlainObject("str"), element])
    listed = listing(m, node, owner, by) if not args.values() and not args.unknown else UNKNOWN
    return iterator(m, node, Iterator(pair, owner, by, listed=listed, certain=_certain(m, owner, element)))


def _apply(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`apply(fn)`: the function is called with each part."""
    start = m.push(owner)
    call_value(m, node, args.get("fn", 0, UNKNOWN), Arguments([_all(m, node, owner)]), "")
    return m.pop_from(start)[0]


def _register_buffer(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    name = args.get("name", 0, UNKNOWN)
    _emit_buffer(m, node, owner, name, args.get("tensor", 1, NONE_VALUE))
    saved = Constant(True) if flag(args, "persistent", 2, default=True) is not NO else Constant(False)
    if type(name) is Constant:
        found = m.all(owner, Module)
        for ref, module in found:
            known = dict(module.buffers) | {name.value: saved}
            m.store(ref, replace(module, buffers=tuple(known.items()), initialised=YES), sure=m.is_strong(found))
    set_by_name(m, node, owner, name, args.get("tensor", 1, NONE_VALUE))
    return NONE_VALUE


def _emit_buffer(m: Interpreter, node: Site, owner: Value, name: Value, value: Value) -> None:
    shown = m.only(owner, Module)
    if shown is None or m.is_silent:
        return
    known = str(name.value) if type(name) is Constant else ""
    memories = {memory for _, tensor in m.all(value, Tensor) for memory in tensor.storage}
    trained = truth(any(not memories.isdisjoint(m[ref].storage) for _, ref in parameters(m, owner)[0]))
    m.emit(events.BufferRegistered, node, module=shown, tensor=m.thing(value), name=known, trained=trained)


def _registering(part: str) -> Method:
    def register(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
        set_by_name(m, node, owner, args.get("name", 0, UNKNOWN), args.get(part, 1, NONE_VALUE))
        return NONE_VALUE

    return register


def _at_path(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`get_submodule`, `get_parameter` and `get_buffer`: what a dotted name leads to."""
    path = args.values()[0] if args.values() else UNKNOWN
    if type(path) is not Constant or not isinstance(path.value, str):
        return Unknown(references(owner))
    for name in path.value.split(".") if path.value else ():
        owner = get_attribute(m, node, owner, name, "")
    return owner


MOVING = ("to", "cuda", "xpu", "ipu", "cpu", "float", "double", "half", "bfloat16", "type", "share_memory", "to_empty")
METHODS: dict[str, Method] = (
    {
        "parameters": _tensors_of(parameters, IteratorKind.PARAMETERS, 0),
        "named_parameters": _tensors_of(parameters, IteratorKind.NAMED_PARAMETERS, 1),
        "train": _train,
        "eval": _eval,
        "requires_grad_": _requires_grad_,
        "zero_grad": _zero_grad,
        "modules": _modules,
        "children": _children_of,
        "named_modules": lambda m, node, owner, args: _named(
            m, node, _all(m, node, owner), IteratorKind.NAMED_MODULES, owner, args
        ),
        "named_children": lambda m, node, owner, args: _named(
            m, node, _direct(m, node, owner), IteratorKind.NAMED_CHILDREN, owner, args
        ),
        "apply": _apply,
        "register_buffer": _register_buffer,
        "register_parameter": _registering("param"),
        "add_module": _registering("module"),
        "register_module": _registering("module"),
        "buffers": _tensors_of(buffers, IteratorKind.BUFFERS, 0),
        "named_buffers": _tensors_of(buffers, IteratorKind.NAMED_BUFFERS, 1),
        "compile": lambda m, node, owner, args: NONE_VALUE,
        "flatten_parameters": lambda m, node, owner, args: NONE_VALUE,
        "state_dict": state_dict,
        "load_state_dict": load_state_dict,
    }
    | dict.fromkeys(MOVING, _moved)
    | dict.fromkeys(("get_submodule", "get_parameter", "get_buffer"), _at_path)
    | {f"register_{kind}": hooks.registering(kind) for kind in (hooks.BEFORE, hooks.AFTER, *hooks.BACKWARD)}
)
"""Methods that every nn.Module has."""

TORCH_MODULE = "torch.nn.Module"

APPLYING = frozenset({"forward", "__call__"})
"""The methods by which a module is applied."""
