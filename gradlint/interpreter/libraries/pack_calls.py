"""Facts from packs of knowledge about other libraries, put to use: no library is known here by name.

A method is the function at the path of its class, so calling it means the same however it is spelled; looked up on
an object it is bound to, it comes as a `Bound` whose function is that path.
"""

from __future__ import annotations

from gradlint.domain.objects import Class, Instance, Module
from gradlint.domain.refs import Ref
from gradlint.domain.values import Bound, ImportPath, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.libraries import pack_effects, pack_results
from gradlint.interpreter.libraries.pack_results import Given
from gradlint.interpreter.python.foreign import foreign
from gradlint.interpreter.python.instances import keep_attribute
from gradlint.interpreter.python.mro import called, library_base
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.packs import Attribute, Call, Effect, LibraryClass


def call(m: Interpreter, node: Site, path: str, args: Arguments) -> Value | None:
    """Call what a path of a library names; None where no pack speaks of it."""
    if not m.packs.speaks_of(path):
        return None
    found = m.packs.function(path)
    if found is not None:
        return _run(m, node, path, *found, args)
    known = m.packs.cls(path)
    if known is not None:
        _effects(m, node, known.row.does, Given(args, known.row.parameters, path))
        return pack_results.construct(m, node, called(path, known.row), known.row, args)
    return foreign(m, node, path, args) if m.packs.is_foreign(path) else None


def _run(m: Interpreter, node: Site, path: str, row: Call, cls: LibraryClass | None, args: Arguments) -> Value:
    owner = called(path.rpartition(".")[0], cls) if cls is not None else ""
    on_owner = cls is not None and (not row.of_class or any(m.may_be(first, Class) for first in args.positional[:1]))
    given = Given(args, ("self", *row.parameters) if on_owner else row.parameters, path, owner)
    _effects(m, node, row.does, given)
    return pack_results.given(m, node, row.gives, given)


def _effects(m: Interpreter, node: Site, does: tuple[Effect, ...], given: Given) -> None:
    for effect in does:
        pack_effects.EFFECTS[type(effect)](m, node, effect, given)


def speaks_of(m: Interpreter, value: Value) -> bool:
    """Return whether a pack says what calling a value does."""
    function = value.function if type(value) is Bound else value
    return type(function) is ImportPath and m.packs.function(function.path) is not None


# ---- members


@implements(TypeSlot.BIND, ImportPath)
def looked_up(m: Interpreter, node: Site, owner: Ref, member: ImportPath) -> Value | None:
    """A member of a library's class, looked up on an object or a class of the program; None where there is none."""
    path = member.path
    cls, _, name = path.rpartition(".")
    known = m.packs.cls(cls)
    row = known.members.get(name) if known is not None else None
    if row is None:
        return None
    if m.may_be(owner, Class):
        return Bound(owner, name, ImportPath(path)) if isinstance(row, Call) and row.of_class else ImportPath(path)
    if isinstance(row, Attribute):
        return _read(m, node, owner, row, path)
    return ImportPath(path) if row.of_class else Bound(owner, name, ImportPath(path))


def _read(m: Interpreter, node: Site, owner: Ref, row: Attribute, path: str) -> Value:
    """An attribute that the library sets: the same thing each time."""
    handed = Given(Arguments([owner]), ("self",), path, path.rpartition(".")[0])
    value, (owner,) = m.keeping(lambda: pack_results.given(m, node, row.gives, handed), owner)
    keep_attribute(m, owner, row.path, value)
    return value


# ---- classes


@implements(TypeSlot.INITIALISE, ImportPath)
def initialise(m: Interpreter, node: Site, owner: Value, cls: Value, args: Arguments) -> bool:
    """Give an object of a class of the program what the class of a library it derives from does."""
    found = library_base(m, cls)
    if found is None:
        return False
    path, known = found
    base = m.part_of(node, "as base")
    made, (owner,) = m.keeping(lambda: pack_results.construct(m, base, path, known.row, args), owner)
    parts = m.thing(made)
    for ref, module in m.all(owner, Module):
        if type(parts) is Module:
            attributes = dict(module.attributes) | dict(parts.attributes)
            m.store(ref, replace(module, attributes=tuple(attributes.items()), rest=parts.rest, certain=parts.certain))
    for ref, instance in m.all(owner, Instance):
        if type(parts) is Instance:
            attributes = dict(instance.attributes) | dict(parts.attributes)
            m.store(ref, replace(instance, attributes=tuple(attributes.items())))
    return True
