"""Things of libraries that look like torch and are none of it: what is taken out of one is another such thing."""

from __future__ import annotations

from gradlint.domain.objects import Instance
from gradlint.domain.refs import Ref
from gradlint.domain.values import Constant, ImportPath, PlainObject, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.escape import havoc, result_of_unknown
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.unseen import escape_by
from gradlint.interpreter.static.sites import Site


def foreign(m: Interpreter, node: Site, path: str, args: Arguments) -> Value:
    """Return the result of a library that is none of torch's: a new thing, or perhaps one of its arguments."""
    values = args.values()
    if m.torchless:
        return m.new(node, "foreign", Instance(cls=ImportPath(path)))
    havoc(m, values, escape_by(node, ImportPath(path)))
    is_class = path.rpartition(".")[2][:1].isupper()
    if not is_class and any(type(value) not in (Constant, PlainObject, ImportPath) for value in values):
        return result_of_unknown(values)
    held: dict[object, Value] = {f"argument {index}": value for index, value in enumerate(values)}
    return m.new(node, "foreign", Instance(cls=ImportPath(path), attributes=tuple(held.items())))


def foreign_part(m: Interpreter, node: Site, owner: Ref, name: str) -> Value | None:
    """An attribute of a thing that is none of torch's is another such thing; None for all others."""
    cls = getattr(m.state.heap.get(owner), "cls", None)
    if type(cls) is not ImportPath or not m.packs.is_foreign(cls.path):
        return None
    held = () if m.torchless else (("of", owner),)
    return m.new(node, f"part {name}", Instance(cls=ImportPath(f"{cls.path}.{name}"), attributes=held))


def foreign_made(m: Interpreter, node: Site, owner: Value) -> Value | None:
    """Return the result of a call, index or operator of a look-alike's thing where there is no torch: another such."""
    cls = getattr(m.thing(owner), "cls", None) if m.torchless else None
    if type(cls) is not ImportPath or not m.packs.is_foreign(cls.path):
        return None
    return m.new(node, "foreign made", Instance(cls=cls))
