"""Python's own functions and those of the standard library, as far as tensors go through them."""

from __future__ import annotations

from typing import Any

from gradlint.domain import (
    BOOL,
    INTEGER,
    MAPPINGS,
    MOST_ITEMS,
    NO,
    NONE_VALUE,
    NOTHING,
    UNKNOWN,
    UNSURE,
    YES,
    Array,
    Const,
    Container,
    Context,
    Function,
    Instance,
    Module,
    Named,
    Plain,
    Ref,
    Scalar,
    Tensor,
    Truth,
    Unknown,
    Value,
    alternatives,
    one_of,
)
from gradlint.domain.changing import replace
from gradlint.interpreter import containers
from gradlint.interpreter.arguments import Arguments
from gradlint.interpreter.attributes import LEAVING_THE_GRAPH
from gradlint.interpreter.classes import super_of
from gradlint.interpreter.core import Interpreter
from gradlint.interpreter.library import Known, special
from gradlint.interpreter.names import get_by_name, set_by_name
from gradlint.interpreter.operations import operation_row, run_operation
from gradlint.interpreter.reach import havoc, result_of_unknown
from gradlint.interpreter.requests import run_backward
from gradlint.interpreter.text import filled_text
from gradlint.knowledge.arrays import ARRAYS, SHARING


def _collected(kind: str) -> Known:
    def collect(it: Interpreter, node: Any, args: Arguments) -> Value:
        if not args.positional:
            items = tuple(args.keywords.items()) if kind in MAPPINGS else ()
            return it.new(node, "container", Container(kind, items=items))
        source = args.positional[-1 if kind == "defaultdict" else 0]
        thing = it.only(source, Container)
        if kind in MAPPINGS:
            return _mapping(it, node, kind, source, thing, args)
        start = it.hold(source)
        rest = containers.elements(it, node, source)
        containers.consume(it, node, it.state.flight[start], kind)
        it.land(start)
        if thing is not None and thing.rest == NOTHING and thing.kind not in MAPPINGS and kind in containers.SEQUENCES:
            return it.new(node, "container", replace(thing, kind=kind, origin=()))
        return it.new(node, "container", Container(kind, rest=rest))

    return collect


def _mapping(it: Interpreter, node: Any, kind: str, source: Value, thing: Container | None, args: Arguments) -> Value:
    if thing is not None and thing.kind in MAPPINGS:
        made = replace(thing, kind=kind)
    elif thing is not None:
        made = Container(kind)
        for _, pair in thing.items:
            inner = it.only(pair, Container)
            if inner is not None and len(inner.items) == 2:
                made = containers.stored(made, containers.key_of(inner.items[0][1]), inner.items[1][1])
            else:
                made = replace(made, rest=UNKNOWN)
        made = replace(made, rest=one_of((made.rest, thing.rest))) if thing.rest != NOTHING else made
    elif kind == "defaultdict":
        made = Container(kind, rest=UNKNOWN)
    else:
        pairs = containers.elements(it, node, source)
        containers.consume(it, node, source, kind)
        inner = it.only(pairs, Container)
        made = Container(kind, rest=dict(inner.items).get(1, UNKNOWN) if inner else UNKNOWN)
    for key, value in args.keywords.items():
        made = containers.stored(made, key, value)
    return it.new(node, "container", made)


for _kind, _paths in {
    "list": ("builtins.list",), "tuple": ("builtins.tuple",), "set": ("builtins.set", "builtins.frozenset"),
    "deque": ("collections.deque",), "dict": ("builtins.dict",), "OrderedDict": ("collections.OrderedDict",),
    "defaultdict": ("collections.defaultdict",),
}.items():  # fmt: skip
    special(*_paths)(_collected(_kind))


@special("builtins.sorted")
def _sorted(it: Interpreter, node: Any, args: Arguments) -> Value:
    """A list of the elements in another order."""
    source = args.get("iterable", 0, UNKNOWN)
    rest = containers.elements(it, node, source)
    containers.consume(it, node, source, "sorted")
    return it.new(node, "sorted", Container("list", rest=rest))


