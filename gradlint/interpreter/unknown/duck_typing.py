"""Duck typing: what something must be, from what the program does with it.

Nobody was seen to make it: a parameter of a function whose callers are elsewhere, or the result of
unknown code. `x.eval()` and `x(batch)` make it a module, `x.zero_grad()` and `x.step()` an
optimizer, `x.unscale_(optimizer)` a GradScaler. Such knowledge is believed less than a proof (`Belief.FROM_USAGE`).
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Any

import libcst as cst

from gradlint.domain.facts import BOOL, EVAL, INTEGER, NO, YES
from gradlint.domain.objects import Container, Instance, Module, Tensor
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import Ref
from gradlint.domain.values import PythonNumber, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.detach import cut_by_mode
from gradlint.interpreter.autograd.tensor import unknown_tensor
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_method, plain_method
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.escape import in_reach, weak_update
from gradlint.interpreter.engine.frames import Frame
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.unseen import STAND_IN, FrozenOnRequest, is_opaque, refine
from gradlint.interpreter.nn.unknown_parts import leave_open_whether_frozen, unseen_module
from gradlint.interpreter.python.mro import FUNCTION_CONTEXT
from gradlint.interpreter.python.roles import detached
from gradlint.interpreter.static.emptied import UsesBehind, uses_behind
from gradlint.interpreter.static.scopes import ALONG, HANDED, MODES, Scope, dotted, is_looked_up, uses_of_given
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.interpreter.training.assumed_optimizer import optimizer_over
from gradlint.interpreter.training.grad_scaler import unknown_scaler
from gradlint.interpreter.training.lr_scheduler import unknown_scheduler
from gradlint.interpreter.training.torch_data import loader
from gradlint.interpreter.unknown.applied_networks import is_applied
from gradlint.interpreter.unknown.handed_tensors import is_operand, path_of
from gradlint.interpreter.unknown.loaded_networks import emit_loaded, is_applied_after_loading, is_loaded
from gradlint.knowledge.python.duck_typing_names import (
    APPLIED,
    ATTRIBUTES_OF_LOADERS,
    CLEARS,
    DETACH_DROPPED,
    FUNCTION_CONTEXT_USES,
    MAKES_FIRST_STATE,
    MODULE_USES,
    MODULE_USES_WHEN_CALLED,
    MOVED,
    OPTIMIZER_USES,
    SCALER_USES,
    SCALER_USES_TOGETHER,
    SCHEDULER_USES,
    SHAPED,
    STEPS,
    SWITCHED_WHEN_CALLED,
    SWITCHES,
    TENSOR_ATTRIBUTES,
    TENSOR_USES,
    names_list_of_modules,
    names_loader,
    names_module,
    names_optimizer,
)
from gradlint.knowledge.schema import Result
from gradlint.knowledge.torch.autograd_names import METHOD

Uses = AbstractSet[str]
LOADED = "DataLoader 0"
"""The suffix of the use of a thing that is passed to a loader."""

# ---- which kind


def _is_module(uses: Uses) -> bool:
    """Return whether uses show a module; what a loader loads may be called `eval()` on, too. Nothing else is called and
    its `forward`, too."""
    if any(use.startswith(HANDED) and use.endswith(LOADED) for use in uses):
        return False
    return (
        not MODULE_USES.isdisjoint(uses)
        or uses >= APPLIED
        or uses >= SWITCHED_WHEN_CALLED
        or (not APPLIED.isdisjoint(uses) and not uses.isdisjoint(MODULE_USES_WHEN_CALLED | MAKES_FIRST_STATE))
    )


def _is_optimizer(uses: Uses) -> bool:
    return not OPTIMIZER_USES.isdisjoint(uses) or not (CLEARS.isdisjoint(uses) or STEPS.isdisjoint(uses))


def _is_scaler(uses: Uses) -> bool:
    return not SCALER_USES.isdisjoint(uses) or uses >= SCALER_USES_TOGETHER


def is_tensor(uses: Uses) -> bool:
    """Return whether uses show a tensor, and none of them is of anything else."""
    shows = not TENSOR_USES.isdisjoint(uses) or not (SHAPED.isdisjoint(uses) or MOVED.isdisjoint(uses))
    return shows and all(_can_be_of_tensor(use) for use in uses)


def _can_be_of_tensor(use: str) -> bool:
    return use.partition("(")[0] in TENSOR_ATTRIBUTES or use == ALONG or use.startswith(HANDED)


def uses_of(m: Interpreter, chain: str, place: Any = None) -> Uses:
    """Return the uses of a dotted name where it means the same; for `self.x`, those of the whole class. What is bound
    at a `place` is none of what the name stood for before it held nothing."""
    return uses_behind(_scope_of(m.frame, chain), chain, place, m.notes(UsesBehind)).keys()


def _scope_of(frame: Frame, chain: str) -> Scope:
    """The scope in all of which a dotted name means the same; for `self.x`, the class."""
    scope: Scope = frame.scope
    root = chain.partition(".")[0]
    stops = (lambda at: type(at.node) is cst.ClassDef) if root == "self" else (lambda at: at.hides(root))
    while scope.parent is not None and not stops(scope):
        scope = scope.parent
    return scope


# ---- making it


def function_context(m: Interpreter, node: Site, part: str, belief: Belief) -> Ref:
    """The context of a custom autograd function, and the tensors that it saved."""
    saved = unknown_tensor(m, node, f"{part} saved", belief)
    m.state.heap[saved] = replace(m[saved], is_summary=True)
    held = m.new(node, f"{part} all saved", Container("tuple", rest=saved, belief=belief))
    known = (("saved_tensors", held), needed(m, node, part))
    return m.new(node, part, Instance(cls=FUNCTION_CONTEXT, attributes=known, belief=belief))


def needed(m: Interpreter, node: Site, part: str) -> tuple[str, Ref]:
    """Return the flags in a custom autograd function's context of the gradients that are needed, by input."""
    return "needs_input_grad", m.new(node, f"{part} needed", Container("tuple", rest=PythonNumber(BOOL)))


