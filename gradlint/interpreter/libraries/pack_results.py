"""Results: what functions, classes and attributes of libraries give, as rows of packs put it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlint.domain.facts import ANY_DTYPE, ANY_MODE, EVAL, MAYBE, NO, TRAIN, UNSURE, YES, Mode, Truth
from gradlint.domain.objects import Container, Instance, Module, Optimizer, Tensor
from gradlint.domain.provenance import Belief, Cause, CauseKind, IteratorKind, WriteKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of, with_certain
from gradlint.domain.values import NOTHING, UNKNOWN, Constant, Context, Function, ImportPath, Value
from gradlint.frozen import frozen, replace
from gradlint.interpreter.autograd.operations import plain_value, run_operation
from gradlint.interpreter.autograd.results import UNKNOWN_LAYOUT
from gradlint.interpreter.autograd.tensor import unknown_tensor
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import NAMED
from gradlint.interpreter.engine.dispatch import MODELS, TypeSlot, implements
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import parameters, submodules
from gradlint.interpreter.engine.weakened import seen_as
from gradlint.interpreter.nn.module import emit_built, set_mode, tensor_iterator
from gradlint.interpreter.nn.module_methods import METHODS
from gradlint.interpreter.nn.unknown_parts import parameter, unknown_module
from gradlint.interpreter.python.containers import container
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.training import optimizer
from gradlint.interpreter.training.assumed_optimizer import unknown_optimizer
from gradlint.interpreter.unknown.parameters import annotated_instance
from gradlint.knowledge import packs
from gradlint.knowledge.packs import LibraryClass

MODES: dict[str, Mode] = {"train": TRAIN, "eval": EVAL, "?": ANY_MODE}
ANSWERS: dict[str, Truth] = {"yes": YES, "no": NO, "?": UNSURE}
GRADIENTS: dict[str, tuple[Truth, Truth | None]] = {
    "on": (YES, None),
    "off": (NO, None),
    "inference": (NO, MAYBE),
    "?": (UNSURE, UNSURE),
}
"""The grad mode and the inference mode (None: as before) that a word of a row stands for."""


@frozen()
class Given:
    """The arguments of a call, by the names of a row's parameters; `path` is what is called, `owner` its class."""

    args: Arguments
    parameters: tuple[str, ...]
    path: str = ""
    owner: str = ""

    def __getitem__(self, name: str) -> Value:
        """An argument; UNKNOWN where it was not given."""
        position = self.parameters.index(name) if name in self.parameters else -1
        return self.args.get(name, position, UNKNOWN)


def given(m: Interpreter, node: Site, gift: packs.Gift, args: Given) -> Value:
    """Return the value that a row says comes back."""
    return GIFTS[type(gift)](m, node, gift, args)


def _arguments(m: Interpreter, node: Site, gift: packs.Arguments, args: Given) -> Value:
    values = args.args.positional["self" in args.parameters :]
    if args.args.unknown or not values:
        return result_of_unknown(args.args.values())
    found = [_standing_in(m, m.part_of(node, f"{i}"), value, gift) for i, value in enumerate(values)]
    return found[0] if len(found) == 1 else container(m, node, "tuple", found)


def _standing_in(m: Interpreter, node: Site, value: Value, gift: packs.Argument | packs.Arguments) -> Value:
    """An argument as it comes back."""
    if gift.perhaps:
        m.update_fields(value, Optimizer, held_back=MAYBE)
    if not gift.wrapped:
        return value
    return one_of([_wrapped(m, node, option, gift.wrapped) for option in alternatives(value)])


def _wrapped(m: Interpreter, node: Site, value: Value, path: str) -> Value:
    module = m.only(value, Module)
    if module is None:
        return value
    return m.new(node, "wrapper", Module(cls=ImportPath(path), attributes=(("module", value),), mode=module.mode,
                  open=NO, holder=path, belief=module.belief, causes=(Cause(CauseKind.MADE, node),)))  # fmt: skip


def _copy(m: Interpreter, node: Site, gift: packs.Copy, args: Given) -> Value:
    made = MODELS["copy.deepcopy"](m, node, Arguments([args[gift.of]]))
    if gift.mode is not None:
        set_mode(m, node, made, MODES[gift.mode])
    if gift.requires_grad is not None:
        METHODS["requires_grad_"](m, node, made, Arguments([Constant(gift.requires_grad == "yes")]))
    return made


def _attributes(
    m: Interpreter, node: Site, holding: tuple[tuple[str, packs.Gift], ...], args: Given
) -> dict[str, Value]:
    """The attributes that a new object has from the start."""
    start = len(m.state.stack)
    for name, gift in holding:
        m.push(given(m, m.part_of(node, name), gift, args))
    return dict(zip((name for name, _ in holding), m.pop_from(start), strict=True))