@special("builtins.reversed", "builtins.iter", "tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm",
         "tqdm", "itertools.islice", "itertools.cycle", "rich.progress.track")  # fmt: skip
def _over(it: Interpreter, node: Any, args: Arguments) -> Value:
    """Iterates over what its first argument iterates over."""
    if not args.positional:
        return UNKNOWN
    source = args.positional[0]
    element = containers.elements(it, node, source)
    empty = NO if containers.certainly_not_empty(it, source) else UNSURE
    return containers.iterator(it, node, element, "iter", empty=empty, source=source)


@special("builtins.next")
def _next(it: Interpreter, node: Any, args: Arguments) -> Value:
    source = args.get("iterator", 0, UNKNOWN)
    found = containers.elements(it, node, source)
    containers.begin(it, source)
    return one_of([found, *args.positional[1:]])


def _tuples(it: Interpreter, node: Any, values: list[Value], by: str, *, empty: Truth, source: Value) -> Value:
    pair = it.new(node, "pair", Container("tuple", items=tuple(enumerate(values))))
    return containers.iterator(it, node, pair, by, empty=empty, source=source)


@special("builtins.enumerate")
def _enumerate(it: Interpreter, node: Any, args: Arguments) -> Value:
    source = args.get("iterable", 0, UNKNOWN)
    element = containers.elements(it, node, source)
    empty = NO if containers.certainly_not_empty(it, source) else UNSURE
    return _tuples(it, node, [Scalar(INTEGER), element], "enumerate", empty=empty, source=source)


@special("builtins.zip")
def _zip(it: Interpreter, node: Any, args: Arguments) -> Value:
    start = it.hold()
    for value in args.positional:
        it.hold(containers.elements(it, node, value))
    empty = NO if all(containers.certainly_not_empty(it, value) for value in args.positional) else UNSURE
    source = one_of(args.positional, MOST_ITEMS) if args.positional else UNKNOWN
    return _tuples(it, node, it.land(start), "zip", empty=empty, source=source)


@special("builtins.map")
def _map(it: Interpreter, node: Any, args: Arguments) -> Value:
    from gradlint.interpreter.calls import call_value

    if len(args.positional) < 2:
        return UNKNOWN
    start = it.hold(args.positional[0])
    for value in args.positional[1:]:
        it.hold(containers.elements(it, node, value))
    function, *elements = it.land(start)
    start = it.hold(*args.positional[1:])
    found = call_value(it, node, function, Arguments(elements), "")
    return containers.iterator(it, node, found, "map", source=one_of(it.land(start), MOST_ITEMS))


@special("builtins.filter")
def _filter(it: Interpreter, node: Any, args: Arguments) -> Value:
    """The elements for which the function may hold, which is asked of each."""
    from gradlint.interpreter.calls import call_value
    from gradlint.interpreter.narrowing import truthiness

    function, source = args.get("function", 0, UNKNOWN), args.get("iterable", 1, UNKNOWN)
    options = alternatives(containers.elements(it, node, source))
    start = it.hold(function, source, *options)
    kept = []
    for index, option in enumerate(options):
        if option == NOTHING:
            continue
        place = it.place_of(node, f"element {index}")
        function, element = it.state.flight[start], it.state.flight[start + 2 + index]
        verdict = element if function == NONE_VALUE else call_value(it, place, function, Arguments([element]), "")
        if truthiness(it, verdict) is not NO:
            kept.append(start + 2 + index)
    found = one_of([it.state.flight[index] for index in kept] or [NOTHING], MOST_ITEMS)
    source = it.land(start)[1]
    return containers.iterator(it, node, found, "filter", source=source)


@special("itertools.chain")
def _chain(it: Interpreter, node: Any, args: Arguments) -> Value:
    """One iterable after the other."""
    return _chained(it, node, args.positional)


