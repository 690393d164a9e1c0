"""Enumerations of the program: their members, each of which is there once."""

from __future__ import annotations

from collections.abc import Callable

from gradlint.domain.facts import NO
from gradlint.domain.items import item_of
from gradlint.domain.objects import Class, Instance
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import UNKNOWN, Constant, Function, ImportPath, PlainObject, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.classes import COMPLETED, MAKERS
from gradlint.interpreter.python.mro import ancestry, find_member
from gradlint.interpreter.static.sites import Site


def _enumerate_members(m: Interpreter, node: Site, ref: Ref, thing: Class) -> None:
    """The plain members of an enumeration become instances with a name and a value; a second name of a value is an
    alias."""
    members: list[tuple[object, Value]] = []
    known: dict[object, Ref] = {}
    before: list[object] = []
    says_itself = any(find_member(m, ref, name) is not None for name in ("__new__", "_generate_next_value_"))
    following = None if says_itself else _following_value(m, ref)
    for name, value in thing.members:
        if type(value) is not Function and not str(name).startswith("_") and not m.may_be(value, Class):
            if value == AUTO:
                value = UNKNOWN if following is None else following(str(name), before)
            value = UNKNOWN if says_itself else value
            key = value.value if type(value) is Constant and type(value.value) is not slice else object()
            value = known.get(key) or _new_member(m, node, ref, str(name), value)
            known[key] = value
            before.append(key)
        members.append((name, value))
    m.store(ref, replace(thing, members=tuple(members)))


def _new_member(m: Interpreter, node: Site, cls: Ref, name: str, value: Value) -> Ref:
    about = (("name", Constant(name)), ("value", value))
    return m.new(m.part_of(node, f"member {name}"), "member", Instance(cls=cls, attributes=about, open=NO))


AUTO = PlainObject("auto")
"""The result of `enum.auto()`: its value is found when the class is made."""


def _counted(_: str, known: list[object]) -> Value:
    """The next number; versions of Python differ where the last one is not the greatest."""
    numbers = [one for one in known if type(one) is int]
    if len(numbers) < len(known) or (numbers and numbers[-1] != max(numbers)):
        return UNKNOWN
    return Constant(numbers[-1] + 1 if numbers else 1)


def _next_bit(_: str, known: list[object]) -> Value:
    """The next power of two."""
    lengths = [one.bit_length() for one in known if type(one) is int and one >= 0]
    return Constant(2 ** max(lengths, default=0)) if len(lengths) == len(known) else UNKNOWN


AUTOMATIC: dict[str, Callable[[str, list[object]], Value]] = {
    "enum.Enum": _counted,
    "enum.IntEnum": _counted,
    "enum.Flag": _next_bit,
    "enum.IntFlag": _next_bit,
    "enum.StrEnum": lambda name, _: Constant(name.lower()),
}


def _following_value(m: Interpreter, cls: Ref) -> Callable[[str, list[object]], Value] | None:
    """Return the value of `auto()` in an enumeration, by the name of the member and the values before it."""
    bases = [base for base in ancestry(m, cls) if type(base) is not Ref]
    only = bases[0] if len(bases) == 1 else None
    return AUTOMATIC.get(only.path) if type(only) is ImportPath else None


def members_of(m: Interpreter, thing: Class) -> Value:
    """All members of an enumeration."""
    found = [o for _, value in thing.members for o in alternatives(value) if m.may_be(o, Instance)]
    return one_of(found, max(len(found), 1))


def _by_value(m: Interpreter, node: Site, cls: Ref, thing: Class, args: Arguments) -> Value:
    """`Kind("sum")` finds a member by its value."""
    wanted = args.first
    for _, member in thing.members:
        known = m.only(member, Instance)
        if known is not None and type(wanted) is Constant and ("value", wanted) in known.attributes:
            return member
    return members_of(m, thing)


@implements(TypeSlot.NEXT, Class)
def _of_class_itself(m: Interpreter, node: Site, value: Value, thing: Class) -> Value:
    return members_of(m, thing) if thing.kind == "enum" else result_of_unknown([value])


def named(m: Interpreter, thing: Class, name: Value) -> Value:
    """`Kind["SUM"]` finds a member by its name."""
    wanted = name.value if type(name) is Constant else None
    return next((member for known, member in thing.members if known == wanted), members_of(m, thing))


def value_of(m: Interpreter, member: Value) -> Value:
    """Return the value of a member's name."""
    thing = m.thing(member)
    return item_of(thing.attributes, "value", UNKNOWN) if type(thing) is Instance else UNKNOWN


def member_of(m: Interpreter, value: Value) -> Ref | None:
    """The enumeration of the program whose member this is; None of everything else."""
    thing = m.state.heap.get(value) if type(value) is Ref else None
    if type(thing) is not Instance or type(thing.cls) is not Ref:
        return None
    cls = m.state.heap.get(thing.cls)
    return thing.cls if type(cls) is Class and cls.kind == "enum" else None


COMPLETED["enum"] = _enumerate_members
MAKERS["enum"] = _by_value


@implements(TypeSlot.GET_ITEM, Class)
def _get_item(m: Interpreter, node: Site, owner: Ref, index: Value) -> Value:
    return named(m, m[owner], index) if m[owner].kind == "enum" else owner