Maker = Callable[[Interpreter, Any, str, tuple[Ref, ...]], Ref]
"""A maker of an object that unknown code has made of all that is in reach."""


def _module(m: Interpreter, node: Site, part: str, reach: tuple[Ref, ...]) -> Ref:
    return unseen_module(m, node, part, reach)


def _module_perhaps_frozen(m: Interpreter, node: Site, part: str, reach: tuple[Ref, ...]) -> Ref:
    made = _module(m, node, part, reach)
    leave_open_whether_frozen(m, made)
    return made


def _tensor(m: Interpreter, node: Site, part: str, reach: tuple[Ref, ...]) -> Ref:
    return unknown_tensor(m, node, part, Belief.FROM_USAGE, reach)


def _loader(m: Interpreter, node: Site, part: str, reach: tuple[Ref, ...]) -> Ref:
    return loader(m, m.part_of(node, part), belief=Belief.FROM_USAGE)


KINDS: tuple[tuple[Callable[[Uses], bool], Maker], ...] = (
    (_is_optimizer, optimizer_over),
    (_is_module, _module),
    (_is_scaler, lambda m, node, part, reach: unknown_scaler(m, node, part, Belief.FROM_USAGE)),
    (
        lambda uses: not SCHEDULER_USES.isdisjoint(uses),
        lambda m, node, part, reach: unknown_scheduler(m, node, part, Belief.FROM_USAGE),
    ),
    (is_tensor, _tensor),
    (
        lambda uses: not FUNCTION_CONTEXT_USES.isdisjoint(uses),
        lambda m, node, part, reach: function_context(m, node, part, Belief.FROM_USAGE),
    ),
)
"""The tests of whether uses show a kind of object, and what makes one; the first that is shown counts."""


FLAGGING = frozenset({"requires_grad_", "detach_", "retain_grad"})
"""Methods by which a tensor gets other flags."""