def _each(m: Interpreter, node: Site, gifts: tuple[packs.Gift, ...], args: Given) -> list[Value]:
    """Several things made at one place."""
    return [given(m, m.part_of(node, f"{index}"), one, args) for index, one in enumerate(gifts)]


def _new(m: Interpreter, node: Site, gift: packs.New, args: Given) -> Value:
    held = _attributes(m, node, gift.holding, args)
    made = _exactly(m, node, gift.path, held) if gift.path else _of_owner(m, node, args, held)
    if gift.mode is not None:
        for ref in submodules(m, made):
            m.store(ref, replace(m[ref], mode=MODES[gift.mode], left=MODES[gift.mode]))
    return made


def _of_owner(m: Interpreter, node: Site, args: Given, held: dict[str, Value]) -> Value:
    """An object of the class whose method is called: of the library, or one of the program that derives from it."""
    cls = args.args.positional[0] if "self" in args.parameters else None
    return annotated_instance(m, node, cls) if type(cls) is Ref else _exactly(m, node, args.owner, held)


def _optimizer_over(m: Interpreter, node: Site, gift: packs.OptimizerOver, args: Given) -> Value:
    value = args[gift.of]
    if m.only(value, Module) is not None:
        value = tensor_iterator(m, node, value, parameters(m, value), IteratorKind.PARAMETERS)
    return optimizer.build(m, node, gift.kind, Arguments([value]))


def _optimizers_from(m: Interpreter, node: Site, gift: packs.OptimizersFrom, args: Given) -> Value:
    owner = args["self"]
    method = method_of(m, owner, gift.method)
    if method is None:
        return result_of_unknown([owner])
    with m.log.silently():
        returned = call_function(m, node, method, Arguments([owner]))
    found = [ref for ref in m.state.reach([returned]) if type(m[ref]) is Optimizer]
    if not found:
        return result_of_unknown([owner, returned])
    return found[0] if len(found) == 1 else container(m, node, "list", found[::-1])


def _tensor(m: Interpreter, node: Site, gift: packs.ATensor, args: Given) -> Value:
    made = unknown_tensor(m, node, "given", Belief.PROVEN)
    m.update_fields(made, Tensor, requires_grad=ANSWERS[gift.requires_grad])
    return made


def _computed(m: Interpreter, node: Site, gift: packs.Computed, args: Given) -> Value:
    values = [args[name] for name in gift.of] or [
        value for value in args.args.positional if type(value) is not Constant
    ]
    row = m.torch.operations.get(gift.by)
    known = bool(values) and not args.args.unknown and all(_is_of_tensors(m, value) for value in values)
    if row is None or not known:
        return result_of_unknown(args.args.values())
    start = m.push(*values)
    before = next((index for index, name in enumerate(row.parameters) if name in row.operands), 0)
    # The graph is that of the operation; the sizes are the library's, and where it copies it may turn things before.
    with seen_as(m, values, **UNKNOWN_LAYOUT):
        made = run_operation(m, node, row, Arguments([UNKNOWN] * before + values), by=WriteKind.FUNCTION)
    m.update_fields(made, Tensor, **UNKNOWN_LAYOUT)
    first = m.pop_from(start)[0]
    tensor = m.only(first, Tensor) if gift.itself else None
    # Of what cannot require grad it makes no difference which of the two handles it is.
    same = tensor is not None and tensor.leaf.may(YES) and tensor.requires_grad.may(YES)
    return one_of([first, made]) if same else made


def _is_of_tensors(m: Interpreter, value: Value) -> bool:
    """Return whether something is a tensor, or holds nothing but tensors."""
    thing = m.thing(value)
    if isinstance(thing, Container):
        inside = [one for _, one in thing.items] + ([] if thing.rest == NOTHING else [thing.rest])
        return bool(inside) and all(m.only(one, Tensor) is not None for one in inside)
    return isinstance(thing, Tensor)


def _chosen(m: Interpreter, node: Site, gift: packs.Chosen, args: Given) -> Value:
    value = args[gift.by]
    found = dict(gift.gives).get(value.value) if type(value) is Constant and type(value.value) is str else None
    return result_of_unknown(args.args.values()) if found is None else given(m, node, found, args)


def _block(m: Interpreter, node: Site, gift: packs.Block, args: Given) -> Value:
    to, inference = GRADIENTS[gift.gradients]
    made = Context(args.path, to, inference)
    first = args.args.positional[0] if args.args.positional else None
    return replace(first, modes=(made, *first.modes)) if type(first) is Function else made


