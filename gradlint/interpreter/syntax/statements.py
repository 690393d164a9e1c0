"""Statements: assignment, imports, branches, and what ends a path."""

from __future__ import annotations

from typing import Any

import libcst as cst

from gradlint.domain.facts import NO, YES
from gradlint.domain.mentions import object_references
from gradlint.domain.objects import Array, Container, Module, Node, Tensor
from gradlint.domain.provenance import WriteKind
from gradlint.domain.refs import Ref
from gradlint.domain.state import State
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import UNKNOWN, Constant, Imported, ImportPath, PlainObject, Unknown, Value
from gradlint.interpreter.autograd.in_place import Write, maybe_written, write
from gradlint.interpreter.autograd.record import Saves, saved_in_place
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot, executes
from gradlint.interpreter.engine.frames import RESULT
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.places import poke
from gradlint.interpreter.nn import module_containers
from gradlint.interpreter.nn.module_protocol import REGISTRIES
from gradlint.interpreter.python import containers
from gradlint.interpreter.python.attribute_load import found_at, get_attribute
from gradlint.interpreter.python.attribute_store import Written, delete_attribute, has_setter, set_attribute
from gradlint.interpreter.python.dynamic_attributes import delete_by_name
from gradlint.interpreter.python.functions import call_function, emit_returned
from gradlint.interpreter.python.items import get_item
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.python.ndarray import write_array
from gradlint.interpreter.static.scopes import dotted, spelled
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.static.tree_walk import in_order
from gradlint.interpreter.syntax import receivers
from gradlint.interpreter.syntax.assignment import assign, is_own, set_item
from gradlint.interpreter.syntax.match import matches
from gradlint.interpreter.syntax.narrowing import assume, narrow, narrow_class, truthiness
from gradlint.interpreter.syntax.operators import BINARY, compute
from gradlint.interpreter.syntax.subscripts import index_value
from gradlint.interpreter.unknown.annotations import value_of
from gradlint.interpreter.unknown.duck_typing import kind_from_usage

executes(cst.SimpleStatementLine, cst.SimpleStatementSuite, cst.IndentedBlock)(lambda m, node: m.run_body(node.body))


@executes(cst.Pass)
def pass_(m: Interpreter, node: cst.Pass) -> None:
    pass


@executes(cst.Assign)
def assign_(m: Interpreter, node: cst.Assign) -> None:
    start = m.push(m.value(node.value))
    for target in node.targets:
        m.state.stack[start] = assign(m, node, target.target, m.state.stack[start])
    m.pop_from(start)


@executes(cst.AnnAssign)
def annotated(m: Interpreter, node: cst.AnnAssign) -> None:
    if node.value is None:
        return
    value = m.value(node.value)
    told = value_of(m, node, node.annotation.annotation) if type(value) is Unknown else None
    assign(m, node, node.target, value if told is None else told)


AUGMENTED = {getattr(cst, f"{kind.__name__}Assign"): name for kind, name in BINARY.items()}


@executes(cst.AugAssign)
def augmented(m: Interpreter, node: cst.AugAssign) -> None:
    """`target op= value`: tensors and lists are changed in place, everything else is bound anew."""
    target: Any = node.target
    index: Value = UNKNOWN
    if isinstance(target, cst.Subscript):
        index, (owner,) = m.keeping(lambda: index_value(m, target), m.value(target.value))
        start = m.push(owner, get_item(m, target, owner, index))
    elif isinstance(target, cst.Attribute):
        owner = m.value(target.value)
        receivers.note(m, target, owner)
        start = m.push(owner, get_attribute(m, target, owner, target.attr.value, dotted(target.value)))
    else:
        owner = UNKNOWN
        start = m.push(owner, m.value(target))
    more = m.value(node.value)
    owner, old = m.pop_from(start)[:2]
    (value, same), (owner,) = m.keeping(lambda: _changed(m, node, old, more, spelled(target)), owner)
    _put_back(m, target, owner, index, value, same=same)


