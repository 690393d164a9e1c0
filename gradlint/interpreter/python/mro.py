"""The resolution order of classes, and the look-up of members in it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import is_
from typing import Any

from gradlint.domain.facts import NO, UNSURE, YES, Truth, truth
from gradlint.domain.objects import Class, Container, Instance, Module
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, number_kind, one_of
from gradlint.domain.values import UNKNOWN, Constant, Function, ImportPath, PlainObject, PythonNumber, Value
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot, implements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.knowledge.modules.families import FAMILIES
from gradlint.knowledge.pack_index import Known
from gradlint.knowledge.packs import LibraryClass
from gradlint.knowledge.properties.named_results import NAMES, RETURNED
from gradlint.knowledge.torch.autograd_names import OF_MODULES

TYPE_OF: dict[type, Callable[[Any], Value]] = SLOTS[TypeSlot.TYPE_OF]
Line = tuple[Value, ...]

MOST_BASES = 100
BASE_KINDS = {
    "typing.NamedTuple": "named tuple",
    "typing.TypedDict": "typed dict",
    "typing_extensions.TypedDict": "typed dict",
    **dict.fromkeys(("enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"), "enum"),
}
"""The classes whose descendants are made otherwise than by running methods of the program."""
PLAIN_BASES = frozenset(BASE_KINDS) | frozenset(
    ["builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol", "typing_extensions.Protocol",
     "builtins.Exception", "builtins.ValueError", "builtins.RuntimeError", "torch.utils.data.Dataset",
     "torch.utils.data.IterableDataset", "torch.utils.data.dataset.Dataset", "torch.utils.data.Sampler",
     "torch.autograd.Function", "torch.autograd.function.Function"]
)  # fmt: skip
"""Classes that neither make anything of the arguments of their descendants nor give them tensors."""
OF_EVERY_MODULE = (OF_MODULES | {"__init__"}) - {"training"}
"""The members that `nn.Module` defines, and so hides of later bases; its `__init__` does not go on to theirs."""


def is_module(m: Interpreter, base: Value) -> Truth:
    """Return whether what derives from this base is a module."""
    thing = m.thing(base)
    if type(thing) is Class:
        return thing.module
    if type(thing) is ImportPath:
        if thing.path in m.torch.modules or thing.path in FAMILIES:
            return YES
        if thing.path in PLAIN_BASES:
            return NO
        if (known := m.packs.cls(thing.path)) is not None:
            return truth(known.row.kind == "module")
        return NO if m.packs.is_foreign(thing.path) else UNSURE
    return UNSURE


def is_open(m: Interpreter, base: Value) -> Truth:
    """Return whether what derives from this base may have more than is seen."""
    thing = m.thing(base)
    if type(thing) is Class:
        return thing.open
    if type(thing) is ImportPath and (
        thing.path in m.torch.modules or thing.path in FAMILIES or thing.path in PLAIN_BASES
    ):
        return NO
    return _is_open(m, thing.path) if type(thing) is ImportPath else UNSURE


def ancestry(m: Interpreter, cls: Value) -> Iterator[Value]:
    """A class and its bases in the order of look-up; a base that is not known comes as it is."""
    for option in alternatives(cls):
        yield from _line(m, option, MOST_BASES, {})


class Lines(dict[Value, tuple[Line, tuple[Any, ...]]]):
    """The lines of classes, with what each class of a line was when it was found."""


def _line(m: Interpreter, cls: Value, most: int, found: dict[Value, Line]) -> Line:
    """The line of one class, as Python finds it: no longer than so many classes, and from no deeper. What was `found`
    for the same question is taken as it is, and what was found before where the classes of the line are the same."""
    heap = m.state.heap
    thing: Any = heap.get(cls) if type(cls) is Ref else None
    if type(thing) is not Class or not thing.bases or most < 1:
        return (cls,) if most > 0 else ()
    if cls in found:
        return found[cls]
    there: Any = heap.get  # of what is no reference there is nothing
    remembered = m.notes(Lines)
    known, classes = remembered.get(cls, ((), ()))
    if not known or not all(map(is_, map(there, known), classes)):
        found[cls] = (cls,)  # for a class that derives from itself
        lines = [_line(m, base, most - 1, found) for base in thing.bases]
        merged = _merged([*lines, thing.bases]) if len(lines) > 1 else lines[0]
        known = (cls, *islice(merged, MOST_BASES - 1))
        if len(known) <= most:  # what is deeper was not left out
            remembered[cls] = known, tuple(map(there, known))
    found[cls] = known
    return known


def _merged(lines: list[Line]) -> Iterator[Value]:
    """Lines put together so that each keeps its order: what no other line still has behind its first comes next."""
    waiting = [deque(line) for line in lines if line]
    behind, done = Counter(one for line in lines for one in line[1:]), set[Value]()
    while waiting:
        first = next((line[0] for line in waiting if not behind[line[0]]), waiting[0][0])
        yield first
        done.add(first)
        for line in waiting:
            while line and line[0] in done:
                line.popleft()
                behind.subtract(islice(line, 1))
        waiting = [line for line in waiting if line]


def find_member(m: Interpreter, cls: Value, name: str, after: Ref | None = None) -> Value | None:
    """Return the member of a class or its bases under a name; `after`: only the bases behind that class."""
    waiting = after is not None
    for one in ancestry(m, cls):
        if waiting:
            waiting = one != after
            continue
        thing = m.state.heap.get(one) if type(one) is Ref else None
        if type(thing) is Class:
            for known, value in thing.members:
                if known == name:
                    return value
        elif type(one) is not ImportPath:
            return None
        elif one.path in m.torch.modules or one.path in FAMILIES:
            if name in OF_EVERY_MODULE:
                return None
        elif one.path not in PLAIN_BASES:
            found = _member(m, one.path, name)
            if found is not None or _is_open(m, one.path) is not NO:
                return found
    return None


def find_method(m: Interpreter, cls: Value, name: str, after: Ref | None = None) -> Function | None:
    """The function a class of the program defines under a name."""
    found = find_member(m, cls, name, after)
    return found if type(found) is Function else None


def defined_anew(m: Interpreter) -> dict[Ref, frozenset[object]]:
    """The names that classes of the program define which derive from each of them."""
    found: dict[Ref, frozenset[object]] = {}
    for cls in m.defined.classes.values():
        thing = m.state.heap.get(cls)
        own = frozenset(name for name, _ in thing.members) if type(thing) is Class else frozenset()
        for base in list(ancestry(m, cls))[1:]:
            if type(base) is Ref:
                found[base] = found.get(base, own) | own
    return found


def may_be_overridden(m: Interpreter, owner: Ref, thing: Module | Instance, name: str) -> bool:
    """Return whether an object that stands for all unseen instances of a class may be of a subclass that overrides
    this."""
    cls = thing.cls
    if type(cls) is not Ref or name not in m.defined.anew.get(cls, ()):
        return False
    return thing.belief is Belief.ANNOTATED or owner.site == m.allocations.sites.get(m.classes_by_ref(cls))


def field_names(m: Interpreter, thing: Container) -> Sequence[str]:
    """Return the field names of a named tuple, in their order."""
    if type(thing.cls) is ImportPath:
        return NAMES.get(thing.cls.path.removeprefix(RETURNED), ())
    cls = m.thing(thing.cls)
    return [str(name) for name, _ in cls.fields] if type(cls) is Class else ()


def field_of(m: Interpreter, thing: Container, name: str) -> Value | None:
    """The item of a named tuple under the name of a field."""
    names = field_names(m, thing)
    return dict(thing.items).get(names.index(name), thing.rest) if name in names else None


def method_of(m: Interpreter, owner: Value, *names: str) -> Function | None:
    """The first of these methods that the class of an object defines in the program."""
    cls = getattr(m.thing(owner), "cls", None) if type(owner) is Ref else None
    found = (find_method(m, cls, name) for name in names) if cls is not None else ()
    return next((method for method in found if method is not None), None)


def torch_base(m: Interpreter, cls: Value) -> str:
    """The path of the torch module that a class is or derives from, or nothing."""
    if type(cls) is ImportPath:
        return cls.path if cls.path in m.torch.modules else ""
    for one in ancestry(m, cls):
        if type(one) is ImportPath and one.path in m.torch.modules:
            return one.path
    return ""


# ---- classes of libraries


def called(path: str, row: LibraryClass) -> str:
    """Return our name of a class that was reached by some path."""
    return path if "*" in row.path else row.path


def library_base(m: Interpreter, cls: Value) -> tuple[str, Known] | None:
    """The class of a library that a class is or derives from."""
    for one in ancestry(m, cls):
        if type(one) is ImportPath and (known := m.packs.cls(one.path)) is not None:
            return called(one.path, known.row), known
    return None


def _member(m: Interpreter, path: str, name: str) -> Value | None:
    """Return the path of a member of the class at a path; None where no row names it."""
    known = m.packs.cls(path)
    return ImportPath(f"{called(path, known.row)}.{name}") if known is not None and name in known.members else None


def _is_open(m: Interpreter, path: str) -> Truth:
    """Return whether instances of the class at a path may have parts that no row names."""
    known = m.packs.cls(path)
    return NO if known is not None and known.row.kind == "module" and not known.row.open else UNSURE


FUNCTION_CONTEXT = ImportPath("torch.autograd.function.FunctionCtx")


def class_of(m: Interpreter, value: Value) -> Value:
    """The class of a thing, as a value that can be called."""
    return one_of([_class_of_one(m, option) for option in alternatives(value)])


def _class_of_one(m: Interpreter, value: Value) -> Value:
    thing = m.state.heap.get(value) if type(value) is Ref else value
    known = TYPE_OF.get(type(thing))
    return UNKNOWN if known is None else known(thing)


@implements(TypeSlot.TYPE_OF, Container)
def _class_of_container(thing: Container) -> Value:
    if type(thing.cls) is Ref:
        return thing.cls
    return ImportPath(f"{'collections' if thing.kind in IN_COLLECTIONS else 'builtins'}.{thing.kind}")


IN_COLLECTIONS = frozenset({"OrderedDict", "deque", "Counter"})


@implements(TypeSlot.TYPE_OF, Constant)
def _class_of_constant(thing: Constant) -> Value:
    kind = number_kind(thing)
    return ImportPath(f"builtins.{type(thing.value).__name__}") if kind is not None else PlainObject("type")


@implements(TypeSlot.TYPE_OF, Class, PlainObject, PythonNumber)
def _some_class(thing: Class | PlainObject | PythonNumber) -> Value:
    return PlainObject("type")
