"""Other files of the project: found by import, run once when something in them is first needed. What importing them
emits no events, what the linted file calls in them is.

An import only says where a thing is to be found (`Imported`). The first look at it runs the top level of that file
in a state of its own, as import does, and lays down what is left: every state in which the file is
needed takes of it what it asks for. So nothing depends on where, on which path or how often a file is imported.

Other files that we do not look at may be imported besides, and register things: containers that a file leaves may
hold more than it put there. Once functions run on their own, anything may have happened to all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Protocol

import libcst as cst

from gradlint.domain.facts import NO, YES, Truth
from gradlint.domain.ground import Name
from gradlint.domain.mentions import object_references, object_renamed
from gradlint.domain.objects import Class, Container
from gradlint.domain.refs import APART, ASTRAY, OPAQUE, Ref
from gradlint.domain.state import State
from gradlint.domain.value_sets import alternatives, one_of, references, renamed
from gradlint.domain.values import UNKNOWN, Constant, Function, Imported, ImportPath, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.circumstances import Allocations, CallStack, LoopNest
from gradlint.interpreter.engine.escape import escape_graphs, havoc
from gradlint.interpreter.engine.frames import File, Frame
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import Program, Scan
from gradlint.texts import absolute

MOST_FILES = 100
"""The most other files that are run for one file."""
FEWEST_STEPS_IMPORTING = 500
"""The most statements that calls at the top levels of other files may run in all, besides as many as our file has."""
OURS = frozenset({"torch"})
"""The libraries that are known by their import path, and so never looked for in the project."""


class Neighbour(Protocol):
    """A file of the project: whether it is the `__init__` of a package, and whether it is the linted one.

    It is the same file if the path is, whatever the dotted name that led to it.
    """

    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def package(self) -> bool: ...
    @property
    def own(self) -> bool: ...
    @property
    def bare(self) -> bool:
        """Return whether it is a folder without `__init__`, which may just be called like a library."""
        ...

    def program(self) -> Program | None:
        """Its syntax; None where it cannot be read."""

    def fault(self) -> str:
        """Return the syntax error of the file, and its place."""


class Project(Protocol):
    """The files that can be imported from the linted one, which is called `name` among them."""

    @property
    def name(self) -> str: ...
    @property
    def package(self) -> bool: ...

    def find(self, module: str) -> Neighbour | None:
        """The file or package with this dotted name."""

    def public(self, module: str) -> tuple[str, ...]:
        """The names that `from module import *` binds."""

    def is_called_without_gradients(self, name: str, related: tuple[str, ...] = ()) -> bool:
        """Return whether gradients are off wherever files call what has this name in the linted one; the `related` ones
        hold the bases of its class."""

    def is_called_with_gradients(self, cls: str, method: str) -> bool:
        """Return whether another file calls a method of a class of the linted one where gradients are on."""

    def is_read_for_an_optimizer(self, name: str) -> bool:
        """Return whether another file that makes optimizers reads an attribute of this name."""

    def is_read(self, name: str) -> bool:
        """Return whether another file reads an attribute of this name of something that may be of the linted one."""

    def has_layers_with_modes(self) -> bool:
        """Return whether a file makes layers that compute something else in train mode than in eval mode."""


class Neighbours:
    """The other files, as far as one run of the interpreter knows them."""

    def __init__(self, m: Interpreter, project: Project | None) -> None:
        self.m, self.project = m, project
        self.files: dict[str, File] = {}
        self.unread: dict[str, str] = {}
        self.running: list[File] = []
        self.resolving: set[Imported] = set()
        self.places: set[int] = set()
        self.steps_left = FEWEST_STEPS_IMPORTING + m.scan.statements
        if project is not None:
            m.frame.file.name, m.frame.file.package = project.name, project.package

    # ---- what imports bind

    def module(self, path: str, dots: int = 0) -> Imported | None:
        """The module of the project that an import names from the file that runs; None for others."""
        project = self.project
        if project is None:
            return None
        file = self.m.frame.file
        path = absolute(file.name if file.package else file.name.rpartition(".")[0], dots, path)
        if not path or path.partition(".")[0] in OURS or project.find(path) is None:
            return None
        return Imported(path)

    def call_without_gradients(self, name: str, related: tuple[str, ...] = ()) -> bool:
        """Return whether gradients are off wherever they, or the linted file, call a function of that; the `related`
        ones hold the bases of its class."""
        return self.project is not None and self.project.is_called_without_gradients(name, related)

    def reads_for_an_optimizer(self, name: str) -> bool:
        """Return whether a file that imports the linted one reads an attribute of this name and makes optimizers."""
        return self.project is not None and self.project.is_read_for_an_optimizer(name)

    def reads(self, name: str) -> bool:
        """Return whether another file reads an attribute of this name of something that may be of the linted one."""
        return self.project is not None and self.project.is_read(name)

    def have_layers_with_modes(self) -> bool:
        """Return whether they, or the linted file, make layers that compute something else in train mode than in eval
        mode: a network of which only the weights or a file are shown most likely has some."""
        return self.project is not None and self.project.has_layers_with_modes()

    def called_with_gradients(self, cls: Any, methods: Iterable[Function]) -> Iterator[Function]:
        """The methods of a class of the linted file that so far ran with gradients off alone, and that they call with
        gradients on."""
        if self.project is None:
            return
        modes: dict[object, Truth] = {}
        for run in self.m.log.runs:
            if run.function is not None and run.function.owner is cls:
                modes[run.function.node] = modes.get(run.function.node, NO) | run.grad_mode
        for method in methods:
            off = modes.get(method.node, YES) <= NO
            if off and self.project.is_called_with_gradients(cls.name.value, method.name):
                yield method

    def star(self, module: str) -> None:
        """`from module import *`."""
        assert self.project is not None
        for name in self.project.public(module):
            variables.bind(self.m, name, Imported(module, name))

    # ---- looking at what was imported

    def resolved(self, value: Value) -> Value:
        """The value with everything that was only imported so far looked at; what a library may have keeps its path."""
        options = alternatives(value)
        if not any(type(option) is Imported for option in options):
            return value
        return one_of([self._resolved(option) if type(option) is Imported else option for option in options])

    def _resolved(self, value: Imported) -> Value:
        if not value.name:
            return value
        if value in self.resolving:
            return UNKNOWN
        self.resolving.add(value)
        found = self.member(value.module, value.name)
        self.resolving.discard(value)
        return ImportPath(f"{value.module}.{value.name}") if found is None else found

    def attribute(self, owner: Imported, name: str) -> Value:
        """`module.name`."""
        return self._resolved(Imported(owner.module, name))

    def member(self, module: str, name: str) -> Value | None:
        """Return the member of a module under a name; None where it may as well be a library, which has no file."""
        assert self.project is not None
        neighbour = self.project.find(module)
        if neighbour is None:
            return None
        found = self._own(name) if neighbour.own else self._read((self._file(neighbour).frame, name))
        if found is not None and found != Imported(module, name):  # `from . import submodule` in a package
            return self.resolved(found)
        if neighbour.package and self.project.find(inner := f"{module}.{name}") is not None:
            return Imported(inner)
        return None if neighbour.bare else UNKNOWN

    def _own(self, name: str) -> Value | None:
        """Return the member of the linted file under a name; imported files run before it, and see nothing of it."""
        return None if self.running else self._read((0, name))

    def _read(self, name: Name) -> Value | None:
        """Return the value of a name at the top level of some file; the caller has read it."""
        found = variables.held(self.m, name)
        if found is not None:
            self.m.effects.read[name] = found
        return found

    def set(self, module: str, name: str, value: Value) -> None:
        """`module.name = value`."""
        assert self.project is not None
        neighbour = self.project.find(module)
        if neighbour is None or neighbour.own:
            escape_graphs(self.m, [value])
            return
        file = self._file(neighbour)
        self.m.state.names[file.frame, name] = self.either_way(file, name, value)

    def either_way(self, file: File, name: str, value: Value) -> Value:
        """Return the value of another file's name when it is set from elsewhere: on other paths it may be as it was."""
        old = self._read((file.frame, name))
        return value if old is None else one_of([old, value])

    def escape_all(self) -> None:
        """Let all files escape: from here on functions run on their own, and anything may have happened."""
        state = self.m.state
        state.take(range(len(state.ground.parts)))
        frames = {file.frame for file in self.files.values()}
        self._escaped_names([value for file in self.files.values() for value in file.names.values()])
        self._escaped_names([value for (frame, _), value in state.names.items() if frame in frames])

    def _escaped_names(self, values: list[Value]) -> None:
        m = self.m
        escaped = dict(m.graphs.escaped)
        havoc(m, [value for value in values if not is_static(m, value)])
        m.graphs.escaped = escaped

    # ---- running a file

    def _file(self, neighbour: Neighbour) -> File:
        """The file, run; the state has what it left."""
        file = self.files.get(neighbour.path)
        if file is None:
            file = self.files[neighbour.path] = File(neighbour.name, neighbour.package, foreign=1, path=neighbour.path)
            if len(self.files) > MOST_FILES:
                self.m.log.exceeded("files of the project")
            elif (program := neighbour.program()) is not None:
                self._run(file, program)
            else:
                self.unread[neighbour.path] = neighbour.fault()
        return file

    def _run(self, file: File, program: Program) -> None:
        m = self.m
        file.names["__name__"], file.tree = Constant(file.name), program.tree
        file.frame = m.frame_ids.setdefault(file, len(m.frame_ids) + 1)
        m.scan = _both(m.scan, program.scan)
        frame = m.frames[file.frame] = Frame(file.frame, None, m.scan.scopes[program.tree], file)
        left = max(0, m.steps.left if self.running else self.steps_left)
        with _elsewhere(m, frame, m.state if self.running else State(ground=m.state.ground)):
            m.steps.left = left + len(program.tree.body)
            self.running.append(file)
            held = len(m.state.stack)
            with m.trace.importing(file.path, program.tree) if m.trace is not None else nullcontext():
                m.run_body(program.tree.body)
            left = min(left, m.steps.left)
            m.state.live = True
            del m.state.stack[held:]  # a path that ended inside an expression left there what it was in the middle of
            if self.running[0] is file:
                self._set_aside(program.tree)
                self.running.clear()
        if self.running:
            m.steps.left = left
        else:
            self.steps_left = left

    def _set_aside(self, tree: cst.Module) -> None:
        """Lay down what the files that ran left; its objects were made nowhere that runs again."""
        m, state = self.m, self.m.state
        before = {name for part in state.taken for name in state.ground.parts[part].names}
        names = {name: value for name, value in state.names.items() if name not in before}
        if m.assumed_mode:
            self._escaped_names(list(names.values()))
        now = self._new_names(tree, list(names.values()))
        heap = {now[ref]: _open(object_renamed(state.heap[ref], now)) for ref in now if ref in state.heap}
        files = {file.frame: file for file in self.running}
        closures: dict[Name, Value] = {}
        for (frame, name), value in names.items():
            if (file := files.get(frame)) is not None:
                file.names[name] = renamed(value, now)
            else:
                closures[frame, name] = renamed(value, now)
        state.ground.lay(closures, heap, lambda name: True, self.running[0].frame)

    def _new_names(self, tree: cst.Module, values: list[Value]) -> dict[Ref, Ref]:
        """New references for all that can be got at and is not part of an earlier image."""
        m = self.m
        site = m.allocations.site(m.part_of(tree, "image"))
        self.places.add(site)
        found = dict.fromkeys(ref for value in values for ref in references(value))
        for ref in m.state.reach(values):
            found |= dict.fromkeys([ref, *object_references(m.state.heap[ref])])
        new = [ref for ref in found if ref.site not in self.places and ref not in (OPAQUE, ASTRAY, APART)]
        return {ref: Ref(site, str(number), self.running[0].frame) for number, ref in enumerate(new)}


