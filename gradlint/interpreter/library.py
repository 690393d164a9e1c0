"""Functions and classes known by their import path: torch, builtins, the standard library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gradlint import events
from gradlint.domain import (
    BOOL,
    FLOAT,
    INTEGER,
    MAPPINGS,
    NO,
    NONE_VALUE,
    NOTHING,
    TRAIN,
    UNKNOWN,
    UNSURE,
    YES,
    Array,
    Const,
    Container,
    Context,
    Function,
    Instance,
    Mark,
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
    negation,
    one_of,
)
from gradlint.interpreter import containers, methods, modules, optimizers
from gradlint.interpreter.arguments import Arguments
from gradlint.interpreter.attributes import LEAVING_THE_GRAPH
from gradlint.interpreter.classes import super_of
from gradlint.interpreter.core import Interpreter
from gradlint.interpreter.methods import flag
from gradlint.interpreter.operations import operation_row, plain_value, run_factory, run_operation
from gradlint.interpreter.reach import havoc, result_of_unknown
from gradlint.interpreter.tensors import backward, data_kind, fresh, set_requires_grad, truth_of
from gradlint.knowledge import CONTEXTS, FACTORIES, HARMLESS, MODULES, OPTIMIZERS

Known = Callable[[Interpreter, Any, Arguments], Value]
SPECIAL: dict[str, Known] = {}


def special(*paths: str) -> Callable[[Known], Known]:
    """Register what calling something at these import paths does."""

    def register(known: Known) -> Known:
        for path in paths:
            SPECIAL[path] = known
        return known

    return register


def call(it: Interpreter, node: Any, path: str, args: Arguments, name: str) -> Value | None:
    """Call what an import path names; None where it is not known."""
    known = SPECIAL.get(path)
    if known is not None:
        return known(it, node, args)
    if path.startswith(TENSOR) and args.positional and it.only(args.positional[0], Tensor) is not None:
        rest = Arguments(args.positional[1:], args.keywords, args.unknown)
        return methods.call(it, node, args.positional[0], path.removeprefix(TENSOR), rest, "")
    if path in CONTEXTS:
        return _context(it, node, path, args)
    row = operation_row(it, path, args)
    if row is not None:
        return run_operation(it, node, row, args, by="function", name=name)
    factory = FACTORIES.get(path)
    if factory is not None:
        return run_factory(it, node, factory, args)
    if path in MODULES:
        return modules.build(it, node, path, args)
    if path in OPTIMIZERS:
        return optimizers.build(it, node, path, args)
    plain = HARMLESS.get(path)
    if plain is not None:
        return _harmless(it, node, plain.returns, args)
    return None


TENSOR = "torch.Tensor."


def _harmless(it: Interpreter, node: Any, returns: str, args: Arguments) -> Value:
    values = args.values()
    if returns == "argument":
        return one_of(
            [containers.elements(it, node, value) if it.may_be(value, Container) else value for value in values]
        )
    if returns == "iterator":
        element = containers.elements(it, node, values[0]) if values else UNKNOWN
        return containers.iterator(it, node, element, "iterator", source=values[0] if values else UNKNOWN)
    return result_of_unknown(values) if not returns else plain_value(returns)


# ---- grad modes


def _context(it: Interpreter, node: Any, path: str, args: Arguments) -> Value:
    row = CONTEXTS[path]
    given = args.get("mode", 0, Const(True))
    if given != Const(True) and type(given) is Function and row.to != "argument":
        return replace(given, modes=(_made(path, row.to, Const(True)), *given.modes))
    made = _made(path, row.to, args.get("mode", 0, UNKNOWN) if row.to == "argument" else given)
    if row.on_call:
        it.emit(events.GradModeChanged, node, before=it.state.grad_mode, to=made.to, how="statement")
        it.state.grad_mode = made.to
    return made


def _made(path: str, to: str, given: Value) -> Context:
    if to == "inference":
        on = truth_of(given)
        return Context(path, negation(on), on)
    return Context(path, {"off": NO, "on": YES}.get(to) or truth_of(given))


# ---- differentiating


@special("torch.autograd.backward")
def _backward(it: Interpreter, node: Any, args: Arguments) -> Value:
    for root in _each(it, node, args.get("tensors", 0, UNKNOWN)):
        backward(
            it, node, root, how="backward", retain=flag(args, "retain_graph", 2), create=flag(args, "create_graph", 3)
        )
    return NONE_VALUE


@special("torch.autograd.grad")
def _grad(it: Interpreter, node: Any, args: Arguments) -> Value:
    create = flag(args, "create_graph", 4)
    inputs = _each(it, node, args.get("inputs", 1, UNKNOWN))
    for root in _each(it, node, args.get("outputs", 0, UNKNOWN)):
        backward(it, node, root, how="grad", retain=flag(args, "retain_graph", 3), create=create)
    found = []
    for index, value in enumerate(inputs):
        refs = tuple(ref for ref, _ in it.all(value, Tensor))
        tensor = it.only(value, Tensor)
        found.append(fresh(it, node, f"gradient {index}", made="grad", grad_of=refs, requires_grad=create,
                           leaf=negation(create), **({"dtype": tensor.dtype} if tensor else {})))  # fmt: skip
    return containers.container(it, node, "tuple", found) if found else UNKNOWN


def _each(it: Interpreter, node: Any, value: Value) -> list[Value]:
    thing = it.only(value, Container)
    if thing is not None and thing.rest == NOTHING:
        return [inner for _, inner in thing.items]
    return [value if it.may_be(value, Tensor) else containers.elements(it, node, value)]


@special("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_norm", "torch.nn.utils.clip_grad_value_")
def _clip(it: Interpreter, node: Any, args: Arguments) -> Value:
    containers.consume(it, node, args.get("parameters", 0, UNKNOWN), "clip")
    return fresh(it, node, dtype=FLOAT, made="clip_grad_norm_")


# ---- torch


@special("torch.nn.Parameter", "torch.nn.parameter.Parameter")
def _parameter(it: Interpreter, node: Any, args: Arguments) -> Value:
    """A parameter is a new handle on the memory of its data."""
    data = args.get("data", 0, NONE_VALUE)
    tensor = it.only(data, Tensor)
    kind = tensor.dtype if tensor else FLOAT if data == NONE_VALUE else data_kind(it, data)
    facts: dict[str, Any] = {"storage": tensor.storage, "belief": tensor.belief} if tensor else {}
    made = fresh(it, node, "parameter", dtype=kind, parameter=YES, inference=NO, made="Parameter", **facts)
    to = truth_of(args.get("requires_grad", 1, UNSURE_VALUE if args.unknown else Const(True)))
    set_requires_grad(it, node, made, to, "Parameter")
    return made


UNSURE_VALUE: Value = Scalar(BOOL)


@special("torch.is_tensor")
def _is_tensor(it: Interpreter, node: Any, args: Arguments) -> Value:
    return Scalar(BOOL)


@special("torch.nn.DataParallel", "torch.nn.parallel.DataParallel", "torch.nn.parallel.DistributedDataParallel",
         "torch.nn.SyncBatchNorm.convert_sync_batchnorm")  # fmt: skip
def _wrapped(it: Interpreter, node: Any, args: Arguments) -> Value:
    """A wrapper that calls the module inside."""
    inner = args.get("module", 0, UNKNOWN)
    module = it.only(inner, Module)
    if module is None:
        return result_of_unknown([inner])
    return it.new(node, "wrapper", Module(cls=Named("torch.nn.Sequential"), attributes=(("module", inner),), mode=TRAIN,
                  open=NO, holder="DataParallel", belief=module.belief, marks=(Mark("made", node),)))  # fmt: skip


@special("torch.compile", "torch.jit.script", "torch.jit.export", "torch.jit.ignore")
def _same(it: Interpreter, node: Any, args: Arguments) -> Value:
    return args.positional[0] if args.positional else Named("functools.wraps")


@special("copy.copy")
def _shallow_copy(it: Interpreter, node: Any, args: Arguments) -> Value:
    """A copy of the object alone: what it holds, and its memory, is shared."""
    value = args.get("x", 0, UNKNOWN)
    copies = [
        it.new(it.copy_site(node, o), "copy", it[o]) if type(o) is Ref and o in it.state.heap else o
        for o in alternatives(value)
    ]
    return one_of(copies)


@special("copy.deepcopy")
def _copy(it: Interpreter, node: Any, args: Arguments) -> Value:
    """A copy has objects of its own all the way down; leaves stay leaves, state dictionaries own their memory."""
    value = args.get("x", 0, UNKNOWN)
    found = it.state.reach([value])
    if len(found) > 400:
        return result_of_unknown([value])
    now = {ref: Ref(it.site(it.copy_site(node, ref)), "copy", it.frame.id) for ref in found}
    from gradlint.domain import object_renamed, renamed

    memories = dict.fromkeys(memory for ref in found for memory in getattr(it[ref], "storage", ()))
    now |= {memory: it.memory(it.copy_site(node, memory), "copy") for memory in memories}
    for ref in found:
        thing = object_renamed(it[ref], now)
        if type(thing) is Container:
            thing = replace(thing, origin=())
        if type(thing) is Tensor:
            thing = replace(thing, overwritten=NO, base=(), marks=(Mark("made", node), *thing.marks)[:4])
        it.new(it.copy_site(node, ref), "copy", thing)
    return renamed(value, now)


# ---- builtins: containers and iterators


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


@special("builtins.sorted", "builtins.reversed", "builtins.iter", "tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm",
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
    found = containers.elements(it, node, args.positional[0]) if args.positional else UNKNOWN
    return one_of([found, *args.positional[1:]])


def _tuples(it: Interpreter, node: Any, values: list[Value], by: str, *, empty: Truth) -> Value:
    pair = it.new(node, "pair", Container("tuple", items=tuple(enumerate(values))))
    return containers.iterator(it, node, pair, by, empty=empty)


@special("builtins.enumerate")
def _enumerate(it: Interpreter, node: Any, args: Arguments) -> Value:
    source = args.get("iterable", 0, UNKNOWN)
    element = containers.elements(it, node, source)
    empty = NO if containers.certainly_not_empty(it, source) else UNSURE
    return _tuples(it, node, [Scalar(INTEGER), element], "enumerate", empty=empty)


@special("builtins.zip")
def _zip(it: Interpreter, node: Any, args: Arguments) -> Value:
    start = it.hold()
    for value in args.positional:
        it.hold(containers.elements(it, node, value))
    empty = NO if all(containers.certainly_not_empty(it, value) for value in args.positional) else UNSURE
    for value in args.positional:
        containers.consume(it, node, value, "zip")
    return _tuples(it, node, it.land(start), "zip", empty=empty)


@special("builtins.map", "builtins.filter")
def _map(it: Interpreter, node: Any, args: Arguments) -> Value:
    from gradlint.interpreter.calls import call_value

    if len(args.positional) < 2:
        return UNKNOWN
    start = it.hold(args.positional[0])
    for value in args.positional[1:]:
        it.hold(containers.elements(it, node, value))
    function, *elements = it.land(start)
    found = call_value(it, node, function, Arguments(elements), "")
    return containers.iterator(it, node, found, "map")


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
    from gradlint.interpreter.expressions import compute

    element = containers.elements(it, node, args.get("iterable", 0, UNKNOWN))
    containers.consume(it, node, args.get("iterable", 0, UNKNOWN), "sum")
    return compute(it, node, "add", [args.get("start", 1, Const(0)), element])


@special("builtins.abs")
def _abs(it: Interpreter, node: Any, args: Arguments) -> Value:
    value = args.get("x", 0, UNKNOWN)
    row = operation_row(it, "operator.abs", args)
    return run_operation(it, node, row, args, by="operator") if row and it.may_be(value, Tensor) else value


# ---- builtins: looking at things


@special("builtins.isinstance")
def _isinstance(it: Interpreter, node: Any, args: Arguments) -> Value:
    from gradlint.interpreter.narrowing import is_instance

    if len(args.positional) < 2:
        return Scalar(BOOL)
    found = is_instance(it, args.positional[0], args.positional[1])
    return Const(found is YES) if found in (YES, NO) else Scalar(BOOL)


@special("builtins.getattr")
def _getattr(it: Interpreter, node: Any, args: Arguments) -> Value:
    from gradlint.interpreter.attributes import get_attribute

    name = args.get("name", 1, UNKNOWN)
    if type(name) is not Const or not isinstance(name.value, str) or not args.positional:
        return result_of_unknown(args.positional[:1])
    found = get_attribute(it, node, args.positional[0], name.value, "", guard=True)
    return one_of([found, *args.positional[2:]])


@special("builtins.setattr")
def _setattr(it: Interpreter, node: Any, args: Arguments) -> Value:
    from gradlint.interpreter.attributes import set_attribute

    if len(args.positional) < 3:
        return NONE_VALUE
    owner, name, value = args.positional[:3]
    if type(name) is Const and isinstance(name.value, str):
        set_attribute(it, node, owner, name.value, value, "", own=False)
    else:
        havoc(it, [owner])
        it.escape([value])
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


@special("contextlib.suppress", "pytest.raises", "pytest.warns")
def _suppress(it: Interpreter, node: Any, args: Arguments) -> Value:
    return Plain("suppress")


@special("builtins.reveal")
def _reveal(it: Interpreter, node: Any, args: Arguments) -> Value:
    """`reveal(x)` tells what is known of `x`; it exists only for gradlint."""
    return NONE_VALUE


@special("numpy.array", "numpy.zeros", "numpy.ones", "numpy.empty", "numpy.asarray", "numpy.full", "numpy.arange",
         "numpy.random.rand", "numpy.random.randn", "numpy.random.randint", "numpy.linspace")  # fmt: skip
def _array(it: Interpreter, node: Any, args: Arguments) -> Value:
    return it.new(node, "array", Array(storage=(it.memory(node, "array"),)))


# ---- methods of what is no tensor, module or container

TEXT_METHODS = frozenset(
    ["format", "join", "strip", "lstrip", "rstrip", "lower", "upper", "replace", "title", "encode", "decode", "zfill", "ljust", "rjust"]
)


def plain_method(it: Interpreter, node: Any, owner: Value, name: str, args: Arguments) -> Value | None:
    """A method of a Python object, an array, or something unknown; None for unknown code."""
    options = alternatives(owner)
    if all(type(option) in (Const, Scalar, Plain) for option in options):
        return Plain("str") if name in TEXT_METHODS else UNKNOWN
    if all(type(option) is Ref and type(it.state.heap.get(option)) is Array for option in options):
        return it.new(node, "array", it[options[0]]) if name not in ("item", "tolist") else Scalar(it[options[0]].dtype)  # type: ignore[index]
    if type(owner) is Unknown and name == "backward":
        backward(it, node, owner, how="backward", retain=flag(args, "retain_graph", 1))
        return NONE_VALUE
    if type(owner) is Unknown and name in LEAVING_THE_GRAPH:
        return owner
    if all(type(option) is Context for option in options):
        return UNKNOWN
    return None
