"""Statements: every kind that Python has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain import (
    MAYBE,
    NO,
    UNKNOWN,
    YES,
    Class,
    Const,
    Container,
    Context,
    Function,
    Named,
    Plain,
    State,
    Tensor,
    Truth,
    Unknown,
    Value,
    alternatives,
)
from gradlint.interpreter import containers
from gradlint.interpreter.arguments import Arguments
from gradlint.interpreter.assignments import assign
from gradlint.interpreter.attributes import get_attribute, setter_of
from gradlint.interpreter.calls import call_value
from gradlint.interpreter.classes import define, method_of
from gradlint.interpreter.core import Interpreter, statement
from gradlint.interpreter.expressions import get_item, index_value
from gradlint.interpreter.functions import (
    RESULT,
    call_function,
    let_out,
    make_function,
    passing,
    restoring,
    written_since,
)
from gradlint.interpreter.managers import is_manager, run_around
from gradlint.interpreter.narrowing import narrow, truthiness
from gradlint.interpreter.operators import BINARY, compute
from gradlint.interpreter.patterns import match_case
from gradlint.interpreter.scan import dotted, spelled
from gradlint.interpreter.writing import write
from gradlint.knowledge import CONTEXTS, OPERATIONS

# ---- lines and blocks


@statement(cst.SimpleStatementLine, cst.SimpleStatementSuite, cst.IndentedBlock)
def block(it: Interpreter, node: Any) -> None:
    it.run_body(node.body)


@statement(cst.Pass)
def pass_(it: Interpreter, node: cst.Pass) -> None:
    pass


@statement(cst.Expr)
def expression_statement(it: Interpreter, node: cst.Expr) -> None:
    value = it.value(node.value)
    if type(node.value) not in (cst.SimpleString, cst.ConcatenatedString):
        it.emit(events.ResultDiscarded, node.value, value=it.thing(value))


# ---- assignment


@statement(cst.Assign)
def assign_(it: Interpreter, node: cst.Assign) -> None:
    start = it.hold(it.value(node.value))
    for target in node.targets:
        it.state.flight[start] = assign(it, node, target.target, it.state.flight[start])
    it.land(start)


@statement(cst.AnnAssign)
def annotated(it: Interpreter, node: cst.AnnAssign) -> None:
    if node.value is not None:
        assign(it, node, node.target, it.value(node.value))


AUGMENTED: dict[type, str] = {
    cst.AddAssign: "add",
    cst.SubtractAssign: "sub",
    cst.MultiplyAssign: "mul",
    cst.DivideAssign: "truediv",
    cst.FloorDivideAssign: "floordiv",
    cst.ModuloAssign: "mod",
    cst.PowerAssign: "pow",
    cst.MatrixMultiplyAssign: "matmul",
    cst.BitAndAssign: "and",
    cst.BitOrAssign: "or",
    cst.BitXorAssign: "xor",
    cst.LeftShiftAssign: "lshift",
    cst.RightShiftAssign: "rshift",
}


NOTHING_GIVEN: Value = UNKNOWN


@statement(cst.AugAssign)
def augmented(it: Interpreter, node: cst.AugAssign) -> None:
    """`target op= value`: tensors and lists are changed in place, everything else is bound anew."""
    target, index = node.target, NOTHING_GIVEN
    if isinstance(target, cst.Subscript):
        start = it.hold(it.value(target.value))
        index = index_value(it, target)
        owner = it.land(start)[0]
        start = it.hold(owner, get_item(it, target, owner, index))
    elif isinstance(target, cst.Attribute):
        owner = it.value(target.value)
        start = it.hold(owner, get_attribute(it, target, owner, target.attr.value, dotted(target.value)))
    else:
        owner = UNKNOWN
        start = it.hold(owner, it.value(target))
    more = it.value(node.value)
    owner, old = it.land(start)[:2]
    start = it.hold(owner)
    value, same = _changed(it, node, old, more, spelled(target))
    owner = it.land(start)[0]
    _put_back(it, target, owner, index, value, same=same)


CHANGING = {"add": containers.extend, "or": containers.merge}
"""What `+=` and `|=` do to lists, sets and mappings; other objects share the change."""


def _changed(it: Interpreter, node: cst.AugAssign, old: Value, more: Value, name: str) -> tuple[Value, bool]:
    """The value afterwards, and whether it is the same object, changed in place."""
    operation = AUGMENTED[type(node.operator)]
    if it.only(old, Tensor) is not None:
        row = OPERATIONS.get(f"operator.i{operation}")
        write(it, node.target, old, row.name if row else operation, "augmented", [more], name)
        return old, True
    if it.only(old, Container) is not None and operation in CHANGING:
        CHANGING[operation](it, node, old, more)
        return old, True
    method = method_of(it, old, f"__i{operation}__")
    if method is not None:
        return call_function(it, node, method, Arguments([old, more])), False
    binary = {"and": "and_", "or": "or_"}.get(operation, operation)
    assert binary in BINARY.values()
    return compute(it, node, binary, [old, more]), False


def _put_back(it: Interpreter, target: Any, owner: Value, index: Value, value: Value, *, same: bool) -> None:
    """Bind the result; where the object itself was changed nothing is bound to another one."""
    if isinstance(target, cst.Name):
        it.bind(target.value, value)
    elif same:
        return
    elif isinstance(target, cst.Subscript):
        if it.may_be(owner, Tensor):
            write(it, target, owner, "setitem", "augmented", [value], spelled(target.value))
        elif it.may_be(owner, Container):
            containers.set_item(it, target, owner, index, value)
    else:
        assign(it, target, target, value)


@statement(cst.Del)
def del_(it: Interpreter, node: cst.Del) -> None:
    _delete(it, node.target)


def _delete(it: Interpreter, target: Any) -> None:
    if isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            _delete(it, element.value)
    elif isinstance(target, cst.Name):
        frame = it.frame.declared.get(target.value, it.frame)
        it.state.names.pop((frame.id, target.value), None)
    elif isinstance(target, cst.Subscript):
        start = it.hold(it.value(target.value))
        index = index_value(it, target)
        containers.delete_item(it, it.land(start)[0], index)
    else:
        it.value(target)


@statement(cst.Global, cst.Nonlocal)
def declared(it: Interpreter, node: Any) -> None:
    for item in node.names:
        name = item.name.value
        frame = it.frame.parent
        if type(node) is cst.Global:
            it.frame.declared[name] = it.frames[0]
            continue
        while frame is not None and (frame.id, name) not in it.state.names:
            frame = frame.parent
        if frame is not None:
            it.frame.declared[name] = frame


@statement(*([cst.TypeAlias] if hasattr(cst, "TypeAlias") else []))
def type_alias(it: Interpreter, node: Any) -> None:
    it.bind(node.name.value, Plain("type"))


# ---- imports


@statement(cst.Import, *([cst.LazyImport] if hasattr(cst, "LazyImport") else []))
def import_(it: Interpreter, node: cst.Import) -> None:
    for alias in node.names:
        path = dotted(alias.name)
        if alias.asname is not None:
            it.bind(dotted(alias.asname.name), Named(path))
        else:
            first = path.split(".")[0]
            it.bind(first, Named(first))


@statement(cst.ImportFrom, *([cst.LazyImportFrom] if hasattr(cst, "LazyImportFrom") else []))
def import_from(it: Interpreter, node: cst.ImportFrom) -> None:
    dots = "." * len(node.relative)
    base = dots + (dotted(node.module) if node.module is not None else "")
    if isinstance(node.names, cst.ImportStar):
        it.counts["star imports"] += not it.muted
        return
    for alias in node.names:
        path = f"{base}.{dotted(alias.name)}" if base != dots else f"{base}{dotted(alias.name)}"
        it.bind(dotted(alias.asname.name) if alias.asname is not None else dotted(alias.name), Named(canonical(path)))


ALIASES = {"torch.nn.functional": "torch.nn.functional", "torch.autograd.variable.Variable": "torch.autograd.Variable"}


def canonical(path: str) -> str:
    """One spelling for what torch offers under several."""
    return ALIASES.get(path, path)


# ---- branches


@statement(cst.If)
def if_(it: Interpreter, node: cst.If) -> None:
    after: list[State] = []
    branch: Any = node
    while type(branch) is cst.If:
        decided = truthiness(it, it.value(branch.test))
        aside = it.fork()
        if decided is not NO:
            narrow(it, branch.test, True)
            it.run_body(branch.body.body)
            after.append(it.state)
        it.state = aside
        if decided is YES:
            it.end_path()
            break
        narrow(it, branch.test, False)
        branch = branch.orelse
        if not it.state.live:
            break
    if type(branch) is cst.Else and it.state.live:
        it.run_body(branch.body.body)
    it.join([*after, it.state])


@statement(cst.Match)
def match_(it: Interpreter, node: cst.Match) -> None:
    start = it.hold(it.value(node.subject))
    after: list[State] = []
    for case in node.cases:
        if not it.state.live:
            break
        aside = it.fork()
        always = match_case(it, case.pattern, it.state.flight[start])
        if case.guard is not None:
            it.value(case.guard)
            narrow(it, case.guard, True)
            always = False
        it.run_body(case.body.body)
        after.append(it.state)
        it.state = aside
        if always:
            it.end_path()
    it.join([*after, it.state])
    it.land(start)


# ---- leaving


@statement(cst.Return)
def return_(it: Interpreter, node: cst.Return) -> None:
    value = it.value(node.value) if node.value is not None else Const(None)
    if node.value is not None and not it.muted:
        it.emit(
            events.Returned, node.value, value=it.thing(value), name=spelled(node.value), **written_since(it, [value])
        )
    it.state.names[it.frame.id, RESULT] = value
    it.frame.returns.append(it.fork())
    it.end_path()


@statement(cst.Break)
def break_(it: Interpreter, node: cst.Break) -> None:
    if it.frame.loop is not None:
        it.frame.loop.breaks.append(it.fork())
    it.end_path()


@statement(cst.Continue)
def continue_(it: Interpreter, node: cst.Continue) -> None:
    if it.frame.loop is not None:
        it.frame.loop.continues.append(it.fork())
    it.end_path()


@statement(cst.Raise)
def raise_(it: Interpreter, node: cst.Raise) -> None:
    for part in (node.exc, node.cause.item if node.cause is not None else None):
        if part is not None:
            it.value(part)
    if it.frame.tries:
        it.snapshot()
    it.end_path()


@statement(cst.Assert)
def assert_(it: Interpreter, node: cst.Assert) -> None:
    decided = truthiness(it, it.value(node.test))
    if node.msg is not None:
        aside = it.fork()
        it.value(node.msg)
        it.state = aside
    if decided is NO:
        it.end_path()
        return
    narrow(it, node.test, True)


# ---- try and with: whatever leaves them passes through them


@statement(cst.Try, *([cst.TryStar] if hasattr(cst, "TryStar") else []))
def try_(it: Interpreter, node: Any) -> None:
    before = [len(waiting) for waiting in it.frame.pending()]
    tries = it.frame.tries
    tries.append(it.fork())
    it.run_body(node.body.body)
    raised = tries.pop()
    tries.append(None if raised is None or _catches_all(node.handlers) else raised.copy())
    if node.orelse is not None:
        it.run_body(node.orelse.body.body)
    after: list[State] = [it.state]
    for handler in node.handlers:
        it.state = raised.copy() if raised is not None else State(live=False)
        if handler.type is not None:
            it.value(handler.type)
        if handler.name is not None:
            it.bind(handler.name.name.value, Plain("exception"))
        it.run_body(handler.body.body)
        after.append(it.state)
    uncaught = tries.pop()
    it.join(after)
    if node.finalbody is not None:
        uncaught = _finally(it, node.finalbody.body.body, before, uncaught)
    let_out(it, uncaught)


def _catches_all(handlers: Any) -> bool:
    return any(handler.type is None or dotted(handler.type) in ("Exception", "BaseException") for handler in handlers)


def _finally(it: Interpreter, body: Any, before: list[int], uncaught: State | None) -> State | None:
    """Run the final block on every way out; the first that there is runs aloud. What still is uncaught comes back."""
    aloud = it.state.live
    if aloud:
        it.run_body(body)
    elif any(len(waiting) > length for waiting, length in zip(it.frame.pending(), before, strict=False)):
        aloud = True
        passing(it, before, lambda: it.run_body(body))
        before = [len(waiting) for waiting in it.frame.pending()]
    it.muted += aloud
    passing(it, before, lambda: it.run_body(body))
    if uncaught is not None:
        normal, it.state = it.state, uncaught
        it.run_body(body)
        uncaught, it.state = it.state, normal
    it.muted -= aloud
    return uncaught


@statement(cst.With)
def with_(it: Interpreter, node: cst.With) -> None:
    _within(it, node, 0)


def _within(it: Interpreter, node: cst.With, index: int, expected: int = 0) -> None:
    """Enter the managers from this one on, run the block, and leave them; some may expect an error in the block."""
    if index == len(node.items):
        it.expected += expected
        it.run_body(node.body.body)
        it.expected -= expected
        return
    item = node.items[index]
    mode = (it.state.grad_mode, it.state.inference)  # making the manager may already switch
    manager = it.value(item.item)
    it.emit(events.ContextEntered, item.item, manager=it.thing(manager))

    def block(entered: Value) -> None:
        if item.asname is not None:
            assign(it, item, item.asname.name, entered)
        _within(it, node, index + 1, expected + (not _lets_pass(manager)))

    if is_manager(it, manager):
        run_around(it, item.item, manager, block)
    else:
        _managed(it, node, item.item, manager, mode, block)


def _managed(
    it: Interpreter,
    node: cst.With,
    place: Any,
    manager: Value,
    mode: tuple[Truth, Truth],
    block: Callable[[Value], None],
) -> None:
    """A block under a manager that is no generator: afterwards the grad mode is `mode`."""
    before = [len(waiting) for waiting in it.frame.pending()]
    start = it.hold(manager)
    entered = _entered(it, place, manager)
    entry = it.fork() if not _lets_pass(manager) else None
    with restoring(it, mode):
        block(entered)
    manager = it.state.flight[start] if len(it.state.flight) > start else manager

    def leave() -> None:
        _exited(it, place, manager)
        it.state.grad_mode, it.state.inference = mode

    if (it.state.grad_mode, it.state.inference) != mode and it.state.live:
        it.emit(events.GradModeChanged, node, before=it.state.grad_mode, to=mode[0], how="with")
    if it.state.live:
        leave()
    with it.silently():
        passing(it, before, leave)
    if entry is not None:
        entry.grad_mode, entry.inference = mode
        it.join([it.state, entry])
    it.land(start)


def _exited(it: Interpreter, place: Any, manager: Value) -> None:
    """An `__exit__` written in the program runs as if no error had happened."""
    method = method_of(it, manager, "__exit__", "__aexit__")
    if method is not None:
        call_function(it, it.place_of(place, "exit"), method, Arguments([manager, *[Const(None)] * 3]))


def _lets_pass(manager: Value) -> bool:
    """Whether an exception inside surely leaves the block (`contextlib.suppress`, `pytest.raises` keep it in)."""
    return not (type(manager) is Plain and manager.kind == "suppress")


def _entered(it: Interpreter, node: Any, manager: Value) -> Value:
    """What `as` binds; grad modes are switched on the way."""
    if type(manager) is Context:
        it.emit(events.GradModeChanged, node, before=it.state.grad_mode, to=manager.to, how="with")
        switch(it, manager)
        return Const(None)
    method = method_of(it, manager, "__enter__", "__aenter__")
    if method is not None:
        return call_function(it, node, method, Arguments([manager]))
    if any(type(option) is Context for option in alternatives(manager)):
        it.state.grad_mode = it.state.grad_mode | MAYBE
    elif may_switch(it, manager):
        it.state.grad_mode = it.state.grad_mode | Truth.unsure()
    return manager


def may_switch(it: Interpreter, manager: Value) -> bool:
    """Whether entering something unknown may change the grad mode: what it is called is all we have."""
    if type(manager) is Named:
        return manager.path in CONTEXTS
    return False


def switch(it: Interpreter, context: Context) -> None:
    """From here on this grad mode holds."""
    it.state.grad_mode = context.to
    if context.inference is not None:
        it.state.inference = context.inference


# ---- definitions


@statement(cst.FunctionDef)
def function(it: Interpreter, node: cst.FunctionDef) -> None:
    owner = it.frame.scope.node if type(it.frame.scope.node) is cst.ClassDef else None
    made = make_function(it, node, node.name.value, owner)
    value: Value = made
    for decorator in reversed(node.decorators):
        mode = (it.state.grad_mode, it.state.inference)
        found = it.value(decorator.decorator)
        it.state.grad_mode, it.state.inference = mode
        value = decorated(it, decorator.decorator, value, found)
        made = value if type(value) is Function and value.node is node else with_decorator(made, found)
    it.functions[node] = made
    name = node.name.value
    it.bind(name if made.name == name else made.name, value)


def with_decorator(function: Function, decorator: Value) -> Function:
    """The function with one more decorator."""
    return replace(function, decorators=(*function.decorators, decorator))


KINDS = {
    "builtins.staticmethod": "static",
    "builtins.classmethod": "class",
    "builtins.property": "property",
    "functools.cached_property": "property",
    "abc.abstractproperty": "property",
}
KEEPING = tuple(
    "functools. abc. typing. typing_extensions. builtins. contextlib. warnings. pytest. numba. torch.jit. "
    "torch.compile torch.autograd.function. torch.amp. torch.cuda.amp.".split()
)
"""Where decorators come from that run the function as it is, in the mode they are called in."""


def decorated(it: Interpreter, node: Any, value: Value, decorator: Value) -> Value:
    """What a decorator makes of a function."""
    if type(value) is not Function:
        return value
    if (made := _made_by_program(it, node, value, decorator)) is not None:
        return made
    value = with_decorator(value, decorator)
    if type(decorator) is Context:
        return replace(value, modes=(decorator, *value.modes))
    if type(decorator) is Named:
        if decorator.path in KINDS:
            return replace(value, kind=KINDS[decorator.path])
        row = CONTEXTS.get(decorator.path)
        if row is not None:
            made = call_value(it, node, decorator, Arguments(), "")
            return replace(value, modes=(made, *value.modes)) if type(made) is Context else value
    if _path_of(it, node, decorator).startswith(KEEPING):
        return value
    if dotted(node).endswith(".getter"):
        return replace(value, kind="property")
    if dotted(node).endswith((".setter", ".deleter")):
        return replace(
            value, name=setter_of(value.name) if dotted(node).endswith(".setter") else f"{value.name} deleter"
        )
    it.escaped_functions[value.node] = None
    return replace(value, modes=(Context("decorator", Truth.unsure()), *value.modes))


def _path_of(it: Interpreter, node: Any, decorator: Value) -> str:
    """The import path of a decorator, with or without arguments."""
    if type(decorator) is not Named and isinstance(node, cst.Call):
        decorator = it.value(node.func)
    return decorator.path if type(decorator) is Named else ""


def _made_by_program(it: Interpreter, node: Any, value: Value, decorator: Value) -> Value | None:
    """What a decorator written in the program makes; None for others, and where that is not known."""
    if type(decorator) is not Function and not it.may_be(decorator, Class):
        return None
    made = call_value(it, it.place_of(node, "decorator"), decorator, Arguments([value]), "")
    return None if any(type(option) is Unknown for option in alternatives(made)) or not it.state.live else made


@statement(cst.ClassDef)
def class_(it: Interpreter, node: cst.ClassDef) -> None:
    start = it.hold(*it.values([decorator.decorator for decorator in node.decorators]))
    value: Value = define(it, node)
    for decorator in reversed(it.land(start)):
        start = it.hold(value)
        made = _made_by_program(it, node, value, decorator)
        value = it.land(start)[0] if made is None else made
    it.bind(node.name.value, value)
