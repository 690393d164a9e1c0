"""Python's own functions and those of the standard library, as far as tensors go through them."""

from __future__ import annotations

from functools import partial, reduce
from operator import or_

from gradlint.domain.facts import BOOL, INTEGER, NO, UNSURE, YES
from gradlint.domain.joining import joined, summarised
from gradlint.domain.objects import MAPPINGS, Array, Container, Instance, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.state import OLDEST
from gradlint.domain.value_sets import alternatives, number_kind, one_of
from gradlint.domain.values import (
    NONE_VALUE,
    NOTHING,
    UNKNOWN,
    Constant,
    Context,
    ImportPath,
    PlainObject,
    PythonNumber,
    Unknown,
    Value,
)
from gradlint.frozen import replace
from gradlint.interpreter.autograd.backward_arguments import run_backward
from gradlint.interpreter.autograd.detach import cut_off, cuts
from gradlint.interpreter.autograd.operations import plain_result
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.cannot_raise import REVEAL
from gradlint.interpreter.engine.dispatch import MODELS, TypeSlot, implements, models
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.iteration import SEQUENCES, begin, consume, element_list, elements, run_through
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python import containers, ndarray
from gradlint.interpreter.python.attribute_load import LEAVING_THE_GRAPH, OF_SHAPES
from gradlint.interpreter.python.containers import copied
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.interpreter.static.string_values import filled_text
from gradlint.interpreter.stdlib.strings import given_by_method
from gradlint.interpreter.syntax.narrowing import truthiness
from gradlint.interpreter.syntax.operators import compute
from gradlint.interpreter.syntax.try_with import enter
from gradlint.interpreter.torch_api.contexts import EXIT_STACK
from gradlint.interpreter.unknown.annotations import value_of
from gradlint.interpreter.unknown.parameters import grown
from gradlint.knowledge.python.numpy_arrays import ARRAYS, SHARING


def _collected(kind: str, m: Interpreter, node: Site, args: Arguments) -> Value:
    if not args.positional:
        return m.new(node, "container", Container(containers.BOUNDED if "maxlen" in args.keywords else kind))
    if args.given("maxlen", 1):
        element = elements(m, node, args.positional[0])
        return m.new(node, "container", Container(containers.BOUNDED, rest=element))
    start = m.push(*args.positional)
    listing = run_through(m, node, args.positional[0], kind) if kind in SEQUENCES else None
    if listing is not None:
        m.pop_from(start)
        return containers.container(m, node, kind, listing)
    found = m.push(elements(m, node, args.positional[0]))
    there = containers.certain(m, m.state.stack[start])
    consume(m, node, m.state.stack[start], kind)
    element = m.pop_from(start)[found - start]
    return m.new(node, "container", Container(kind, rest=element, certain=there))


for _kind, _paths in {
    "list": ("builtins.list",), "tuple": ("builtins.tuple",), "set": ("builtins.set", "builtins.frozenset"),
    "deque": ("collections.deque",),
}.items():  # fmt: skip
    models(*_paths)(partial(_collected, _kind))


models("builtins.dict", "types.MappingProxyType")(lambda m, node, args: _mapping(m, node, Container("dict"), args))
models("collections.OrderedDict")(lambda m, node, args: _mapping(m, node, Container("OrderedDict"), args))


