"""Statements: assignment, imports, branches, and what ends a path."""

from __future__ import annotations

from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain import (
    NO,
    UNKNOWN,
    YES,
    Array,
    Bound,
    Const,
    Container,
    Imported,
    Module,
    Named,
    Node,
    Plain,
    Ref,
    State,
    Tensor,
    Unknown,
    Value,
    alternatives,
    object_references,
    one_of,
)
from gradlint.interpreter.autograd.in_place import Write, perhaps_written, write
from gradlint.interpreter.autograd.saved_tensors import Saves, saved_in_place
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import executes
from gradlint.interpreter.engine.frames import RESULT
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.places import peek, poke
from gradlint.interpreter.nn import module_containers
from gradlint.interpreter.python import containers
from gradlint.interpreter.python.attribute_load import found_at, get_attribute
from gradlint.interpreter.python.attribute_store import delete_attribute, has_setter, set_attribute
from gradlint.interpreter.python.functions import call_function, tell_returned
from gradlint.interpreter.python.items import get_item
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.python.ndarray import write_array
from gradlint.interpreter.static.scopes import dotted, spelled
from gradlint.interpreter.syntax import receivers
from gradlint.interpreter.syntax.assignment import assign, is_own, set_item
from gradlint.interpreter.syntax.match import matches
from gradlint.interpreter.syntax.narrowing import assume, narrow, narrow_class, truthiness
from gradlint.interpreter.syntax.operators import BINARY, compute
from gradlint.interpreter.syntax.subscripts import index_value
from gradlint.interpreter.unknown.annotations import value_of
from gradlint.interpreter.unknown.duck_typing import told_by_use


@executes(cst.SimpleStatementLine, cst.SimpleStatementSuite, cst.IndentedBlock)
def block(it: Interpreter, node: Any) -> None:
    it.run_body(node.body)


@executes(cst.Pass)
def pass_(it: Interpreter, node: cst.Pass) -> None:
    pass


@executes(cst.Expr)
def expression_statement(it: Interpreter, node: cst.Expr) -> None:
    value = it.value(node.value)
    if type(node.value) is cst.Yield:
        it.unknown.pop(node.value, None)  # what the generator is sent here goes nowhere
        return
    if it.unheard or type(node.value) in (cst.SimpleString, cst.ConcatenatedString):
        return
    last = it.story[-1] if it.story else None
    about: dict[str, Any] = {}
    if type(last) is events.Called and last.node is node.value:
        given = node.value.args
        by_function = given and last.args and last.name and last.name == spelled(last.callee)
        name = spelled(given[0].value) if by_function else last.name
        about = {"of": last.args[0] if last.args else UNKNOWN, "called": last.path, "name": name}
    elif type(node.value) is cst.Attribute:
        owner = value.owner if type(value) is Bound else peek(it, node.value.value)
        about = {"of": UNKNOWN if owner is None else it.thing(owner), "attribute": node.value.attr.value}
        about["name"] = spelled(node.value.value)
    it.emit(events.ResultDiscarded, node.value, value=it.thing(value), **about)


@executes(cst.Assign)
def assign_(it: Interpreter, node: cst.Assign) -> None:
    start = it.hold(it.value(node.value))
    for target in node.targets:
        it.state.flight[start] = assign(it, node, target.target, it.state.flight[start])
    it.land(start)


@executes(cst.AnnAssign)
def annotated(it: Interpreter, node: cst.AnnAssign) -> None:
    if node.value is None:
        return
    value = it.value(node.value)
    told = value_of(it, node, node.annotation.annotation) if type(value) is Unknown else None
    assign(it, node, node.target, value if told is None else told)


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


@executes(cst.AugAssign)
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
        receivers.note(it, target, owner)
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
        write(it, old, _written_by(it, node, old, more, name))
        return old, True
    if it.only(old, Array) is not None:
        write_array(it, node.target, old, operation, name)
        return old, True
    if it.only(old, Container) is not None and operation in CHANGING:
        CHANGING[operation](it, node, old, more)
        return old, True
    if operation == "add" and (found := module_containers.added(it, node, old, more, in_place=True)) is not None:
        return found, True
    method = method_of(it, old, f"__i{operation}__")
    if method is not None:
        return call_function(it, node, method, Arguments([old, more])), False
    binary = {"and": "and_", "or": "or_"}.get(operation, operation)
    assert binary in BINARY.values()
    if it.may_be(old, Tensor) or any(type(option) is Unknown for option in alternatives(old)):
        start = it.hold(old, more)
        perhaps_written(it, lambda: write(it, old, _written_by(it, node, old, more, name)))
        old, more = it.land(start)
    start = it.hold(*(ref for ref, _ in it.all(old, Tensor) if _held_elsewhere(it, node.target, ref)))
    computed = compute(it, node, binary, [old, more])
    return one_of((*it.land(start), computed)), False