@special("itertools.chain.from_iterable")
def _chain_from(it: Interpreter, node: Any, args: Arguments) -> Value:
    inner = it.only(args.get("iterable", 0, UNKNOWN), Container)
    if inner is None or inner.rest != NOTHING:
        return _chained(it, node, [containers.elements(it, node, args.get("iterable", 0, UNKNOWN))])
    return _chained(it, node, [value for _, value in inner.items])


def _chained(it: Interpreter, node: Any, values: list[Value]) -> Value:
    start = it.hold()
    for value in values:
        it.hold(containers.elements(it, node, value))
    empty = NO if any(containers.certainly_not_empty(it, value) for value in values) else UNSURE
    element = one_of([found for found in it.land(start) if found != NOTHING] or [NOTHING], MOST_ITEMS)
    return containers.iterator(it, node, element, "chain", empty=empty, source=one_of(values or [NOTHING], MOST_ITEMS))


@special("builtins.any", "builtins.all")
def _some(it: Interpreter, node: Any, args: Arguments) -> Value:
    containers.begin(it, args.get("iterable", 0, UNKNOWN))
    return Scalar(BOOL)


@special("builtins.hasattr")
def _hasattr(it: Interpreter, node: Any, args: Arguments) -> Value:
    """Whether an object has an attribute, where all that it may have is known."""
    from gradlint.interpreter.names import has_attribute

    name = args.get("name", 1, UNKNOWN)
    if type(name) is not Const or not isinstance(name.value, str) or not args.positional:
        return Scalar(BOOL)
    found = [has_attribute(it, option, name.value) for option in alternatives(args.positional[0])]
    return Const(found[0] is YES) if len(set(found)) == 1 and found[0] in (YES, NO) else Scalar(BOOL)


@special("builtins.range")
def _range(it: Interpreter, node: Any, args: Arguments) -> Value:
    stop = args.positional[1] if len(args.positional) > 1 else args.positional[0] if args.positional else UNKNOWN
    begin = args.positional[0] if len(args.positional) > 1 else Const(0)
    known = (
        type(stop) is Const and isinstance(stop.value, int) and type(begin) is Const and isinstance(begin.value, int)
    )
    empty = NO if known and begin.value < stop.value and len(args.positional) < 3 else UNSURE  # type: ignore[union-attr,operator]
    return it.new(node, "range", Container("list", rest=Scalar(INTEGER))) if empty is not NO else containers.iterator(
        it, node, Scalar(INTEGER), "range", empty=NO)  # fmt: skip


@special("builtins.sum")
def _sum(it: Interpreter, node: Any, args: Arguments) -> Value:
    """Adds elements one to another, beginning with 0."""
    from gradlint.interpreter.operators import compute

    element = containers.elements(it, node, args.get("iterable", 0, UNKNOWN))
    containers.consume(it, node, args.get("iterable", 0, UNKNOWN), "sum")
    return compute(it, node, "add", [args.get("start", 1, Const(0)), element])


@special("builtins.abs")
def _abs(it: Interpreter, node: Any, args: Arguments) -> Value:
    value = args.get("x", 0, UNKNOWN)
    row = operation_row(it, "operator.abs", args)
    return run_operation(it, node, row, args, by="operator") if row and it.may_be(value, Tensor) else value


@special("builtins.isinstance")
def _isinstance(it: Interpreter, node: Any, args: Arguments) -> Value:
    from gradlint.interpreter.narrowing import is_instance

    if len(args.positional) < 2:
        return Scalar(BOOL)
    found = is_instance(it, args.positional[0], args.positional[1])
    return Const(found is YES) if found in (YES, NO) else Scalar(BOOL)


@special("builtins.getattr")
def _getattr(it: Interpreter, node: Any, args: Arguments) -> Value:
    if len(args.positional) < 2:
        return result_of_unknown(args.positional[:1])
    owner, name, *default = args.positional
    return one_of([get_by_name(it, node, owner, name), *default], MOST_ITEMS)


@special("builtins.setattr")
def _setattr(it: Interpreter, node: Any, args: Arguments) -> Value:
    if len(args.positional) == 3:
        set_by_name(it, node, *args.positional)
    return NONE_VALUE


