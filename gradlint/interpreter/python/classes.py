"""Classes of the program and their instances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import NO, YES, either
from gradlint.domain.objects import OWNERS, Class, Instance, Module, Optimizer, Owner
from gradlint.domain.provenance import Cause, CauseKind
from gradlint.domain.refs import Ref
from gradlint.domain.values import (
    NONE_VALUE,
    UNKNOWN,
    Bound,
    Constant,
    Function,
    ImportPath,
    PlainObject,
    Super,
    Unknown,
    Value,
)
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.call_summaries import by_summary
from gradlint.interpreter.engine.calls import call_named, plain_method
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot, implements
from gradlint.interpreter.engine.escape import havoc, result_of_unknown
from gradlint.interpreter.engine.frames import Frame
from gradlint.interpreter.engine.iteration import element_list
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.unseen import maybe_initialised
from gradlint.interpreter.python import descriptors
from gradlint.interpreter.python.attribute_store import set_past_class
from gradlint.interpreter.python.functions import call_function, too_deep
from gradlint.interpreter.python.mro import (
    BASE_KINDS,
    ancestry,
    find_member,
    find_method,
    is_module,
    is_open,
    library_base,
    torch_base,
)
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.modules.families import public

MOST_INSTANCES_DEEP = 4
"""The depth to which modules of the program are taken apart, one inside the constructor of another."""

INHERITED: dict[type, Callable[..., Value | None]] = SLOTS[TypeSlot.CALL_INHERITED]
Maker = Callable[[Interpreter, Any, Ref, Class, Arguments], Value]
MAKERS: dict[str, Maker] = {}
UNFOLLOWED: dict[type, Callable[[Interpreter, Any, Ref], Value]] = SLOTS[TypeSlot.UNFOLLOWED]
"""The results of calling classes of these kinds."""
FILLED: dict[str, Callable[[Interpreter, Any, Value, Class, Arguments], None]] = {}
"""The `__init__` that classes of these kinds are given."""


def define(m: Interpreter, node: cst.ClassDef) -> Ref:
    """Run the body of a class and make the class."""
    bases = tuple(m.values([argument.value for argument in node.bases]))
    start = m.push(*bases)
    key = (m.frame.id, node, "class")
    number = m.frame_ids.setdefault(key, len(m.frame_ids) + 1)
    frame = Frame(number, m.frame, m.scan.scopes[node], m.frame.file, tries=m.frame.tries, caller=m.frame)
    m.frames[number] = frame
    outer, m.frame = m.frame, frame
    m.run_body(node.body.body)
    m.frame = outer
    bases = tuple(ImportPath(public(base.path)) if type(base) is ImportPath else base for base in m.pop_from(start))
    members = tuple((name, value) for (at, name), value in m.state.names.items() if at == number)
    for name, _ in members:
        del m.state.names[number, name]
    module = either([is_module(m, base) for base in bases]) if bases else NO
    opened = either([is_open(m, base) for base in bases]) if bases else NO
    reads = frozenset(m.scan.scopes[node].reads | {str(name) for name, _ in members})
    made = Class(node, node.name.value, bases, members, reads, module, opened, _kind_of(m, node, bases))
    ref = m.new(node, "class", made)
    if not frame.file.foreign:
        m.defined.classes[node] = ref
    descriptors.named(m, node, ref)
    if made.kind in COMPLETED:
        COMPLETED[made.kind](m, node, ref, made)
    return ref


COMPLETED: dict[str, Callable[[Interpreter, Any, Ref, Class], None]] = {}
"""The last steps for classes of these kinds, once their body has run."""


def _kind_of(m: Interpreter, node: cst.ClassDef, bases: tuple[Value, ...]) -> str:
    if _is_decorated(node):
        return "dataclass"
    if any(_is_calling_metaclass(m, keyword) for keyword in node.keywords):
        return CALLED
    for base in bases:
        thing = m.thing(base)
        kind = (
            thing.kind if type(thing) is Class else BASE_KINDS.get(thing.path, "") if type(thing) is ImportPath else ""
        )
        if kind:
            return kind
    return ""


def _is_decorated(node: Any) -> bool:
    """Return whether a class is made a dataclass by its decorator."""
    return any(_decorator_name(decorator) == "dataclass" for decorator in getattr(node, "decorators", ()))


def _is_calling_metaclass(m: Interpreter, keyword: cst.Arg) -> bool:
    """Return whether a class is given a metaclass of the program that says itself what calling the class gives."""
    if keyword.keyword is None or keyword.keyword.value != "metaclass":
        return False
    value = m.value(keyword.value)
    return type(value) is Ref and find_method(m, value, "__call__") is not None


def _by_metaclass(m: Interpreter, node: Site, cls: Ref, thing: Class, args: Arguments) -> Value:
    """A metaclass may give any instance, also one that it gave before, and do with it what it likes."""
    havoc(m, args.values())
    return result_of_unknown(args.values())


CALLED = "made by its metaclass"
MAKERS[CALLED] = _by_metaclass


def _decorator_name(decorator: cst.Decorator) -> str:
    node: Site = decorator.decorator
    while isinstance(node, (cst.Call, cst.Attribute)):
        node = node.func if isinstance(node, cst.Call) else node.attr
    return str(node.value) if isinstance(node, cst.Name) else ""


@implements(TypeSlot.CALL, Class)
def instantiate(m: Interpreter, node: Site, cls: Ref, args: Arguments, name: str = "") -> Value:
    """A class of the program is called."""
    start = m.push(*args.values())
    made = by_summary(m, node, cls, args, lambda: _instantiate(m, node, cls, args))
    given = m.pop_from(start)
    for kind in OWNERS:  # one that is made like another was made here all the same
        m.update_fields(made, kind, causes=(Cause(CauseKind.MADE, node),))
    SLOTS[TypeSlot.BUILT][Module](m, node, made, given)
    return made


def _instantiate(m: Interpreter, node: Site, cls: Ref, args: Arguments) -> Value:
    thing: Class = m[cls]
    if thing.kind in MAKERS:
        return MAKERS[thing.kind](m, node, cls, thing, args)
    if thing.module is YES and _is_left_unseen(m, cls, args):
        havoc(m, args.values())
        return UNFOLLOWED[Module](m, node, cls)
    start = m.push(*args.values())
    made = _new_by_program(m, node, cls, args)
    if made is None:
        made = bare_instance(m, node, cls)
    elif m.only(made, Instance) is None and m.only(made, Module) is None:
        m.pop_from(start)
        return made
    m.pop_from(start)
    start = m.push(made)
    m.calls.instances_deep += 1
    initialise(m, node, made, cls, args)
    m.calls.instances_deep -= 1
    return m.pop_from(start)[0]


def _is_left_unseen(m: Interpreter, cls: Ref, args: Arguments) -> bool:
    """Return whether the `__init__` of a module is not followed any more."""
    if m.calls.instances_deep >= MOST_INSTANCES_DEEP:
        m.log.exceeded("depth of instances")
        return True
    method = find_method(m, cls, "__init__")
    if method is None or not too_deep(m, method, args.with_first(cls)):
        return False
    m.defined.escaped[method.node] = None
    return True


def _new_by_program(m: Interpreter, node: Site, cls: Ref, args: Arguments) -> Value | None:
    """Return the result of a `__new__` written in the program; None where there is none."""
    method = find_method(m, cls, "__new__")
    return None if method is None else call_function(m, m.part_of(node, "new"), method, args.with_first(cls))


def bare_instance(m: Interpreter, node: Site, cls: Ref) -> Ref:
    """An instance before its `__init__` runs."""
    thing: Class = m[cls]
    of_torch = (SLOTS[TypeSlot.NEW][kind](m, thing, cls, node) for kind in (Module, Optimizer))
    fresh = next((made for made in of_torch if made is not None), None)
    fresh = Instance(cls=cls, open=thing.open, causes=(Cause(CauseKind.MADE, node),)) if fresh is None else fresh
    return m.new(node, "instance", fresh)


def initialise(m: Interpreter, node: Site, owner: Value, cls: Value, args: Arguments, after: Ref | None = None) -> None:
    """Run `__init__` of a class, or of the classes behind `after` in its order of look-up."""
    method, thing = find_method(m, cls, "__init__", after), m.thing(cls)
    if after is None and type(thing) is Class and thing.kind in FILLED and (method is None or _is_generated(m, cls)):
        FILLED[thing.kind](m, node, owner, thing, args)
        return
    if method is not None:
        call_function(m, node, method, args.with_first(owner))
        return
    initialised(m, node, owner, args)
    for kind in (Module, Optimizer, ImportPath):
        if SLOTS[TypeSlot.INITIALISE][kind](m, node, owner, cls, args):
            return
    if type(thing) is Class and thing.open is not NO:
        havoc(m, [owner, *args.values()])


def _is_generated(m: Interpreter, cls: Value) -> bool:
    """Return whether the nearest `__init__` of a class is what a decorator writes into it or a base: one in
    the body of the decorated class is kept, those of its bases are not."""
    for thing in map(m.thing, ancestry(m, cls)):
        own = dict(thing.members) if type(thing) is Class else {}
        if type(thing) is not Class or "__init__" in own:
            return False
        if _is_decorated(thing.node):
            return True
    return False


def initialised(m: Interpreter, node: Site, owner: Value, args: Arguments) -> None:
    """`Module.__init__` runs, by whatever name it was reached."""
    shown = m.only(owner, Module)
    if shown is None:
        maybe_initialised(m, owner)
        return
    m.update_fields(owner, Module, initialised=YES)
    if not m.is_silent:
        values = [m.thing(value) for value in args.values()]
        m.emit(events.Called, node, path="torch.nn.Module.__init__", args=(shown, *values))


@implements(TypeSlot.CALL_METHOD, Super)
def call_super(m: Interpreter, node: Site, value: Super, name: str, args: Arguments, chain: str) -> Value:
    """`super().name(...)`."""
    owner = m.thing(value.owner)
    cls = owner.cls if isinstance(owner, Owner) else value.cls
    if name == "__init__":
        of_library = torch_base(m, cls) or library_base(m, cls)
        if of_library or find_method(m, cls, name, value.cls) or m[value.cls].open is not NO:
            initialise(m, node, value.owner, cls, args, value.cls)
        else:
            initialised(m, node, value.owner, args)
        return NONE_VALUE
    method = find_member(m, cls, name, value.cls)
    if type(method) is Function:
        return call_function(m, node, method, args.with_first(value.owner))
    if type(method) is ImportPath:
        return call_named(m, node, method, args.with_first(value.owner), "")
    for kind in (Module, Optimizer):
        if m.may_be(value.owner, kind):
            found = INHERITED[kind](m, node, value.owner, name, args)
            if found is not None:
                return found
    if name in OF_OBJECT:
        return OF_OBJECT[name](m, node, value, args)
    havoc(m, [value.owner, *args.values()])
    return result_of_unknown([value.owner, *args.values()])


def _set_past_class(m: Interpreter, node: Site, value: Super, args: Arguments) -> Value:
    name = args.get("name", 0, UNKNOWN)
    if type(name) is not Constant or not isinstance(name.value, str):
        havoc(m, [value.owner, *args.values()])
        return NONE_VALUE
    set_past_class(m, node, value.owner, name.value, args.get("value", 1, UNKNOWN), registered=True)
    return NONE_VALUE


def _new(m: Interpreter, node: Site, value: Super, args: Arguments) -> Value:
    cls = args.get("cls", 0, UNKNOWN)
    return bare_instance(m, node, cls) if type(cls) is Ref and m.may_be(cls, Class) else UNKNOWN


OF_OBJECT: dict[str, Callable[[Interpreter, Any, Super, Arguments], Value]] = {
    "__setattr__": _set_past_class,
    "__new__": _new,
    "__init_subclass__": lambda m, node, value, args: NONE_VALUE,
}
"""The methods that all classes have, where no class of the program defines them."""


def super_of(m: Interpreter, args: Arguments) -> Value:
    """`super()` and `super(Class, self)`."""
    if len(args.positional) >= 2 and type(args.positional[0]) is Ref:
        return Super(args.positional[1], args.positional[0])
    frame: Frame | None = m.frame
    while frame is not None:
        function = frame.function
        if function is not None and function.owner is not None:
            params = function.node.params
            first = [*params.posonly_params, *params.params][:1]
            owner = m.state.names.get((frame.id, first[0].name.value)) if first else None
            cls = None if owner is None else _class_written_at(m, owner, function.owner)
            if owner is not None and cls is not None:
                return Super(owner, cls)
        frame = frame.parent
    return UNKNOWN


def _class_written_at(m: Interpreter, owner: Value, node: Site) -> Ref | None:
    """The class with this text among those an object is of: a class made in a function ages like any other object."""
    thing = m.thing(owner)
    cls = thing.cls if isinstance(thing, Owner) else owner
    for one in ancestry(m, cls):
        if type(one) is Ref and m.classes_by_ref(one) is node:
            return one
    known = m.defined.classes.get(node)
    return known if known in m.state.heap else None


@implements(TypeSlot.CALL_METHOD, Class)
def _call_method(m: Interpreter, node: Site, owner: Value, method: str, args: Arguments, name: str) -> Value:
    """A method that a class has without defining it."""
    refs = [ref for ref, _ in m.all(owner, Class)]
    found = INHERITED[Class](m, node, refs[0], method, args) if len(refs) == 1 else None
    if found is not None:
        return found
    cls = m.only(owner, Class)
    if cls is not None and cls.kind == "named tuple" and method == "_make" and type(owner) is Ref:
        listing = element_list(m, args.get("iterable", 0, UNKNOWN))
        if listing is not None:
            return instantiate(m, node, owner, Arguments(listing))
    return plain_method(m, node, owner, method, args)


@implements(TypeSlot.GET_ATTRIBUTE, Class)
def _get_attribute(m: Interpreter, node: Site, owner: Ref, name: str, chain: str, guard: bool) -> Value:
    member = find_member(m, owner, name)
    if type(member) is Function and member.kind == "class":
        return Bound(owner, name, member)
    if member is not None:
        known: Value | None = (
            descriptors.BIND[ImportPath](m, node, owner, member) if type(member) is ImportPath else None
        )
        return member if known is None else known
    if name in ("__name__", "__qualname__", "__module__", "__doc__"):
        return PlainObject("str")
    if name in ("apply", "__init__", "_make"):
        return Bound(owner, name)
    return Unknown((owner,))


@implements(TypeSlot.SET_ATTRIBUTE, Class)
def _set_attribute(m: Interpreter, node: Site, ref: Ref, name: str, value: Value, sure: bool) -> None:
    thing: Class = m[ref]
    members = dict(thing.members) | {name: value}
    m.store(ref, replace(thing, members=tuple(members.items())), sure=sure)


implements(TypeSlot.TRUTH, Class)(lambda m, thing: YES)