def _held_elsewhere(it: Interpreter, target: Any, ref: Ref) -> bool:
    """Whether anything but this variable holds an object: else whether it is the same one afterwards shows nowhere."""
    if not isinstance(target, cst.Name):
        return True
    frame = it.frame.declared.get(target.value, it.frame)
    others = [value for name, value in it.state.names.items() if name != (frame.id, target.value)]
    if any(ref in alternatives(value) for value in (*others, *it.state.flight)):
        return True
    return any(ref in object_references(thing) for thing in it.state.heap.values() if type(thing) not in (Node, Tensor))


def _written_by(it: Interpreter, node: cst.AugAssign, old: Value, more: Value, name: str) -> Write:
    """The write in place that an augmented assignment to a tensor is."""
    operation = AUGMENTED[type(node.operator)]
    row = it.torch.operations.get(f"operator.i{operation}")
    saves = saved_in_place(it, row.saves, [("input", old), ("other", more)], old) if row else Saves()
    op = row.name if row else operation
    return Write(node.target, op, "augmented", [more], name, saves=saves, added=node.value)


def _put_back(it: Interpreter, target: Any, owner: Value, index: Value, value: Value, *, same: bool) -> None:
    """Bind the result; where the object itself was changed only what the program says of such a binding is done."""
    if isinstance(target, cst.Name):
        it.bind(target.value, told_by_use(it, target, value, target.value))
    elif isinstance(target, cst.Subscript):
        if it.may_be(owner, Tensor) and not same:
            write(it, owner, Write(target, "setitem", "augmented", [value], spelled(target.value)))
        elif not same or method_of(it, owner, "__setitem__") is not None:
            set_item(it, target, owner, index, value)
    elif not same or has_setter(it, owner, target.attr.value):
        set_attribute(it, target, owner, target.attr.value, value, spelled(target.value), own=is_own(it, owner))


@executes(cst.Del)
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
        _delete_item(it, target, it.land(start)[0], index)
    elif isinstance(target, cst.Attribute):
        delete_attribute(it, target, it.value(target.value), target.attr.value)
    else:
        it.value(target)


def _delete_item(it: Interpreter, node: Any, owner: Value, index: Value) -> None:
    method = method_of(it, owner, "__delitem__")
    if method is not None:
        call_function(it, node, method, Arguments([owner, index]))
    else:
        containers.delete_item(it, owner, index)
        for ref in it.one_of_these(owner, Module):
            module_containers.delete_item(it, ref, index)


@executes(cst.Global, cst.Nonlocal)
def declared(it: Interpreter, node: Any) -> None:
    for item in node.names:
        name = item.name.value
        frame = it.frame.parent
        if type(node) is cst.Global:
            it.frame.declared[name] = it.frames[it.frame.file.frame]
            continue
        while frame is not None and it.state.held((frame.id, name)) is None:
            frame = frame.parent
        if frame is not None:
            it.frame.declared[name] = frame


@executes(*([cst.TypeAlias] if hasattr(cst, "TypeAlias") else []))
def type_alias(it: Interpreter, node: Any) -> None:
    it.bind(node.name.value, Plain("type"))


@executes(cst.Import, *([cst.LazyImport] if hasattr(cst, "LazyImport") else []))
def import_(it: Interpreter, node: cst.Import) -> None:
    for alias in node.names:
        path = dotted(alias.name)
        bound, path = (dotted(alias.asname.name), path) if alias.asname is not None else (path.split(".")[0],) * 2
        it.bind(bound, it.neighbours.module(path) or Named(path))


@executes(cst.ImportFrom, *([cst.LazyImportFrom] if hasattr(cst, "LazyImportFrom") else []))
def import_from(it: Interpreter, node: cst.ImportFrom) -> None:
    dots = "." * len(node.relative)
    base = dots + (dotted(node.module) if node.module is not None else "")
    home = it.neighbours.module(base.removeprefix(dots), len(dots))
    if isinstance(node.names, cst.ImportStar):
        if home is not None:
            it.neighbours.star(home.module)
        else:
            it.counts["star imports"] += not it.muted
        return
    for alias in node.names:
        name = dotted(alias.name)
        path = f"{base}.{name}" if base != dots else f"{base}{name}"
        value = found_at(it, canonical(path)) if home is None else Imported(home.module, name)
        it.bind(dotted(alias.asname.name) if alias.asname is not None else name, value)


