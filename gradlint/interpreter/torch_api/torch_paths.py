"""Functions and classes known by their import path: torch and the like."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from gradlint import events
from gradlint.domain.facts import BOOL, FLOAT, MAYBE, NO, TRAIN, UNSURE, YES, Dtypes, negation
from gradlint.domain.fields import Aspect, names_of
from gradlint.domain.objects import Container, Iterator, Module, Tensor
from gradlint.domain.provenance import MOST_CAUSES, AskKind, Belief, Cause, CauseKind, CutKind, IteratorKind, WriteKind
from gradlint.domain.value_sets import alternatives, one_of, truth_of
from gradlint.domain.values import (
    NONE_VALUE,
    UNKNOWN,
    Constant,
    Context,
    Function,
    ImportPath,
    PlainObject,
    PythonNumber,
    Value,
)
from gradlint.frozen import replace
from gradlint.interpreter.autograd import tensor_methods
from gradlint.interpreter.autograd.detach import cut_off
from gradlint.interpreter.autograd.factories import run_factory
from gradlint.interpreter.autograd.operations import plain_result, run_named, run_operation
from gradlint.interpreter.autograd.requires_grad import Asked, set_requires_grad
from gradlint.interpreter.autograd.tensor import KINDS_ASKED, data_kind, fresh, is_of_kind
from gradlint.interpreter.autograd.version_counter import counts_alone
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import MODELS, Model, TypeSlot, annotated, implements, models
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.iteration import begin, consume, element_list, elements, iterator
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.unseen import maybe_initialised
from gradlint.interpreter.libraries import pack_calls
from gradlint.interpreter.nn import module as modules
from gradlint.interpreter.nn.module_protocol import built_as
from gradlint.interpreter.nn.unknown_parts import unknown_module
from gradlint.interpreter.python.isinstance_checks import is_instance
from gradlint.interpreter.static.scopes import dotted
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.training import optimizer
from gradlint.interpreter.training.assumed_optimizer import BASES
from gradlint.knowledge import MODULE_ROWS
from gradlint.knowledge.modules.families import public

TENSOR = "torch.Tensor."
AS_METHODS = {f"torch.{name}": f"{TENSOR}{name}" for name in ("detach_", "zero_")}
"""Functions that do what the method of a tensor does, beyond what its row says."""


@implements(TypeSlot.CALL_NAMED, ImportPath)
def _call(m: Interpreter, node: Site, callee: ImportPath, args: Arguments, name: str) -> Value | None:
    """Call what an import path names; None where it is not known."""
    path = callee.path
    known = MODELS.get(path)
    if known is not None and m.has(path):
        return known(m, node, args)
    path = AS_METHODS.get(path, path)
    if path.startswith(TENSOR) and args.positional and m.only(args.positional[0], Tensor) is not None:
        rest = Arguments(args.positional[1:], args.keywords, args.unknown, args.certain)
        return tensor_methods.call(m, node, args.positional[0], path.removeprefix(TENSOR), rest, "")
    if path in m.torch.contexts:
        return _context(m, node, path, args)
    found = run_named(m, node, path, args, by=WriteKind.FUNCTION, name=name)
    if found is not None:
        return found
    factory = m.torch.factories.get(path)
    if factory is not None:
        return run_factory(m, node, factory, args)
    if (cls := public(path)) in m.torch.modules:
        return modules.build(m, node, cls, args)
    if path in m.torch.optimizers or path in BASES:
        return optimizer.build(m, node, path, args)
    plain = m.torch.harmless.get(path)
    if plain is not None:
        return _harmless(m, node, path, plain.returns, args)
    return pack_calls.call(m, node, path, args)


def _harmless(m: Interpreter, node: Site, path: str, returns: str, args: Arguments) -> Value:
    values = args.values()
    if returns == "argument":
        found = [elements(m, node, value) if _runs_over(m, value) else value for value in values]
        for value in values:
            consume(m, node, value, "argument")
        return one_of(found)
    if returns == "iterator":
        element = elements(m, node, values[0]) if values else UNKNOWN
        return iterator(m, node, Iterator(element, values[0] if values else UNKNOWN, IteratorKind.LIBRARY))
    for value in values:
        begin(m, value)  # `any` and `all` stop where they know
    if path == "builtins.len" and (length := _length(m, values)) is not None:
        return length
    result = result_of_unknown(values) if not returns else plain_result(m, node, returns)
    if type(result) is PythonNumber and (path in NUMBERS or path.startswith("math.")):
        return _written(path, values) or PythonNumber(result.dtype, cut_off(m, node, path, values, CutKind.NUMBER))
    return result


def _length(m: Interpreter, values: Sequence[Value]) -> Constant | None:
    """Return the number of elements of a container of which all are known."""
    thing = m.only(values[0], Container) if len(values) == 1 else None
    return None if thing is None or element_list(m, values[0]) is None else Constant(len(thing.items))


def _written(path: str, values: Sequence[Value]) -> Constant | None:
    """The number that a text writes (`float("inf")`)."""
    given = values[0] if len(values) == 1 else UNKNOWN
    if path != "builtins.float" or type(given) is not Constant or type(given.value) is not str:
        return None
    try:
        return Constant(float(given.value))
    except ValueError:
        return None


NUMBERS = frozenset({"builtins.float", "builtins.int", "builtins.complex"})
"""Functions whose number is what they are given, as those of `math` compute theirs from it."""


def _runs_over(m: Interpreter, value: Value) -> bool:
    return m.may_be(value, Container) or m.may_be(value, Iterator)


def _context(m: Interpreter, node: Site, path: str, args: Arguments) -> Value:
    row = m.torch.contexts[path]
    given = args.get("mode", 0, Constant(True))
    if given != Constant(True) and type(given) is Function and row.to != "argument":
        return replace(given, modes=(_made(None, path, row.to, Constant(True)), *given.modes))
    made = _made(node, path, row.to, args.get("mode", 0, UNKNOWN) if row.to == "argument" else given)
    if row.on_call:
        if node is not m.blocks.entering:
            before, literal = m.state.grad_mode, _is_literal(node)
            m.emit(events.GradModeChanged, node, before=before, to=made.to, how="statement", literal=literal)
        m.state.enter(made, node)
        m.blocks.switched += 1
    return made


def _is_literal(node: Site) -> bool:
    """Return whether the only argument of a call is True or False, written out."""
    given: Any = getattr(node, "args", ())
    return len(given) == 1 and dotted(given[0].value) in ("True", "False")


def _made(node: Site | None, path: str, to: str, given: Value) -> Context:
    if to == "inference":
        on = truth_of(given)
        possible = on | MAYBE if on.is_unsure else on  # no mere ignorance: the program says that it may be entered
        return Context(path, negation(on), possible, at=node)
    return Context(path, {"off": NO, "on": YES}.get(to) or truth_of(given), at=node)


@models("torch.nn.Parameter", "torch.nn.parameter.Parameter")
def _parameter(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A parameter is a new handle on the memory of its data."""
    data = args.get("data", 0, NONE_VALUE)
    tensor = m.only(data, Tensor)
    kind = tensor.dtype if tensor else FLOAT if data == NONE_VALUE else data_kind(m, data)
    facts: dict[str, Any] = {"inference": m.state.inference if data == NONE_VALUE else UNSURE}
    cut: tuple[Cause, ...] = ()
    if tensor:
        kept = ("storage", "count", "belief", *names_of(Tensor, Aspect.MEMORY))
        facts = {name: getattr(tensor, name) for name in kept} | {"alone": counts_alone(tensor)}
        if tensor.requires_grad is YES and tensor.leaf is NO:
            cut = cut_off(m, node, "Parameter", [data], CutKind.PARAMETER)
    to = truth_of(args.get("requires_grad", 1, UNSURE_VALUE if args.unknown else Constant(True)))
    marks = (Cause(CauseKind.MADE, node), *cut, Cause(CauseKind.ASKED, node))[-MOST_CAUSES:]
    facts |= {"dtype": kind, "parameter": YES, "made": "Parameter", "requires_grad": to, "causes": marks}
    made = fresh(m, node, "parameter", **facts)
    if not m.is_silent:
        alone = replace(m[made], requires_grad=NO)
        m.emit(events.RequiresGradChanged, node, tensor=alone, to=to, by=AskKind.PARAMETER)
    return made