CHANGING = {"add": containers.extend, "or": containers.merge}
"""The work of `+=` and `|=` on lists, sets and mappings; other objects share the change."""


def _changed(m: Interpreter, node: cst.AugAssign, old: Value, more: Value, name: str) -> tuple[Value, bool]:
    """The value afterwards, and whether it is the same object, changed in place."""
    binary = AUGMENTED[type(node.operator)]
    operation = binary.removesuffix("_")
    if m.only(old, Tensor) is not None:
        write(m, old, _written_by(m, node, old, more, name))
        return old, True
    if m.only(old, Array) is not None:
        write_array(m, node.target, old, operation, name)
        return old, True
    if m.only(old, Container) is not None and operation in CHANGING:
        CHANGING[operation](m, node, old, more)
        return old, True
    if operation == "add" and (found := module_containers.added(m, node, old, more, in_place=True)) is not None:
        return found, True
    method = method_of(m, old, f"__i{operation}__")
    if method is not None:
        return call_function(m, node, method, Arguments([old, more])), False
    if m.may_be(old, Tensor) or any(type(option) is Unknown for option in alternatives(old)):
        start = m.push(old, more)
        maybe_written(m, lambda: write(m, old, _written_by(m, node, old, more, name)))
        old, more = m.pop_from(start)
    start = m.push(*(ref for ref, _ in m.all(old, Tensor) if _held_elsewhere(m, node.target, ref)))
    computed = compute(m, node, binary, [old, more])
    return one_of((*m.pop_from(start), computed)), False


def _held_elsewhere(m: Interpreter, target: Any, ref: Ref) -> bool:
    """Return whether anything but this variable holds an object: else its identity afterwards shows nowhere."""
    if not isinstance(target, cst.Name):
        return True
    frame = m.frame.declared.get(target.value, m.frame)
    others = [value for name, value in m.state.names.items() if name != (frame.id, target.value)]
    if any(ref in alternatives(value) for value in (*others, *m.state.stack)):
        return True
    return any(ref in object_references(thing) for thing in m.state.heap.values() if type(thing) not in (Node, Tensor))


def _written_by(m: Interpreter, node: cst.AugAssign, old: Value, more: Value, name: str) -> Write:
    """The write in place that an augmented assignment to a tensor is."""
    operation = AUGMENTED[type(node.operator)].removesuffix("_")
    row = m.torch.operations.get(f"operator.i{operation}")
    saves = saved_in_place(m, row.savings, [("input", old), ("other", more)], old) if row else Saves()
    op = row.name if row else operation
    return Write(node.target, op, WriteKind.AUGMENTED, [more], name, saves=saves, added=node.value)


def _put_back(m: Interpreter, target: Any, owner: Value, index: Value, value: Value, *, same: bool) -> None:
    """Bind the result; where the object itself was changed only what the program says of such a binding is done."""
    if isinstance(target, cst.Name):
        variables.bind(m, target.value, kind_from_usage(m, target, value, target.value))
    elif isinstance(target, cst.Subscript):
        if m.may_be(owner, Tensor) and not same:
            write(m, owner, Write(target, "setitem", WriteKind.AUGMENTED, [value], spelled(target.value)))
        elif not same or method_of(m, owner, "__setitem__") is not None:
            set_item(m, target, owner, index, value)
    elif not same or has_setter(m, owner, target.attr.value):
        written = Written(spelled(target.value), is_own(m, owner))
        set_attribute(m, target, owner, target.attr.value, value, written)


executes(cst.Del)(lambda m, node: _delete(m, node.target))


def _delete(m: Interpreter, target: Any) -> None:
    if isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            _delete(m, element.value)
    elif isinstance(target, cst.Name):
        frame = m.frame.declared.get(target.value, m.frame)
        m.state.names.pop((frame.id, target.value), None)
    elif (registry := _registry(target)) is not None:
        _delete_registered(m, target, registry)
    elif isinstance(target, cst.Subscript):
        index, (owner,) = m.keeping(lambda: index_value(m, target), m.value(target.value))
        _delete_item(m, target, owner, index)
    elif isinstance(target, cst.Attribute):
        delete_attribute(m, target, m.value(target.value), target.attr.value)
    else:
        m.value(target)