@models("collections.defaultdict")
def _default_dict(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A key that is not there holds what the factory makes; one such object stands for those of all keys."""
    factory = args.positional[0] if args.positional else NONE_VALUE
    if factory == NONE_VALUE:
        return _mapping(m, node, Container("defaultdict"), Arguments(args.positional[1:], args.keywords))
    start, known = m.push(*args.values()), frozenset(m.state.heap)
    made = _oldest(m, call_value(m, m.part_of(node, "default"), factory, Arguments(), ""), known)
    held = m.pop_from(start)
    given = Arguments(held[1 : len(args.positional)], args.keywords)
    return _mapping(m, node, Container("defaultdict", rest=made, keys=UNKNOWN), given)


def _asking(which: bool, m: Interpreter, node: Site, args: Arguments) -> Value:
    """`any` (which of them is True) or `all` (False)."""
    start = m.push(args.get("iterable", 0, UNKNOWN))
    listing = run_through(m, node, m.state.stack[start])
    (value,) = m.pop_from(start)
    if listing is None:
        begin(m, value)
        return PythonNumber(BOOL)
    answers = [truthiness(m, one) for one in listing]
    wanted, others = (YES, NO) if which else (NO, YES)
    if wanted in answers:
        return Constant(which)
    return Constant(not which) if all(answer is others for answer in answers) else PythonNumber(BOOL)


models("builtins.any")(partial(_asking, True))
models("builtins.all")(partial(_asking, False))


def _oldest(m: Interpreter, value: Value, known: frozenset[Ref]) -> Value:
    """A new object, as the summary of all that will be made like it."""
    if type(value) is not Ref or value in known:
        return value
    summary = value._replace(recency=OLDEST)
    thing, older = m.state.heap.pop(value), m.state.heap.get(summary)
    m.state.heap[summary] = thing if older is None else joined(thing, older)
    return summary


@models("collections.Counter")
def _counter(m: Interpreter, node: Site, args: Arguments) -> Value:
    keys = elements(m, node, args.positional[0]) if args.positional else NOTHING
    return m.new(node, "container", Container("Counter", rest=PythonNumber(INTEGER), keys=keys))


@models("collections.ChainMap")
def _chain_map(m: Interpreter, node: Site, args: Arguments) -> Value:
    made = Container("dict")
    for value in reversed(args.positional):
        thing = m.only(value, Container)
        made = replace(made, rest=UNKNOWN, keys=UNKNOWN) if thing is None else containers.with_all(made, thing)
    return m.new(node, "container", made)


@models("builtins.dict.fromkeys", "collections.OrderedDict.fromkeys")
def _from_keys(m: Interpreter, node: Site, args: Arguments) -> Value:
    value, listing = args.get("value", 1, NONE_VALUE), element_list(m, args.get("iterable", 0, UNKNOWN))
    made = Container("dict")
    if listing is None:
        keys = elements(m, node, args.get("iterable", 0, UNKNOWN))
        return m.new(node, "container", replace(made, rest=value, keys=keys))
    for key in listing:
        made = containers.stored(made, key, value)
    return m.new(node, "container", made)


def _mapping(m: Interpreter, node: Site, made: Container, args: Arguments) -> Value:
    """The mapping with what a mapping or pairs give it, and the keywords."""
    if args.positional:
        made = _filled(m, node, made, args.positional[0])
    for key, value in args.keywords.items():
        made = containers.stored(made, UNKNOWN if key == "**" else Constant(key), value)
    if args.unknown:
        made = containers.stored(made, UNKNOWN, UNKNOWN)
    return m.new(node, "container", made)


def _filled(m: Interpreter, node: Site, made: Container, source: Value) -> Container:
    thing = m.only(source, Container)
    if thing is not None and thing.kind in MAPPINGS:
        whole = containers.with_all(made, thing)
        return copied(m, node, replace(whole, origin=thing.origin, causes=thing.causes))
    pairs = run_through(m, node, source, made.kind)
    if pairs is None:
        pairs = [elements(m, node, source)]
        consume(m, node, source, made.kind)
        made = containers.stored(made, UNKNOWN, NOTHING)
    for pair in pairs:
        inner = m.only(pair, Container)
        key, value = [v for _, v in inner.items] if inner is not None and len(inner.items) == 2 else (UNKNOWN, UNKNOWN)
        made = containers.stored(made, key, value)
    return made


models("builtins.abs")(lambda m, node, args: compute(m, node, "abs", [args.get("x", 0, UNKNOWN)]))


@models("builtins.round")
def _round(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A whole number, or with digits one of the same kind. Tensors refuse to be rounded so."""
    value = args.get("number", 0, UNKNOWN)
    kinds = [number_kind(option) for option in alternatives(value) if not m.all(option, Tensor)]
    if not kinds or None in kinds:
        return result_of_unknown(args.values())
    return PythonNumber(INTEGER if len(args.values()) < 2 else reduce(or_, filter(None, kinds)), cuts(m, [value]))


models("builtins.pow")(lambda m, node, args: compute(m, node, "pow", args.positional[:2]))


@models("random.shuffle")
def _shuffle(m: Interpreter, node: Site, args: Arguments) -> Value:
    for ref, thing in m.all(args.get("x", 0, UNKNOWN), Container):
        m.store(ref, summarised(thing))
    return NONE_VALUE


@models("random.sample", "random.choices")
def _drawn(m: Interpreter, node: Site, args: Arguments) -> Value:
    rest = elements(m, node, args.get("population", 0, UNKNOWN))
    return m.new(node, "drawn", Container("list", rest=rest))


# in place of its row: what it gives where it is entered, at once
MODELS["contextlib.nullcontext"] = lambda m, node, args: args.get("enter_result", 0, NONE_VALUE)


@models("typing.cast")
def _cast(m: Interpreter, node: Site, args: Arguments) -> Value:
    """`cast(type, value)` is the value; where nothing is known of it, one of that type."""
    if len(args.positional) < 2 or type(args.positional[1]) is not Unknown:
        return args.positional[1] if len(args.positional) > 1 else UNKNOWN
    written = getattr(syntax(node), "args", ())
    told = value_of(m, node, written[0].value) if written else None
    return args.positional[1] if told is None else grown(m, told, args.positional[1].reach)


models("contextlib.suppress")(lambda m, node, args: PlainObject("suppress"))
models("pytest.raises", "pytest.warns")(lambda m, node, args: PlainObject("raises"))
models("contextlib.ExitStack", "contextlib.AsyncExitStack")(lambda m, node, args: EXIT_STACK)


@models(REVEAL)
def _reveal(m: Interpreter, node: Site, args: Arguments) -> Value:
    """`reveal(x)` shows what is known of `x`; it exists only for gradlint."""
    return NONE_VALUE


models(*sorted(ARRAYS - SHARING))(
    lambda m, node, args: ndarray.fresh_array(m, node, causes=cut_off(m, node, "numpy", args.values()))
)


@models(*sorted(SHARING))
def _sharing_array(m: Interpreter, node: Site, args: Arguments) -> Value:
    """An array that may share the memory of what it was made from."""
    reached = m.state.reach(args.values())
    memories = dict.fromkeys(memory for ref in reached for memory in getattr(m[ref], "storage", ()))
    cut = cut_off(m, node, "numpy", args.values())
    return m.new(node, "array", Array(storage=(m.memory(node, "array memory"), *memories), causes=cut))


models("inspect.signature")(
    lambda m, node, args: m.new(node, "signature", Instance(cls=ImportPath("inspect.Signature")))
)


def _word_for(value: Value) -> str:
    """The word by which the tables call what has no tensor in it."""
    if type(value) is PlainObject:
        return value.kind
    return type(value.value).__name__ if type(value) is Constant else "float"


@implements(TypeSlot.CALL_METHOD, object)
def _plain_method(m: Interpreter, node: Site, owner: Value, name: str, args: Arguments, chain: str) -> Value | None:
    """A method of a Python object, an array, or something unknown; None for unknown code."""
    options = alternatives(owner)
    if owner == EXIT_STACK and name == "enter_context":
        given = args.get("cm", 0, UNKNOWN)
        switches = any(type(option) is Context for option in alternatives(given))
        m.blocks.crossed += switches and bool(m.frame.switches)
        return enter(m, node, given)
    m.blocks.switched += owner == EXIT_STACK and name == "pop_all"
    if all(type(option) in (Constant, PythonNumber, PlainObject) for option in options):
        if name == "format" and all(_word_for(option) == "str" for option in options):
            return filled_text(owner, name)
        if len(options) == 1 and (told := given_by_method(m, node, owner, name, args)) is not None:
            return told
        rows = [m.torch.object_methods.get(f"{_word_for(option)}.{name}") for option in options]
        return one_of([UNKNOWN if row is None else plain_result(m, node, row.returns) for row in rows])
    if all(type(option) is Ref and type(m.state.heap.get(option)) is Array for option in options):
        return ndarray.call(m, node, owner, name, args)
    if type(owner) is Unknown and name == "backward":
        run_backward(m, node, owner, args)
        return None  # nothing says that it is a tensor
    if type(owner) is Unknown and name in LEAVING_THE_GRAPH:
        return owner
    if type(owner) is Unknown and name in OF_SHAPES:
        return UNKNOWN
    if all(type(option) is Context for option in options):
        return _by_hand(m, node, owner, name)
    return None


def _by_hand(m: Interpreter, node: Site, manager: Value, name: str) -> Value:
    """A grad mode that no block takes back: it is entered, or left for whatever there was before."""
    if name not in ("__enter__", "__exit__"):
        return UNKNOWN
    m.blocks.switched += 1
    if name == "__enter__":
        return enter(m, node, manager)
    m.state.modes = (UNSURE, UNSURE, None, None)
    return NONE_VALUE