ALIASES = {"torch.autograd.variable.Variable": "torch.autograd.Variable"}


def canonical(path: str) -> str:
    """One spelling for what torch offers under several."""
    return ALIASES.get(path, path)


@executes(cst.If)
def if_(it: Interpreter, node: cst.If) -> None:
    after: list[State] = []
    branch: Any = node
    while type(branch) is cst.If:
        decided = truthiness(it, it.value(branch.test))
        aside, left = it.fork(), _left_so_far(it)
        if decided is not NO:
            assume(it, branch.test, True, decided)
            outer, it.conditions = it.conditions, (*it.conditions, (branch.test, True))
            it.run_body(branch.body.body)
            it.conditions = outer
            after.append(it.state)
        it.state = aside
        if decided is YES:
            it.end_path()
            break
        raised = decided is not NO and not after[-1].live and _left_so_far(it) == left
        assume(it, branch.test, False, NO if raised else decided)
        branch = branch.orelse
        if not it.state.live:
            break
    if type(branch) is cst.Else and it.state.live:
        outer, it.conditions = it.conditions, (*it.conditions, (node.test, False))
        it.run_body(branch.body.body)
        it.conditions = outer
    it.join([*after, it.state])


def _left_so_far(it: Interpreter) -> int:
    """How many states have left the normal path other than by an error."""
    return sum(len(states) for states in it.frame.pending())


@executes(cst.Match)
def match_(it: Interpreter, node: cst.Match) -> None:
    """Each case takes the alternatives of the subject that it may match; the others go on to the next, and those for
    which its guard fails, with the names of its pattern bound."""
    start = it.hold(it.value(node.subject))
    after: list[State] = []
    for case in node.cases:
        aside, entered, left, missed = it.fork(), list[State](), list[Value](), list[State]()
        for option in alternatives(it.state.flight[start]):
            it.state = aside.copy()
            poke(it, node.subject, option)
            verdict = matches(it, case.pattern, option)
            if verdict is not NO and isinstance(case.pattern, cst.MatchClass):
                narrow_class(it, node.subject, case.pattern.cls)
            if verdict not in (YES, NO):
                it.state.guards |= {(case, True)}
            if verdict is not NO:
                entered.append(it.state)
            if verdict is not YES or case.guard is not None:
                left.append(option)
            if verdict is not YES:
                missed = [aside]
        if entered:
            it.join(entered)
            missed += _run_case(it, case)
            after.append(it.state)
        it.state = aside
        if not missed:
            it.end_path()
            break
        it.join(missed)
        it.state.flight[start] = one_of(left, len(left))
        poke(it, node.subject, it.state.flight[start])
    it.join([*after, it.state])
    it.land(start)


def _run_case(it: Interpreter, case: cst.MatchCase) -> list[State]:
    """Run a case if its guard holds; gives the state in which it fails, if it may."""
    failed: list[State] = []
    if case.guard is not None:
        decided = truthiness(it, it.value(case.guard))
        if decided is not YES:
            aside = it.fork()
            assume(it, case.guard, False, decided)
            failed = [it.state] if it.state.live else []
            it.state = aside
        assume(it, case.guard, True, decided)
        if decided is NO:
            it.end_path()
    if it.state.live:
        it.run_body(case.body.body)
    return failed


@executes(cst.Return)
def return_(it: Interpreter, node: cst.Return) -> None:
    value = it.value(node.value) if node.value is not None else Const(None)
    if node.value is not None:
        tell_returned(it, node.value, value)
    it.state.names[it.frame.id, RESULT] = value
    it.frame.returns.append(it.fork())
    it.end_path()


@executes(cst.Break)
def break_(it: Interpreter, node: cst.Break) -> None:
    if it.frame.loop is not None:
        it.frame.loop.breaks.append(it.fork())
    it.end_path()


@executes(cst.Continue)
def continue_(it: Interpreter, node: cst.Continue) -> None:
    if it.frame.loop is not None:
        it.frame.loop.continues.append(it.fork())
    it.end_path()


@executes(cst.Raise)
def raise_(it: Interpreter, node: cst.Raise) -> None:
    for part in (node.exc, node.cause.item if node.cause is not None else None):
        if part is not None:
            it.value(part)
    it.raises()


@executes(cst.Assert)
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