GIFTS: dict[type, Callable[[Interpreter, Any, Any, Given], Value]] = {
    packs.Anything: lambda m, node, gift, args: result_of_unknown(args.args.values()),
    packs.Python: lambda m, node, gift, args: plain_value(gift.kind),
    packs.Argument: lambda m, node, gift, args: _standing_in(m, node, args[gift.of], gift),
    packs.Arguments: _arguments,
    packs.Copy: _copy,
    packs.Several: lambda m, node, gift, args: container(m, node, "tuple", _each(m, node, gift.of, args)),
    packs.Either: lambda m, node, gift, args: one_of(_each(m, node, gift.of, args)),
    packs.New: _new,
    packs.OptimizerOver: _optimizer_over,
    packs.OptimizersFrom: _optimizers_from,
    packs.ATensor: _tensor,
    packs.Computed: _computed,
    packs.Chosen: _chosen,
    packs.Block: _block,
    packs.Decorator: lambda m, node, gift, args: ImportPath("functools.wraps"),
}


# ---- new objects


@frozen()
class _Born:
    """The origin of an object of the class at a `path`: which `part` of its site it is, the attributes that it `held`
    from the start, and how it is known what it is."""

    path: str
    part: str = "new"
    held: tuple[tuple[str, Value], ...] = ()
    belief: Belief = Belief.PROVEN


def construct(m: Interpreter, node: Site, path: str, row: LibraryClass, args: Arguments) -> Value:
    """Call a class of a library; what its constructor is passed and does not name, the object keeps somehow."""
    if row.kind == "optimizer":
        return optimizer.build(m, node, path, args)
    held = _attributes(m, node, row.holds, Given(args, row.parameters))
    rest = {f"argument {index}": value for index, value in enumerate(args.values()) if value not in held.values()}
    return _made(m, node, _Born(path, "object", tuple((held | rest).items())), row)


@implements(TypeSlot.ANNOTATED, ImportPath)
def _annotated(m: Interpreter, node: Site, path: str) -> Value:
    return typical(m, node, path, "annotated", Belief.ANNOTATED)


def typical(m: Interpreter, node: Site, path: str, part: str, belief: Belief) -> Value:
    """An object of the class at a path or of one derived from it, whoever made it."""
    known = m.packs.cls(path)
    row = None if known is None else replace(known.row, own=True, open=True, mode="?")
    return _made(m, node, _Born(path, part, belief=belief), row)


def _exactly(m: Interpreter, node: Site, path: str, held: dict[str, Value]) -> Value:
    """An object of the class at a path, made by its library."""
    known = m.packs.cls(path)
    return _made(m, node, _Born(path, held=tuple(held.items())), None if known is None else known.row)


def _made(m: Interpreter, node: Site, born: _Born, row: LibraryClass | None) -> Value:
    """An object of a class of a library, or of torch."""
    if row is not None and row.kind == "module":
        return _module(m, node, born, row)
    if born.path == MODULE:
        made = unknown_module(m, node, born.part, born.belief, ImportPath(born.path))
        m.store(made, replace(m[made], attributes=born.held))
        if born.belief.seen_made:
            emit_built(m, node, made)
        return made
    if born.path == OPTIMIZER or (row is not None and row.kind == "optimizer"):
        return unknown_optimizer(m, node, born.part, born.belief, born.path)
    if row is None and born.path.startswith("torch."):
        with m.log.silently():  # a part: the event is about the whole
            found = NAMED[ImportPath](m, node, ImportPath(born.path), Arguments([], dict(born.held)), "")
        if found is not None:
            return found
    return m.new(
        node,
        born.part,
        Instance(ImportPath(born.path), born.held, belief=born.belief, causes=(Cause(CauseKind.MADE, node),)),
    )


MODULE, OPTIMIZER = "torch.nn.Module", "torch.optim.Optimizer"


def _module(m: Interpreter, node: Site, born: _Born, row: LibraryClass) -> Value:
    """A module of a class of a library."""
    rest: Value = NOTHING
    if row.own:
        assumed = Belief.PROVEN if born.belief.seen_made else Belief.FROM_USAGE
        rest = parameter(
            m,
            node,
            f"{born.part} own",
            is_summary=True,
            dtype=ANY_DTYPE,
            belief=assumed,
            requires_grad=ANSWERS[row.requires_grad],
        )
    ref = m.new(
        node,
        born.part,
        Module(
            cls=ImportPath(born.path),
            attributes=born.held,
            rest=rest,
            mode=MODES[row.mode],
            certain=with_certain((), [rest]),
            open=UNSURE if row.open else NO,
            belief=born.belief,
            causes=(Cause(CauseKind.MADE, node),),
        ),
    )
    emit_built(m, node, ref)
    return ref