def owner_by_method(m: Interpreter, node: Site, owner: Unknown, method: str, *, given: bool) -> Ref | None:
    """The tensor that something unknown is that has a method which only tensors have; `given`: it takes arguments."""
    use = f"{method}({'.' if given else ''})"
    if m.torchless or use not in TENSOR_USES or (use in ASKED and _holds_module(m, owner.reach)):
        return None
    if _is_of_own_class(m, frozenset({method})):
        return None
    made = unknown_tensor(m, node, "by method", Belief.FROM_USAGE, owner.reach)
    _computed_here(m, made, getattr(getattr(node, "func", None), "value", None))
    return made


@implements(TypeSlot.CALL_METHOD, Unknown)
def _call_method(m: Interpreter, node: Site, owner: Unknown, method: str, args: Arguments, name: str) -> Value:
    """A method of something unknown, which it may show to be a tensor."""
    given = args.unknown or bool(args.positional or args.keywords)
    if method in FLAGGING:
        weak_update(m, owner)
    tensor = owner_by_method(m, node, owner, method, given=given)
    if tensor is None:
        return plain_method(m, node, owner, method, args)
    return call_method(m, node, tensor, method, args, "")


def by_usage(
    m: Interpreter,
    node: Site,
    chain: str,
    part: str | None = None,
    *,
    reach: tuple[Ref, ...] = (),
    source: Any = None,
) -> Ref | None:
    """An object of the kind that the uses of a dotted name show, or None; without a `part` it is an argument of the
    frame; `source` is the expression that gives it."""
    if not chain or m.torchless:
        return None
    given = part is None
    uses = uses_of_given(m.frame.scope, chain).keys() if given else uses_of(m, chain, syntax(node))
    if not m.with_torch:  # what may be a file then
        uses = uses - {DETACH_DROPPED}
    if ASKED & uses and _holds_module(m, reach):
        uses = uses - ASKED
    maker = _maker(m, uses, chain) if uses else None
    if maker is None and uses and not _is_of_library_by_name(m, source):
        scope = m.frame.scope if given or "." in chain.removeprefix("self.") else _scope_of(m.frame, chain)
        maker = _network_maker(scope) if is_applied(m, scope, chain, uses, source) else None
    if maker is None and names_loader(chain.rpartition(".")[2]) and all(_can_be_of_loader(use) for use in uses):
        maker = _loader
    return None if maker is None else maker(m, node, f"{part or 'argument'} by use", reach)


def _can_be_of_loader(use: str) -> bool:
    return use in ATTRIBUTES_OF_LOADERS or use.startswith(HANDED)


def _network_maker(scope: Scope) -> Maker:
    """Return the maker of what is applied as networks are; whoever switches flags may be passed one that is frozen."""
    return _module if scope.switches <= MODES or not scope.gradients else _module_perhaps_frozen


def applied_part(m: Interpreter, node: Site, owner: Ref, name: str, chain: str) -> Ref | None:
    """A part or a method of a module whose class is not shown, which the program applies and whose result it detaches:
    either computes with parameters of the module, in its mode."""
    thing, function = m.state.heap.get(owner), m.frame.function
    if type(thing) is not Module or type(thing.cls) is Ref or m.torchless or function is None:
        return None
    body = function.node
    if not isinstance(body, cst.FunctionDef) or chain not in detached(m, body) or "()" not in uses_of(m, chain):
        return None
    made = _module(m, node, f"part {name} by use", ())
    m.store(made, replace(m[made], causes=(), mode=thing.mode, left=thing.left))
    return made


def part_by_name(m: Interpreter, node: Site, owner: Ref, name: str, chain: str) -> Ref | None:
    """A part of a module whose class is not shown, which the program switches as tensors are (`requires_grad = ...`)
    though its name says that it is a module as well; None where another use shows what it is."""
    if type(m.state.heap.get(owner)) is not Module or not chain or m.torchless or not names_module(name):
        return None
    scope = _scope_of(m.frame, chain)
    uses = scope.uses.get(chain, {}).keys()
    inner = (known for known in scope.uses if known.startswith(f"{chain}.") and _is_switched_part(scope, known))
    if "requires_grad" not in uses and next(inner, None) is None:
        return None
    if _maker(m, uses - {"requires_grad"}, chain) not in (None, _module):
        return None
    made = _module(m, node, f"part {name} by name", ())
    m.store(made, replace(m[made], causes=()))  # it was made elsewhere
    return made


