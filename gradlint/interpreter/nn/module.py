"""Modules: how they are built, their parts, parameters and mode."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gradlint import events
from gradlint.domain.facts import (
    BOOL,
    EVAL,
    FLOAT,
    INTEGER,
    MAYBE,
    NO,
    TRAIN,
    UNSURE,
    YES,
    Mode,
    Truth,
    both,
    negation,
)
from gradlint.domain.objects import MOST_PARAMETERS, Class, Iterator, Module, Tensor
from gradlint.domain.provenance import Belief, Cause, CauseKind, IteratorKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import one_of, truth_of, with_certain
from gradlint.domain.values import (
    NONE_VALUE,
    NOTHING,
    UNKNOWN,
    Constant,
    Function,
    ImportPath,
    PlainObject,
    PythonNumber,
    Unknown,
    Value,
)
from gradlint.frozen import replace
from gradlint.interpreter.autograd import shape
from gradlint.interpreter.autograd.grad import tensors_of
from gradlint.interpreter.autograd.tensor import PARAMETER_CLASSES, fresh
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import annotated
from gradlint.interpreter.engine.iteration import iterator, tuple_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import Tensors, certain_parts, memories_of, parameters, submodules, walk
from gradlint.interpreter.nn.module_containers import filled
from gradlint.interpreter.nn.unknown_parts import MOST_NAMED, parameter, unknown_module
from gradlint.interpreter.python.containers import container
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.mro import find_method, torch_base
from gradlint.interpreter.static.pretraining import loads_weights
from gradlint.interpreter.static.scopes import receiver, spelled
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.knowledge import ROWS
from gradlint.knowledge.modules.arguments import POSITIONS, named
from gradlint.knowledge.modules.families import LAZY
from gradlint.knowledge.modules.options import GIVEN, OPTIONS
from gradlint.knowledge.modules.recurrent import BETWEEN_LAYERS, RECURRENT
from gradlint.knowledge.schema import ModuleRow
from gradlint.knowledge.shapes import REMEMBERED, WIDTH, WITH_WIDTH
from gradlint.knowledge.shapes.memory_format import GIVEN_AS_IT_IS

MOST_MODULES_DEEP = 3
"""The most calls of modules of the program that are followed into each other."""
REDUCTION = "reduction"
"""The keyword by which a loss reduces the losses of the elements."""
OLD_REDUCTIONS = frozenset({"size_average", "reduce"})
"""Keywords that were there for it before, and still count."""
RETURN_INDICES = "return_indices"
"""The keyword by which a pooling layer returns indices as well."""
WITHOUT = {"bias": "bias", "affine": "", "elementwise_affine": ""}
WITHOUT_BUFFERS = {"track_running_stats": ""}
"""Keywords that leave out parameters, or buffers, of that name (or, where empty, all of them) when they are False."""


def build(m: Interpreter, node: Site, path: str, args: Arguments) -> Ref:
    """A new module of a class of torch."""
    row, start = m.torch.modules[path], m.push(*args.values())
    args = _with_names(path, args)
    attributes: dict[object, Value] = {}
    rest: Value = NOTHING
    if row.call in ("container", "none"):
        found, rest, certain = filled(m, node, path, args)
        attributes |= dict(found)
    else:
        attributes, rest = _own_parameters(m, node, row, args)
        certain = with_certain((), [rest])
        if row.call == "loss":
            attributes[REDUCTION] = _reduction(args)
    if row.identity_in_eval:
        attributes[DROPPED] = UNKNOWN if args.unknown else args.get(DROPPED, 0, Constant(0.5))
    if row.inplace_at is not None:
        attributes["inplace"] = UNKNOWN if args.unknown else args.get("inplace", row.inplace_at, Constant(False))
    if RETURN_INDICES in POSITIONS.get(path.rpartition(".")[2], ()):
        attributes[RETURN_INDICES] = UNKNOWN if args.unknown else args.get(RETURN_INDICES, -1, Constant(False))
    remembered = BETWEEN_LAYERS if row.call in RECURRENT else REMEMBERED.get(path.rpartition(".")[2], {})
    for name, default in remembered.items():
        attributes[name] = UNKNOWN if args.unknown else args.get(name, -1, Constant(default))
    width = args.get(WIDTH, -1, UNKNOWN) if path.rpartition(".")[2] in WITH_WIDTH and not args.unknown else UNKNOWN
    if type(width) is Constant:  # that any other is a number is known without this
        attributes[WIDTH] = width
    attributes |= {name: _own_buffer(m, node, row, name, args) for name in row.buffers}
    asked, registered = _asked_for(m, node, row, args)
    attributes |= asked
    ref = m.new(node, "module", Module(
        cls=ImportPath(path), attributes=tuple(attributes.items()), rest=rest, certain=certain, mode=TRAIN,
        buffers=tuple((name, Constant(True)) for name in (*row.buffers, *registered)),
        open=UNSURE if args.unknown and rest == NOTHING else NO, causes=(Cause(CauseKind.MADE, node),)))  # fmt: skip
    emit_built(m, node, ref, m.pop_from(start))
    return ref


def _reduction(args: Arguments) -> Value:
    """Return the reduction of a loss over its elements: their mean, if nothing is said."""
    told_otherwise = any(args.keywords.get(name, NONE_VALUE) != NONE_VALUE for name in OLD_REDUCTIONS)
    return UNKNOWN if args.unknown or told_otherwise else args.keywords.get(REDUCTION, Constant("mean"))


def _with_names(path: str, args: Arguments) -> Arguments:
    """The arguments of a constructor with those by name as well that were given by their place."""
    told = named(path.rpartition(".")[2], len(args.positional))
    keywords = {name: args.positional[at] for name, at in told} | args.keywords
    return Arguments(args.positional, keywords, args.unknown, args.certain)


DROPPED = "p"
"""The share of its input that a layer drops; a half, if nothing is said."""


def emit_built(
    m: Interpreter,
    node: Site,
    value: Value,
    given: Sequence[Value] = (),
    lost: Callable[[], tuple[events.Unregistered, ...]] = tuple,
) -> None:
    """Emit that a module was made of these values, with its parameters; `lost` finds what it has not registered."""
    shown = m.only(value, Module)
    if shown is None or m.is_silent:
        return
    found, opened = parameters(m, value)
    handed = m.state.reach(given)
    mine = [ref for _, ref in found if ref not in handed] if shown.unbuilt is NO else []
    held, own = tensors_of(m, [ref for _, ref in found]), tensors_of(m, mine)
    trained = loads_weights(syntax(node))
    m.emit(events.ModuleBuilt, node, module=shown, parameters=held, own=own, open=opened, unregistered=lost(),
           trained=trained)  # fmt: skip


def _own_buffer(m: Interpreter, node: Site, row: ModuleRow, name: str, args: Arguments) -> Value:
    left_out = _left_out(row, name, args, WITHOUT_BUFFERS)
    if left_out is YES:
        return NONE_VALUE
    dtype = INTEGER if name == "num_batches_tracked" else FLOAT
    made = fresh(m, node, f"buffer {name}", dtype=dtype, made="buffer", inference=_inferring(m, row))
    return made if left_out is NO else one_of((made, NONE_VALUE))


def _own_parameters(m: Interpreter, node: Site, row: ModuleRow, args: Arguments) -> tuple[dict[object, Value], Value]:
    """The parameters of a layer of torch: those with names of their own, and the rest."""
    found: dict[object, Value] = {}
    rest: Value = NOTHING
    made_here = {"inference": _inferring(m, row)} | _contiguous(args)
    of_all = made_here | shape.of_parameters(m, row, "", args)
    if row.call in ("rnn", "lstm") and _several_layers(args):
        rest = parameter(m, node, "own parameters", is_summary=True, **of_all)
    for name in row.parameters:
        left_out = _left_out(row, name, args, WITHOUT)
        if left_out is YES:
            found[name] = NONE_VALUE
        elif "." in name or len(row.parameters) > MOST_NAMED:
            rest = parameter(m, node, "own parameters", is_summary=True, **of_all)
        else:
            made = parameter(m, node, f"parameter {name}", **made_here, **shape.of_parameters(m, row, name, args))
            found[name] = made if left_out is NO else one_of((made, NONE_VALUE))
    return found, rest


def _asked_for(
    m: Interpreter, node: Site, row: ModuleRow, args: Arguments
) -> tuple[dict[object, Value], tuple[str, ...]]:
    """The tensors that a layer has only if an argument says so, or None in their place; and which are buffers."""
    last = row.path.rpartition(".")[2]
    found: dict[object, Value] = {}
    for option in OPTIONS.get(last, ()):
        asked = UNKNOWN if args.unknown else args.get(option.keyword, -1, Constant(False))
        there = truth_of(asked)
        for name in option.parameters:
            facts = {"inference": m.state.inference} | _contiguous(args) | shape.of_parameters(m, row, name, args)
            made = parameter(m, node, f"parameter {name}", **facts)
            found[name] = _if_there(made, both(there, negation(_left_out(row, name, args, WITHOUT))))
        for name in option.buffers:
            found[name] = _if_there(_own_buffer(m, node, row, name, args), there)
    given = GIVEN.get(last, ())
    found |= {name: UNKNOWN if args.unknown else args.get(name, -1, NONE_VALUE) for name in given}
    return found, (*(name for option in OPTIONS.get(last, ()) for name in option.buffers), *given)


def _if_there(value: Value, there: Truth) -> Value:
    return value if there is YES else NONE_VALUE if there is NO else one_of((value, NONE_VALUE))


def _inferring(m: Interpreter, row: ModuleRow) -> Truth:
    """Return whether a layer is made of inference tensors: a lazy layer makes them anew where it is first called."""
    return UNSURE if row.path.startswith(LAZY) else m.state.inference


def _several_layers(args: Arguments) -> bool:
    """Return whether a recurrent layer may have more parameters than those of one layer in one direction."""
    layers = args.get("num_layers", 2, Constant(1))
    told = [truth_of(args.get(name, -1, Constant(False))) for name in ("bidirectional", "proj_size")]
    return args.unknown or layers != Constant(1) or any(one is not NO for one in told)


def _left_out(row: ModuleRow, name: str, args: Arguments, without: Mapping[str, str]) -> Truth:
    takes = POSITIONS.get(row.path.rpartition(".")[2], {})
    for keyword, left_out in without.items():
        if left_out not in ("", name):
            continue
        if keyword in args.keywords:
            return negation(truth_of(args.keywords[keyword]))
        if args.unknown and keyword in takes:
            return MAYBE
    return NO


annotated(*PARAMETER_CLASSES)(
    lambda m, node, path: parameter(m, node, "annotated", requires_grad=UNSURE, inference=NO, belief=Belief.ANNOTATED)
)


annotated("torch.nn.Module", *(row.path for row in ROWS["modules"]))(
    lambda m, node, path: unknown_module(m, node, "annotated", Belief.ANNOTATED, ImportPath(path))
)


def tensor_iterator(
    m: Interpreter,
    node: Site,
    owner: Value,
    tensors: Tensors,
    by: IteratorKind,
    *,
    surely: Sequence[tuple[str, Ref]] | None = None,
) -> Value:
    """`parameters()`, `named_buffers()` and the like; `surely` are those gone over in any case (None: all)."""
    found, opened = tensors
    least = found if surely is None else surely
    certain = certain_parts(m, owner)
    there = tuple(ref for _, ref in least if ref in certain)
    element = one_of([ref for _, ref in found], MOST_PARAMETERS) if found else (
        NOTHING if opened is NO else Unknown(tuple(r for r, _ in m.all(owner, Module))))  # fmt: skip
    if by.startswith("named") and element != NOTHING:
        element = tuple_of(m, node, [PlainObject("str"), element])
    belief = max((module.belief for _, module in m.all(owner, Module)), default=Belief.PROVEN)
    listed: Value = UNKNOWN
    one_each = len(there) == len(found) <= MOST_PARAMETERS and not any(m[ref].is_summary for ref in there)
    if by is IteratorKind.PARAMETERS and opened is NO and one_each:
        listed = container(m, node, "tuple", [ref for _, ref in found], "listed")
    empty = NO if least else UNSURE if found else negation(opened)
    return iterator(m, node, Iterator(element, owner, by, empty=empty, listed=listed, certain=there, belief=belief))


def of_lazy_layers(m: Interpreter, value: Value) -> set[Ref]:
    """The tensors of a module that may have no sizes yet: of layers that get them from what they are called with."""
    layers = [m[ref] for ref in submodules(m, value) if torch_base(m, m[ref].cls).startswith(LAZY)]
    return {ref for layer in layers for _, part in layer.attributes for ref, _ in m.all(part, Tensor)}


def set_mode(m: Interpreter, node: Site, owner: Value, mode: Mode) -> None:
    """`train()` and `eval()` reach all parts of a module; a part whose class has its own `train` is passed to that."""
    tops = {ref for ref, _ in m.all(owner, Module)}
    overriding: dict[Ref, Function] = {}

    def is_reached(ref: Ref) -> bool:
        if ref not in tops and type(m[ref].cls) is Ref and (method := find_method(m, m[ref].cls, "train")):
            overriding[ref] = method
        return ref not in overriding

    certain = certain_parts(m, owner)
    reached = walk(m, owner, is_reached)
    _emit_mode(m, node, owner, mode, reached)
    for ref in reached:
        m.store(ref, replace(m[ref], mode=mode, left=mode), sure=ref in certain)
    _hand_mode_on(m, node, overriding, Constant(mode is TRAIN) if mode in (TRAIN, EVAL) else PythonNumber(BOOL))


def _emit_mode(m: Interpreter, node: Site, owner: Value, mode: Mode, reached: Iterable[Ref]) -> None:
    shown = m.only(owner, Module)
    if shown is not None and not m.is_silent:
        m.emit(
            events.ModeChanged,
            node,
            module=shown,
            to=mode,
            matters=depends_on_mode(m, owner),
            reached=tuple(m[ref] for ref in reached),
            memories=memories_of(m, owner),
            name=spelled(receiver(node)),
        )


def _hand_mode_on(m: Interpreter, node: Site, overriding: dict[Ref, Function], mode: Value) -> None:
    """Run the `train` methods that classes of the program define."""
    start = m.push(*overriding)
    for index, method in enumerate(overriding.values()):
        place = m.part_of(node, f"train {index}")
        call_function(m, place, method, Arguments([m.state.stack[start + index], mode]))
    m.pop_from(start)


def depends_on_mode(m: Interpreter, value: Value) -> bool:
    """Return whether a module, or a part of it, may behave differently in eval mode; not looked up where none hears."""
    return not m.is_silent and any(_depends_on_mode(m, m[ref]) for ref in submodules(m, value))


def as_in_training(m: Interpreter, value: Value) -> str:
    """The class of a part of a module that certainly computes something else here than it would in eval mode; nothing
    where none is known that does. If it is unsure of the module, unseen code is taken to have left all modes alone."""
    whole = m.only(value, Module)
    unsure = whole is not None and whole.mode.is_unsure
    for ref in submodules(m, value):
        module: Module = m[ref].if_untouched if unsure else m[ref]
        path = module.cls.path if type(module.cls) is ImportPath else ""
        row = m.torch.modules.get(path)
        if row is not None and module.mode is TRAIN and _acts_in_training(row, dict(module.attributes)):
            return path.rpartition(".")[2]
    return ""


def frozen_norms(m: Interpreter, value: Value) -> tuple[tuple[Module, Tensor], ...]:
    """The batch norms in a module that move their statistics when they are called here, though none of their
    parameters requires grad, each with one of these; as unsure of modes as `as_in_training` is."""
    whole = m.only(value, Module)
    if whole is None or not whole.attributes:
        return ()
    inside = [m[ref].if_untouched if whole.mode.is_unsure else m[ref] for ref in submodules(m, value)]
    norms = [module for module in inside if module.mode is TRAIN and RUNNING in dict(module.buffers)]
    return tuple((norm, own[0]) for norm in norms if (own := _frozen(m, norm)))


def _frozen(m: Interpreter, module: Module) -> list[Tensor]:
    """The parameters of a layer itself, if none of them requires grad."""
    own = [tensor for _, held in module.attributes for _, tensor in m.all(held, Tensor) if tensor.parameter is YES]
    return own if all(tensor.requires_grad is NO for tensor in own) else []


RUNNING = "running_mean"
"""The buffer of layers that keep statistics."""


def _acts_in_training(row: ModuleRow, told: dict[object, Value]) -> bool:
    """Return whether a layer does something else in train mode than in eval mode. One whose share is not known is
    there to drop something; a recurrent one drops between its layers, if it is told to."""
    if row.call in RECURRENT:
        layers, share = told.get("num_layers", UNKNOWN), told.get("dropout", UNKNOWN)
        return not (_is_constant(share, 0) or _is_constant(layers, 1))
    return row.mixes_batch and not (row.identity_in_eval and _is_constant(told.get(DROPPED, UNKNOWN), 0))


def _is_constant(value: Value, number: float) -> bool:
    return type(value) is Constant and value.value == number


def _depends_on_mode(m: Interpreter, module: Module) -> bool:
    """Return whether a module itself, leaving out its parts, does so."""
    cls = m.only(module.cls, Class)
    row = m.torch.modules.get(torch_base(m, module.cls))
    known = row is not None or (cls is not None and not cls.open)
    if not known or module.open is not NO:
        return True
    return (row is not None and row.mixes_batch) or (cls is not None and "training" in cls.reads)


def _contiguous(args: Arguments) -> dict[str, Any]:
    """Return the layout facts of the parameters that a layer makes."""
    return {"contiguous": UNSURE if args.unknown or args.keywords.keys() & GIVEN_AS_IT_IS else YES}
