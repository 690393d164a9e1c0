"""Objects that hold what they are given by name: `SimpleNamespace`, and what `argparse` reads from a command line."""

from __future__ import annotations

from gradlint.domain.facts import BOOL, NO, UNSURE
from gradlint.domain.objects import Container, Instance
from gradlint.domain.value_sets import alternatives, number_kind, one_of
from gradlint.domain.values import NONE_VALUE, NOTHING, UNKNOWN, Constant, ImportPath, PlainObject, PythonNumber, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.dispatch import models
from gradlint.interpreter.engine.iteration import tuple_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site


def _namespace(path: str) -> None:
    @models(path)
    def make(m: Interpreter, node: Site, args: Arguments) -> Value:
        known = tuple((name, value) for name, value in args.keywords.items() if name != "**")
        return m.new(
            node, "namespace", Instance(cls=ImportPath(path), attributes=known, open=UNSURE if args.unknown else NO)
        )


for _path in ("types.SimpleNamespace", "argparse.Namespace"):
    _namespace(_path)


# ---- argparse

PARSER, NAMESPACE = ImportPath("argparse.ArgumentParser"), ImportPath("argparse.Namespace")


@models(PARSER.path)
def _parser(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A parser; its attributes are what the namespaces it makes will hold."""
    return m.new(node, "parser", Instance(cls=PARSER, open=NO))


models(*(f"{PARSER.path}.{name}" for name in ("add_argument_group", "add_mutually_exclusive_group")))(
    lambda m, node, args: args.positional[0]
)


@models(f"{PARSER.path}.add_argument")
def _add_argument(m: Interpreter, node: Site, args: Arguments) -> Value:
    """An option is one more attribute."""
    parser, *flags = args.positional
    name = _destination(flags, args.keywords.get("dest"))
    for ref, thing in m.all(parser, Instance):
        if name is None or args.unknown:
            m.store(ref, replace(thing, open=UNSURE))
        else:
            options = dict(thing.attributes) | {name: _option(m, node, args.keywords)}
            m.store(ref, replace(thing, attributes=tuple(options.items())))
    return PlainObject("option")


def _destination(flags: list[Value], given: Value | None) -> str | None:
    """The attribute under which an option is found."""
    if given is not None:
        return given.value if type(given) is Constant and isinstance(given.value, str) else None
    names = [flag.value for flag in flags if type(flag) is Constant and isinstance(flag.value, str)]
    if not names or len(names) < len(flags):
        return None
    long = [name for name in names if name.startswith("--")] or names
    return long[0].lstrip("-").replace("-", "_")


def _option(m: Interpreter, node: Site, about: dict[str, Value]) -> Value:
    """Return the value of an option: its default, or what the command line gives for it."""
    action = about.get("action", Constant("store"))
    if action in (Constant("store_true"), Constant("store_false")):
        return PythonNumber(BOOL)
    if action == Constant("count"):
        return one_of(
            [about.get("default", NONE_VALUE), call_value(m, node, ImportPath("builtins.int"), Arguments(), "")]
        )
    if action not in (Constant("store"), Constant("append")):
        return UNKNOWN
    kind = about.get("type", ImportPath("builtins.str"))
    read = call_value(m, m.part_of(node, "read"), kind, Arguments([PlainObject("str")]), "")
    many = "nargs" in about and about["nargs"] != Constant("?")
    if many or action == Constant("append"):
        read = m.new(node, "values", Container("list", rest=read))
    return _widely([about.get("default", NONE_VALUE), read])


def _widely(values: list[Value]) -> Value:
    """One of these; a constant among others like it is no longer one."""
    options = [option for value in values for option in alternatives(value)]
    kinds = [kind for option in options if (kind := number_kind(option)) is not None]
    strings = any(option == PlainObject("str") for option in options)
    kept = [o for o in options if number_kind(o) is None and not (strings and _is_text(o))]
    numbers: Value = NOTHING
    for kind in kinds:
        numbers = PythonNumber(kind if type(numbers) is not PythonNumber else numbers.dtype | kind)
    return one_of([*kept, numbers])


def _is_text(value: Value) -> bool:
    return type(value) is Constant and isinstance(value.value, str)


@models(f"{PARSER.path}.set_defaults")
def _set_defaults(m: Interpreter, node: Site, args: Arguments) -> Value:
    for ref, thing in m.all(args.positional[0], Instance):
        known = dict(thing.attributes)
        more = {name: one_of([known.get(name, NOTHING), value]) for name, value in args.keywords.items()}
        opened = UNSURE if args.unknown else thing.open
        m.store(ref, replace(thing, attributes=tuple((known | more).items()), open=opened))
    return NONE_VALUE


@models(f"{PARSER.path}.parse_args", f"{PARSER.path}.parse_intermixed_args")
def _parse_args(m: Interpreter, node: Site, args: Arguments) -> Value:
    parser = m.only(args.positional[0], Instance)
    given = args.get("namespace", 2, NONE_VALUE)
    if parser is None or given != NONE_VALUE:
        return m.new(node, "namespace", Instance(cls=NAMESPACE, open=UNSURE))
    return m.new(node, "namespace", Instance(cls=NAMESPACE, attributes=parser.attributes, open=parser.open))


@models(f"{PARSER.path}.parse_known_args")
def _parse_known_args(m: Interpreter, node: Site, args: Arguments) -> Value:
    rest = m.new(node, "rest", Container("list", rest=PlainObject("str")))
    found = _parse_args(m, node, args)
    return tuple_of(m, node, [found, rest])