def _registry(target: Any) -> cst.Attribute | None:
    """Return the registry of a module in `del module._parameters[name]`."""
    held = target.value if isinstance(target, cst.Subscript) else None
    return held if isinstance(held, cst.Attribute) and held.attr.value in REGISTRIES else None


def _delete_registered(m: Interpreter, target: cst.Subscript, registry: cst.Attribute) -> None:
    name, (owner,) = m.keeping(lambda: index_value(m, target), m.value(registry.value))
    if m.may_be(owner, Module):
        delete_by_name(m, target, owner, name)
    else:
        _delete_item(m, target, get_attribute(m, target, owner, registry.attr.value, ""), name)


def _delete_item(m: Interpreter, node: Site, owner: Value, index: Value) -> None:
    method = method_of(m, owner, "__delitem__")
    if method is not None:
        call_function(m, node, method, Arguments([owner, index]))
        return
    for delete in SLOTS[TypeSlot.DELETE_ITEM].values():
        delete(m, owner, index)


@executes(cst.Global, cst.Nonlocal)
def declared(m: Interpreter, node: cst.Global | cst.Nonlocal) -> None:
    for item in node.names:
        name = item.name.value
        frame = m.frame.parent
        if type(node) is cst.Global:
            m.frame.declared[name] = m.frames[m.frame.file.frame]
            continue
        while frame is not None and m.state.held((frame.id, name)) is None:
            frame = frame.parent
        if frame is not None:
            m.frame.declared[name] = frame


executes(*([cst.TypeAlias] if hasattr(cst, "TypeAlias") else []))(
    lambda m, node: variables.bind(m, node.name.value, PlainObject("type"))
)


@executes(cst.Import, *([cst.LazyImport] if hasattr(cst, "LazyImport") else []))
def import_(m: Interpreter, node: cst.Import) -> None:
    for alias in node.names:
        path = dotted(alias.name)
        bound, path = (dotted(alias.asname.name), path) if alias.asname is not None else (path.split(".")[0],) * 2
        variables.bind(m, bound, m.neighbours.module(path) or ImportPath(path))


@executes(cst.ImportFrom, *([cst.LazyImportFrom] if hasattr(cst, "LazyImportFrom") else []))
def import_from(m: Interpreter, node: cst.ImportFrom) -> None:
    dots = "." * len(node.relative)
    base = dots + (dotted(node.module) if node.module is not None else "")
    home = m.neighbours.module(base.removeprefix(dots), len(dots))
    if isinstance(node.names, cst.ImportStar):
        if home is not None:
            m.neighbours.star(home.module)
        else:
            m.log.counts["star imports"] += not m.log.muted
        return
    for alias in node.names:
        name = dotted(alias.name)
        path = f"{base}.{name}" if base != dots else f"{base}{name}"
        value = found_at(m, canonical(path)) if home is None else Imported(home.module, name)
        variables.bind(m, dotted(alias.asname.name) if alias.asname is not None else name, value)


ALIASES = {"torch.autograd.variable.Variable": "torch.autograd.Variable"}


def canonical(path: str) -> str:
    """One spelling for what torch offers under several."""
    return ALIASES.get(path, path)


@executes(cst.If)
def if_(m: Interpreter, node: cst.If) -> None:
    after: list[State] = []
    branch: Any = node
    while type(branch) is cst.If:
        decided = truthiness(m, m.value(branch.test))
        aside, left = m.fork(), _left_so_far(m)
        if decided is not NO:
            assume(m, branch.test, True, decided)
            outer, m.conditions = m.conditions, (*m.conditions, (branch.test, True))
            m.run_body(branch.body.body)
            m.conditions = outer
            after.append(m.state)
        m.state = aside
        if decided is YES and (after[-1].live or not _asks_what_runs(branch.test)):
            m.end_path()
            break
        raised = decided is not NO and not after[-1].live and _left_so_far(m) == left
        assume(m, branch.test, False, NO if raised else decided)
        branch = branch.orelse
        if not m.state.live:
            break
    if type(branch) is cst.Else and m.state.live:
        outer, m.conditions = m.conditions, (*m.conditions, (node.test, False))
        m.run_body(branch.body.body)
        m.conditions = outer
    m.join([*after, m.state])