def is_static(m: Interpreter, value: Value) -> bool:
    """Return whether nothing that runs changes a value: it is no object, or a class."""
    return type(value) is not Ref or type(m.state.heap.get(value)) is Class


def _open(thing: Any) -> Any:
    """Files that we do not look at may have put more into a container when they were imported."""
    if type(thing) is not Container or thing.kind == "tuple":
        return thing
    return replace(thing, rest=Unknown(references(thing.rest)))


def _both(scan: Scan, more: Scan) -> Scan:
    return replace(
        scan,
        scopes=scan.scopes | more.scopes,
        loops=scan.loops | more.loops,
        deep=scan.deep | more.deep,
        outlived=scan.outlived | more.outlived,
    )


@contextmanager
def _elsewhere(m: Interpreter, frame: Frame, state: State) -> Iterator[None]:
    """Run something that does not depend on where it is needed, in a state of its own or in the one there is."""
    outer, outer_state = m.frame, m.state
    kept = allocations, loops, _, effects = m.allocations, m.loops, m.calls, m.effects
    m.allocations, m.calls = Allocations(allocations.sites), CallStack()
    m.loops = LoopNest(walks=loops.walks, at_hand=loops.at_hand)  # objects keep their names
    m.effects = replace(effects, read={}, handed={})  # what importing reads is there for everybody
    with m.steps.apart():
        m.switch(frame)
        m.log.muted += 1
        m.state = state
        yield
        m.log.muted -= 1
        if state is not outer_state:
            m.state = outer_state
        m.switch(outer)
    m.allocations, m.loops, m.calls, m.effects = kept