def _element_by_name(m: Interpreter, node: Site, value: Unknown, chain: str) -> Ref | None:
    """The same for an element of such a part (`model.layers[0]`), which the program names as modules are, or not at
    all; None where it names or uses it otherwise."""
    if m.torchless or not value.reach or not all(_is_list_of_modules(m, ref) for ref in value.reach):
        return None
    uses = uses_of(m, chain)
    if chain and not ("requires_grad" in uses and names_module(chain.rpartition(".")[2])):
        return None
    if uses and _maker(m, uses - {"requires_grad"}, chain) not in (None, _module):
        return None
    made = _module(m, node, "element by name", ())
    m.store(made, replace(m[made], causes=()))
    return made


def _is_list_of_modules(m: Interpreter, ref: Ref) -> bool:
    """Return whether an object is a part of a module of an unknown class, and named as lists of modules are."""
    name = ref.part.removeprefix(STAND_IN)
    named = name != ref.part and is_opaque(m.state.heap.get(ref)) and names_list_of_modules(name)
    return named and _is_in_module(m, ref)


def _is_in_module(m: Interpreter, part: Ref) -> bool:
    """Return whether something of which only the name is known was asked for as an attribute of a module of a class
    that the program does not show, or of what was."""
    for _ in range(MOST_PARTS_DEEP):
        owners = [(ref, thing) for ref, thing in m.state.heap.items() if _has_part(thing, part)]
        if any(type(thing) is Module and type(thing.cls) is not Ref for _, thing in owners):
            return True
        if len(owners) != 1 or not is_opaque(owners[0][1]):
            return False
        part = owners[0][0]
    return False


MOST_PARTS_DEEP = 4


def _has_part(thing: Any, part: Ref) -> bool:
    return isinstance(thing, Module | Instance) and any(value == part for _, value in thing.attributes)


def _is_switched_part(scope: Scope, chain: str) -> bool:
    """Return whether what is written so is switched as tensors are, and named as modules are."""
    return "requires_grad" in scope.uses[chain] and names_module(chain.rpartition(".")[2])


ASKED = frozenset({"requires_grad_()"})
"""The use that shows a tensor only where it is no module, which has the method as well."""


def _holds_module(m: Interpreter, reach: tuple[Ref, ...]) -> bool:
    """Return whether what unseen code has made a thing of may have been, or hold, a module."""
    return any(type(thing) is Module for thing in in_reach(m, reach).values())


def _maker(m: Interpreter, uses: Uses, chain: str) -> Maker | None:
    """Return the maker of the kind that uses show, those of `.data` among them; an operand of torch is a tensor, and
    what steps and is called an optimizer is one."""
    if not STEPS.isdisjoint(uses) and names_optimizer(chain.rpartition(".")[2]):
        return optimizer_over
    for shows, maker in KINDS:
        if shows(uses):
            return None if maker is _tensor and _is_of_own_class(m, uses) else maker
    of_data = uses_of(m, f"{chain}.data") if "data" in uses else frozenset()
    shows_tensor = is_tensor(of_data) or any(is_operand(m, use) for use in (*uses, *of_data))
    return _tensor if shows_tensor and all(_can_be_of_tensor(use) for use in uses) else None


def _is_of_own_class(m: Interpreter, uses: Uses) -> bool:
    """Return whether a class of the file that keeps gradients itself, as an autograd written in Python does, has all
    that is used: it may be an object of that."""
    words = {use.partition("(")[0] for use in uses if not use.startswith((HANDED, ALONG))}
    return any(words <= names for names in m.scan.of_own_gradients())


def _is_of_library_by_name(m: Interpreter, source: Any) -> bool:
    """Return whether an expression takes something out of an imported module, or out of the file's own names, by a
    name that is computed: such things are classes and functions that make networks."""
    if type(source) is cst.Subscript:
        source = source.value
        if type(source) is cst.Attribute:
            return source.attr.value == "__dict__" and bool(path_of(m, dotted(source.value)))
        return is_looked_up(source)
    owner = source.args[0].value if is_looked_up(source) and source.args else None
    return owner is not None and bool(path_of(m, dotted(owner)))