def _asks_what_runs(test: Any) -> bool:
    """Return whether a test reads `__name__`: the file is a script there, but others may import it, for whom all that
    stands behind a branch that exits is there as well."""
    return any(type(node) is cst.Name and node.value == "__name__" for node in in_order(test))


def _left_so_far(m: Interpreter) -> int:
    """Return the number of states that have left the normal path other than by an error."""
    return sum(len(states) for states in m.frame.pending())


@executes(cst.Match)
def match_(m: Interpreter, node: cst.Match) -> None:
    """Each case takes the alternatives of the subject that it may match; the others go on to the next, and those for
    which its guard fails, with the names of its pattern bound."""
    start = m.push(m.value(node.subject))
    after: list[State] = []
    for case in node.cases:
        aside, entered, left, missed = m.fork(), list[State](), list[Value](), list[State]()
        for option in alternatives(m.state.stack[start]):
            m.state = aside.copy()
            poke(m, node.subject, option)
            verdict = matches(m, case.pattern, option)
            if verdict is not NO and isinstance(case.pattern, cst.MatchClass):
                narrow_class(m, node.subject, case.pattern.cls)
            if verdict not in (YES, NO):
                m.state.guards |= {(case, True)}
            if verdict is not NO:
                entered.append(m.state)
            if verdict is not YES or case.guard is not None:
                left.append(option)
            if verdict is not YES:
                missed = [aside]
        if entered:
            m.join(entered)
            missed += _run_case(m, case)
            after.append(m.state)
        m.state = aside
        if not missed:
            m.end_path()
            break
        m.join(missed)
        m.state.stack[start] = one_of(left, len(left))
        poke(m, node.subject, m.state.stack[start])
    m.join([*after, m.state])
    m.pop_from(start)


def _run_case(m: Interpreter, case: cst.MatchCase) -> list[State]:
    """Run a case if its guard holds; gives the state in which it fails, if it may."""
    failed: list[State] = []
    if case.guard is not None:
        decided = truthiness(m, m.value(case.guard))
        if decided is not YES:
            aside = m.fork()
            assume(m, case.guard, False, decided)
            failed = [m.state] if m.state.live else []
            m.state = aside
        assume(m, case.guard, True, decided)
        if decided is NO:
            m.end_path()
    if m.state.live:
        m.run_body(case.body.body)
    return failed


@executes(cst.Return)
def return_(m: Interpreter, node: cst.Return) -> None:
    value = m.value(node.value) if node.value is not None else Constant(None)
    if node.value is not None:
        emit_returned(m, node.value, value)
    m.state.names[m.frame.id, RESULT] = value
    m.frame.returns.append(m.fork())
    m.end_path()


@executes(cst.Break, cst.Continue)
def leave_round(m: Interpreter, node: cst.Break | cst.Continue) -> None:
    if (loop := m.frame.loop) is not None:
        (loop.breaks if type(node) is cst.Break else loop.continues).append(m.fork())
    m.end_path()


@executes(cst.Raise)
def raise_(m: Interpreter, node: cst.Raise) -> None:
    for part in (node.exc, node.cause.item if node.cause is not None else None):
        if part is not None:
            m.value(part)
    m.raises()


@executes(cst.Assert)
def assert_(m: Interpreter, node: cst.Assert) -> None:
    decided = truthiness(m, m.value(node.test))
    if node.msg is not None:
        aside = m.fork()
        m.value(node.msg)
        m.state = aside
    if decided is NO:
        m.end_path()
        return
    narrow(m, node.test, True)