UNSURE_VALUE: Value = PythonNumber(BOOL)


@models("torch.autograd.Variable")
def _variable(m: Interpreter, node: Site, args: Arguments) -> Value:
    """Make a Variable as torch has since 0.4: a handle on a tensor's memory, cut off the graph as by `detach()`."""
    row = m.torch.operations["torch.Tensor.detach"]
    made = run_operation(m, node, row, Arguments([args.get("data", 0, UNKNOWN)]), by=WriteKind.FUNCTION)
    m.update_fields(made, Tensor, made="Variable")
    asked = UNSURE_VALUE if args.unknown else args.get("requires_grad", 1, Constant(False))
    if asked != Constant(False):
        set_requires_grad(m, made, Asked(node, truth_of(asked), AskKind.VARIABLE))
    return made


@models("torch.device")
def _device(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A device is known by the beginning of its name."""
    given = alternatives(args.get("device", 0, args.keywords.get("type", UNKNOWN)))
    names = [option.value if type(option) is Constant else getattr(option, "start", "") for option in given]
    return one_of([PlainObject("device", name if isinstance(name, str) else "") for name in names])


@models("torch.is_tensor")
def _is_tensor(m: Interpreter, node: Site, args: Arguments) -> Value:
    found = is_instance(m, args.get("obj", 0, UNKNOWN), ImportPath("torch.Tensor"))
    return Constant(found is YES) if found in (YES, NO) else PythonNumber(BOOL)


def _asking(kind: Dtypes) -> Model:
    """`torch.is_floating_point` or `torch.is_complex`."""
    return lambda m, node, args: is_of_kind(m, args.get("input", 0, UNKNOWN), kind)


MODELS |= {f"torch.{name}": _asking(kind) for name, kind in KINDS_ASKED.items()}

WRAPPER_CLASSES = (
    "torch.nn.DataParallel",
    "torch.nn.parallel.DataParallel",
    "torch.nn.parallel.DistributedDataParallel",
)
WRAPPERS = (*WRAPPER_CLASSES, "torch.nn.SyncBatchNorm.convert_sync_batchnorm")


def _wrapping(path: str, m: Interpreter, node: Site, args: Arguments) -> Value:
    """A wrapper that calls the module inside."""
    inner = args.get("module", 0, UNKNOWN)
    module = m.only(inner, Module)
    if module is None:
        return result_of_unknown([inner])
    return m.new(
        node,
        "wrapper",
        Module(
            cls=ImportPath("torch.nn.Sequential"),
            attributes=(("module", inner),),
            mode=TRAIN,
            open=NO,
            holder=path,
            belief=module.belief,
            causes=(Cause(CauseKind.MADE, node),),
        ),
    )


MODELS |= {path: partial(_wrapping, path) for path in WRAPPERS}
annotated(*WRAPPER_CLASSES)(
    lambda m, node, path: unknown_module(m, node, "annotated", Belief.ANNOTATED, ImportPath("torch.nn.Module"))
)


def _init_of(path: str, m: Interpreter, node: Site, args: Arguments) -> Value:
    """`nn.Module.__init__(self)`, written out; without `self`, nobody knows on what."""
    owner, *others = args.positional or [UNKNOWN]
    m.update_fields(owner, Module, initialised=YES)
    maybe_initialised(m, owner)
    built_as(m, node, owner, path, Arguments(others, args.keywords, args.unknown, args.certain))
    return NONE_VALUE


MODELS |= {f"{row.path}.__init__": partial(_init_of, row.path) for row in MODULE_ROWS}