@implements(TypeSlot.LEARN, object)
def kind_from_usage(m: Interpreter, node: Site, value: Value, chain: str, source: Any = None) -> Value:
    """The value itself, or what its use shows where nothing else does; `source` is the expression that gives it."""
    if type(value) is Unknown:
        found = _element_by_name(m, node, value, chain) or by_usage(
            m, node, chain, chain, reach=value.reach, source=source
        )
        found = found or _switched_result(m, node, value, chain, source)
        if found is None and not m.torchless and is_applied_after_loading(m, chain, uses_of(m, chain), source):
            found = _module(m, node, f"{chain} by use", value.reach)
        if found is None:
            return value
        weak_update(m, value)  # what is done to the stand-in from now on
        _computed_here(m, found, source)
        if source in m.notes(FrozenOnRequest):
            leave_open_whether_frozen(m, found)
        if type(m[found]) is Module:
            _set_by_chain(m, found, source)
            if is_loaded(m, source):
                emit_loaded(m, source, found, chain)
        return found
    if type(value) is Ref and is_opaque(m.state.heap.get(value)):
        found = by_usage(m, node, chain, chain, source=source)
        if found is not None:
            refine(m, value, found)
    if type(value) is Ref and _may_be_built(m.state.heap.get(value)) and _is_module(uses_of(m, chain, syntax(node))):
        return _module(m, node, f"{chain} by use", ())
    return value


def _set_by_chain(m: Interpreter, made: Ref, source: Any) -> None:
    """Set what the expression of a network sets of it: `Net().cuda().eval()`. The last that sets its mode counts."""
    switched = False
    while isinstance(source, cst.Call) and isinstance(source.func, cst.Attribute):
        name = source.func.attr.value
        if name == "eval" and not (source.args or switched):
            m.store(made, replace(m[made], mode=EVAL, left=EVAL))
        if name == "requires_grad_" and source.args:
            leave_open_whether_frozen(m, made)
        switched |= name in ("eval", "train")
        source = source.func.value


def _may_be_built(thing: Any) -> bool:
    """Return whether something is the result of what its use made a module of: a class that is passed in is called as
    one is, and gives a network."""
    return type(thing) is Tensor and thing.may_be_structured and thing.belief >= Belief.FROM_USAGE


def _switched_result(m: Interpreter, node: Site, value: Unknown, chain: str, source: Any) -> Ref | None:
    """The tensor of whole numbers that a method gives which tensors and arrays have (`argmax`), where it is said to
    require grad: arrays are not."""
    if not chain or m.torchless or not _gives_whole_numbers(m, source) or SWITCHES.isdisjoint(uses_of(m, chain)):
        return None
    made = unknown_tensor(m, node, f"{chain} by use", Belief.FROM_USAGE, value.reach)
    m.store(made, replace(m[made], dtype=INTEGER))
    return made


def _gives_whole_numbers(m: Interpreter, source: Any) -> bool:
    """Return whether an expression calls a method by whose name tensors give whole numbers, whatever they hold."""
    result = _result_of_method(m, source)
    return result is not None and result.dtype == "integer"


def _result_of_method(m: Interpreter, source: Any) -> Result | None:
    """The result of an operation, where an expression calls a method by whose name tensors have it."""
    if type(source) is not cst.Call or type(source.func) is not cst.Attribute:
        return None
    row = m.torch.operations.get(f"{METHOD}{source.func.attr.value}")
    return row.results[0] if row is not None and len(row.results) == 1 else None


def _computed_here(m: Interpreter, made: Ref, source: Any) -> None:
    """A tensor that an expression gives by an operation is in no graph where gradients are off."""
    if m.recording is not NO or type(m[made]) is not Tensor or (result := _result_of_method(m, source)) is None:
        return
    if result.kind == "fresh":
        cut = cut_by_mode(m.state.switch or source, NO)
        causes = (*m[made].causes, cut)
        m.store(made, replace(m[made], requires_grad=NO, leaf=YES, node=(None,), causes=causes))