@special("builtins.super")
def _super(it: Interpreter, node: Any, args: Arguments) -> Value:
    return super_of(it, args)


@special("builtins.type")
def _type(it: Interpreter, node: Any, args: Arguments) -> Value:
    thing = it.thing(args.positional[0]) if args.positional else UNKNOWN
    return thing.cls if isinstance(thing, (Module, Instance)) else UNKNOWN


@special("functools.partial")
def _partial(it: Interpreter, node: Any, args: Arguments) -> Value:
    """A callable with some arguments given: they become defaults where that can be said."""
    callee = args.positional[0] if args.positional else UNKNOWN
    if type(callee) is Function and len(args.positional) == 1:
        return replace(
            callee, defaults=(*(d for d in callee.defaults if d[0] not in args.keywords), *args.keywords.items())
        )
    if type(callee) is Named and len(args.positional) == 1:
        return callee
    havoc(it, args.values())
    return result_of_unknown(args.values())


@special("typing.cast")
def _cast(it: Interpreter, node: Any, args: Arguments) -> Value:
    """`cast(type, value)` is the value; where nothing is known of it, one of that type."""
    from gradlint.interpreter.declared import value_of
    from gradlint.interpreter.strangers import grown

    if len(args.positional) < 2 or type(args.positional[1]) is not Unknown:
        return args.positional[1] if len(args.positional) > 1 else UNKNOWN
    told = value_of(it, node, node.args[0].value)
    return args.positional[1] if told is None else grown(it, told, args.positional[1].reach)


@special("contextlib.suppress", "pytest.raises", "pytest.warns")
def _suppress(it: Interpreter, node: Any, args: Arguments) -> Value:
    return Plain("suppress")


@special("builtins.reveal")
def _reveal(it: Interpreter, node: Any, args: Arguments) -> Value:
    """`reveal(x)` tells what is known of `x`; it exists only for gradlint."""
    return NONE_VALUE


@special(*sorted(ARRAYS - SHARING))
def _array(it: Interpreter, node: Any, args: Arguments) -> Value:
    return it.new(node, "array", Array(storage=(it.memory(node, "array memory"),)))


@special(*sorted(SHARING))
def _sharing_array(it: Interpreter, node: Any, args: Arguments) -> Value:
    """An array that may share the memory of what it was made from."""
    reached = it.state.reach(args.values())
    memories = dict.fromkeys(memory for ref in reached for memory in getattr(it[ref], "storage", ()))
    return it.new(node, "array", Array(storage=(it.memory(node, "array memory"), *memories)))


@special("inspect.signature")
def _signature(it: Interpreter, node: Any, args: Arguments) -> Value:
    return it.new(node, "signature", Instance(cls=Named("inspect.Signature")))


TEXT_METHODS = frozenset(
    [
        "join",
        "strip",
        "lstrip",
        "rstrip",
        "lower",
        "upper",
        "replace",
        "title",
        "encode",
        "decode",
        "zfill",
        "ljust",
        "rjust",
    ]
)


def plain_method(it: Interpreter, node: Any, owner: Value, name: str, args: Arguments) -> Value | None:
    """A method of a Python object, an array, or something unknown; None for unknown code."""
    options = alternatives(owner)
    if all(type(option) in (Const, Scalar, Plain) for option in options):
        if name == "format":
            return filled_text(owner, name)
        return Plain("str") if name in TEXT_METHODS else UNKNOWN
    if all(type(option) is Ref and type(it.state.heap.get(option)) is Array for option in options):
        return it.new(node, "array", it[options[0]]) if name not in ("item", "tolist") else Scalar(it[options[0]].dtype)  # type: ignore[index]
    if type(owner) is Unknown and name == "backward":
        run_backward(it, node, owner, args)
        return None  # nothing says that it is a tensor
    if type(owner) is Unknown and name in LEAVING_THE_GRAPH:
        return owner
    if all(type(option) is Context for option in options):
        return UNKNOWN
    return None
