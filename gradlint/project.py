"""The files around a linted one: where an import finds them, read when they are asked for, never run.

What counts as the project follows from where a file lies and what it says alone, so it does not matter what else is
linted. A file in a package can import from the folder of its outermost package; any file as if the program were started
in its own folder or one above it, up to the one that holds a project (`pyproject.toml`, `.git` ...), from `src` beside
them, from a folder it lies in by that folder's name, and from folders of the project that it adds to `sys.path`. Of the
files beside it, the start is read where it matters whether they are generated from it, and where the project is small
all of it, to see who imports the file and calls what is in it.
Nothing else is read, nothing that a library was installed to, and no module of the standard library is looked for.
"""

from __future__ import annotations

import ast
import itertools
import os
import re
import stat
import sys
import warnings
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from gradlint import source, texts
from gradlint.callers import Uses, all_off, uses
from gradlint.interpreter.scan import Program, scan
from gradlint.paths import added_to_path
from gradlint.reading import TooLarge, read_regular, read_start, reason

MARKERS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "gradlint.toml")
"""What lies in the outermost folder of a project."""
INSTALLED = ("site-packages", "dist-packages")
"""Folders of libraries: a file in one of them can import its own package and no other."""
LONGEST = 400_000
"""Longer files (characters; bytes on disk) are not looked at."""
MOST_TEXT = 2_500_000
"""How much text is kept as syntax, which takes 65 to 130 times its room."""

HEAD = 2_000
"""How much of the start of a file may say what it was generated from (characters)."""
GENERATED = re.compile(
    r"^[^\w\n]*(?:this (?:file|module) (?:was|is|has been) )?(?:auto(?:matically)?[- ]?)?generated\b"
    r"[^\n]{0,40}?\bfrom\b[\s`'\"]*([\w./\\-]+\.py)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""How a file says that it was generated; what it speaks of may be generated as well."""

INIT = "__init__.py"
KeyT = TypeVar("KeyT", bound=Hashable)
ThingT = TypeVar("ThingT")


MOST_CALLING, MOST_ENTRIES = 300, 5_000
"""In projects of more files, or of more of all that a folder holds, nobody looks for callers."""


class Files(Protocol):
    """Where files are."""

    def is_file(self, path: str) -> bool: ...
    def is_folder(self, path: str) -> bool: ...
    def outermost(self, folder: str) -> str:
        """The outermost folder of the project that a folder belongs to."""

    def starts(self, folder: str) -> Iterable[tuple[str, str]]:
        """The names of the Python files in a folder, and what each begins with: `HEAD` characters or fewer."""

    def below(self, folder: str) -> Sequence[str]:
        """The paths of all Python files in a folder and those inside it, in order; none where that is too many."""

    def opened(self, path: str) -> str:
        """The text of a file. Raises `OSError` and `ValueError` where it is none or too long, `texts.Unreadable` where
        it is no text."""


class InMemory:
    """Files by relative path, all of one project."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)

    def is_file(self, path: str) -> bool:
        return path in self.texts

    def is_folder(self, path: str) -> bool:
        return any(name.startswith(f"{path}/") for name in self.texts)

    def outermost(self, folder: str) -> str:
        return ""

    def starts(self, folder: str) -> Iterable[tuple[str, str]]:
        there = [(os.path.split(path), text) for path, text in self.texts.items()]
        return [(name, text[:HEAD]) for (above, name), text in there if above == folder]

    def below(self, folder: str) -> Sequence[str]:
        found = sorted(path for path in self.texts if path.endswith(".py"))
        return found if len(found) <= MOST_CALLING else []

    def opened(self, path: str) -> str:
        if len(self.texts[path]) > LONGEST:
            raise TooLarge(LONGEST, path)
        return self.texts[path]


class OnDisk:
    """Files by absolute path. Each is asked for once and then taken to be as it was."""

    def __init__(self) -> None:
        self.kinds: dict[str, int] = {}
        self.tops: dict[str, str] = {}

    def is_file(self, path: str) -> bool:
        return stat.S_ISREG(self._kind(path))

    def is_folder(self, path: str) -> bool:
        return stat.S_ISDIR(self._kind(path))

    def _kind(self, path: str) -> int:
        """The mode of a path, 0 where nothing is; a link that leads out of its folder leads nowhere."""
        kind = self.kinds.get(path)
        if kind is None:
            kind = self.kinds[path] = self._mode(path)
        return kind

    def _mode(self, path: str) -> int:
        try:
            mode = os.lstat(path).st_mode
            if not stat.S_ISLNK(mode):
                return mode
            inside = os.path.join(os.path.realpath(os.path.dirname(path)), "")
            return os.stat(path).st_mode if os.path.realpath(path).startswith(inside) else 0
        except (OSError, ValueError):
            return 0

    def outermost(self, folder: str) -> str:
        if folder not in self.tops:
            self.tops[folder] = next((above for above in _upwards(folder) if self._is_marked(above)), folder)
        return self.tops[folder]

    def starts(self, folder: str) -> Iterable[tuple[str, str]]:
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
        except OSError:
            return
        for name in names:
            path = os.path.join(folder, name)
            try:
                if self.is_file(path):
                    yield name, read_start(path, HEAD).decode("utf-8", "replace")
            except (OSError, ValueError):
                continue

    def below(self, folder: str) -> Sequence[str]:
        found, waiting, met = [], [folder], 0
        while waiting:
            try:
                entries = list(os.scandir(waiting.pop()))
            except OSError:
                continue
            met += len(entries)
            for entry in entries:
                if entry.name.startswith(".") or entry.name in INSTALLED or entry.is_symlink():
                    continue
                if entry.name.endswith(".py"):
                    found.append(entry.path)
                elif entry.is_dir():
                    waiting.append(entry.path)
            if met > MOST_ENTRIES or len(found) > MOST_CALLING:
                return []
        return sorted(found)

    def _is_marked(self, folder: str) -> bool:
        return any(os.path.lexists(os.path.join(folder, name)) for name in MARKERS)

    def opened(self, path: str) -> str:
        return texts.decode(read_regular(path, LONGEST))


def _upwards(folder: str) -> Iterator[str]:
    """A folder and those above it; those above a folder of installed libraries are another world."""
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder or os.path.basename(folder) in INSTALLED:
            return
        folder = above


class Shelf(Generic[KeyT, ThingT]):
    """Things that were made once and are kept while there is room; those longest unused go first."""

    def __init__(self, room: int, size: Callable[[KeyT, ThingT], int]) -> None:
        self.room, self.size, self.taken = room, size, 0
        self.things: OrderedDict[KeyT, ThingT] = OrderedDict()

    def get(self, key: KeyT, make: Callable[[KeyT], ThingT]) -> ThingT:
        """The thing under a key; where it is not there it is made, and kept even if that leaves no room for others."""
        if key in self.things:
            self.things.move_to_end(key)
            return self.things[key]
        thing = self.things[key] = make(key)
        self.taken += self.size(key, thing)
        while self.taken > self.room and len(self.things) > 1:
            self.taken -= self.size(*self.things.popitem(last=False))
        return thing


class Project:
    """Files, and what was read and parsed of them: shared by all that are linted in this process."""

    def __init__(self, files: Files | None = None, room: int = MOST_TEXT) -> None:
        self.files: Files = OnDisk() if files is None else files
        self._programs: Shelf[str, Program | texts.Unreadable] = Shelf(room, lambda text, program: len(text))
        self._texts: Shelf[str, str | None] = Shelf(8 * room, lambda path, text: len(text or ""))
        self._names: dict[str, Names] = {}
        self._found: dict[tuple[tuple[str, ...], str], str] = {}
        self._imports: dict[str, frozenset[tuple[int, str]]] = {}
        self._templates: dict[str, frozenset[str]] = {}
        self._importing: dict[str, Mapping[str, Sequence[str]]] = {}
        self._uses: dict[str, Uses] = {}

    def at(self, path: str) -> View:
        """What can be imported from a file."""
        return View(self, path)

    def program(self, text: str) -> Program:
        """The syntax of a text. Raises `texts.Unreadable`."""
        found = self._programs.get(text, _parsed)
        if isinstance(found, texts.Unreadable):
            raise found
        return found

    def text(self, path: str) -> str | None:
        """What a file holds; None where it cannot be read."""
        return self._texts.get(path, self._read)

    def _read(self, path: str) -> str | None:
        try:
            return self.files.opened(path) if self.files.is_file(path) else None
        except (OSError, ValueError, texts.Unreadable):
            return None

    def imports(self, path: str) -> frozenset[tuple[int, str]]:
        """All that a file may import, as `texts.imported` gives it."""
        if path not in self._imports:
            self._imports[path] = texts.imported(self.text(path) or "")
        return self._imports[path]

    def names(self, path: str) -> Names:
        """The names that a file binds."""
        if path not in self._names:
            self._names[path] = _names(self.text(path) or "")
        return self._names[path]

    def templates(self, folder: str) -> frozenset[str]:
        """The names of the files in a folder from which, as they say, others there were generated."""
        if folder not in self._templates:
            told = (
                (name, os.path.basename(of))
                for name, head in self.files.starts(folder)
                for of in GENERATED.findall(head)
            )
            self._templates[folder] = frozenset(of for name, of in told if of != name)
        return self._templates[folder]

    def importing(self, folder: str) -> Mapping[str, Sequence[str]]:
        """For each Python file in a folder, or inside it, the others there that import it; none where they are too
        many."""
        if folder not in self._importing:
            found: dict[str, list[str]] = {path: [] for path in self.files.below(folder)}
            for path in found:
                for other in self.at(path).imported():
                    if other != path and other in found:
                        found[other].append(path)
            self._importing[folder] = found
        return self._importing[folder]

    def uses(self, path: str) -> Uses:
        """The names that a file reads, and how."""
        if path not in self._uses:
            self._uses[path] = uses(self.text(path) or "")
        return self._uses[path]

    def find(self, folders: tuple[str, ...], module: str) -> str:
        """The file of a module, the folder of a package without `__init__`, or nothing."""
        found = self._found.get((folders, module))
        if found is None:
            found = self._found[folders, module] = self._search(folders, module.split("."))
        return found

    def _search(self, folders: Sequence[str], parts: Sequence[str]) -> str:
        paths = [
            os.path.join(folder, *parts)
            for folder in folders
            if all(self.files.is_folder(os.path.join(folder, *parts[:end])) for end in range(1, len(parts)))
        ]
        packages = [path for path in paths if self.files.is_folder(path)]
        for path in paths:
            for file in ([os.path.join(path, INIT)] if path in packages else []) + [f"{path}.py"]:
                if self.files.is_file(file):
                    return file
        return packages[0] if packages else ""


def _parsed(text: str) -> Program | texts.Unreadable:
    try:
        tree = source.parse(text)
    except texts.Unreadable as error:
        return error
    return Program(tree, scan(tree))


@dataclass(frozen=True, slots=True)
class Found:
    """A module that an import finds."""

    project: Project = field(repr=False)
    name: str
    path: str
    own: bool

    @property
    def package(self) -> bool:
        return self.bare or os.path.basename(self.path) == INIT

    @property
    def bare(self) -> bool:
        return not self.path.endswith(".py")

    def program(self) -> Program | None:
        """Its syntax; None where it cannot be read."""
        text = "" if self.bare else self.project.text(self.path)
        try:
            return None if text is None else self.project.program(text)
        except texts.Unreadable:
            return None

    def fault(self) -> str:
        """Why its syntax cannot be had, and where in it; nothing where it can."""
        try:
            self.project.program(self.project.files.opened(self.path))
        except texts.Unreadable as error:
            return str(error)
        except (OSError, ValueError) as error:
            return reason(error)
        return ""


class View:
    """The project as one file sees it: `name` is what others import it by."""

    def __init__(self, project: Project, path: str) -> None:
        self.project, self.path = project, path
        folder, base = os.path.split(path)
        inside = [] if base == INIT else [os.path.splitext(base)[0]]
        self.package = base == INIT
        outer = folder
        while os.path.basename(outer) and project.files.is_file(os.path.join(outer, INIT)):
            outer, last = os.path.split(outer)
            inside.insert(0, last)
        self.name = ".".join(inside)
        self.top = project.files.outermost(outer)
        self.folders = self._folders(outer, folder)
        self.only = inside[0] if os.path.basename(outer) in INSTALLED else ""
        self.namesakes: dict[str, str] = {}
        for above in _upwards(folder):
            self.namesakes.setdefault(os.path.basename(above), os.path.dirname(above))

    def _folders(self, outer: str, own: str) -> tuple[str, ...]:
        """Where modules are looked for, first in the folders from which packages are imported whole."""
        out, inside = [*self._up_to(self.top, outer)], [*self._up_to(outer, own)]
        files = self.project.files
        beside = [os.path.join(folder, "src") for folder in out if files.is_folder(os.path.join(folder, "src"))]
        text = self.project.text(self.path) or ""
        added = [
            path
            for path in added_to_path(text, self.path, [*inside, *out])
            if files.is_folder(path) and (not self.top or os.path.join(path, "").startswith(os.path.join(self.top, "")))
        ]
        return tuple(dict.fromkeys([*out, *beside, *inside, *added]))

    @staticmethod
    def _up_to(top: str, folder: str) -> Iterator[str]:
        """A folder and those above it, up to another."""
        while True:
            yield folder
            above = os.path.dirname(folder)
            if folder in (top, above):
                return
            folder = above

    def program(self, text: str) -> Program:
        """The syntax of a text. Raises `texts.Unreadable`."""
        return self.project.program(text)

    def is_template(self) -> bool:
        """Whether a file beside this one says that it was generated from it: then this one is not run as it stands."""
        folder, own = os.path.split(self.path)
        return own in self.project.templates(folder)

    def find(self, module: str) -> Found | None:
        """What an import of this dotted name finds in the project."""
        first = module.partition(".")[0]
        if first in sys.stdlib_module_names or (self.only and first != self.only):
            return None
        if module == self.name:
            return Found(self.project, module, self.path, own=True)
        above = self.namesakes.get(first)
        path = self.project.find(self.folders if above is None else (*self.folders, above), module)
        return Found(self.project, module, path, path == self.path) if path else None

    def mention(self, text: str, words: Sequence[str]) -> bool:
        """Whether one of the words stands in a text, or in a file that it imports, directly or not."""
        if texts.mentions(text, words):
            return True
        met, waiting = {self.path}, list(self._beyond(self.name, self.package, texts.imported(text)))
        while waiting:
            found = waiting.pop()
            if found.path not in met and not found.bare:
                met.add(found.path)
                if texts.mentions(self.project.text(found.path) or "", words):
                    return True
                waiting += self._beyond(found.name, found.package, self.project.imports(found.path))
        return False

    def _beyond(self, name: str, is_package: bool, imports: Iterable[tuple[int, str]]) -> Iterator[Found]:
        """The files of the project that a module imports, and those of the packages they are in."""
        package = name if is_package else name.rpartition(".")[0]
        for dots, path in sorted(imports):
            parts = texts.absolute(package, dots, path).split(".")
            for end in range(1, len(parts) + 1):
                if parts[0] and (found := self.find(".".join(parts[:end]))):
                    yield found

    def imported(self) -> tuple[str, ...]:
        """The files of the project that this one imports itself."""
        there = self._beyond(self.name, self.package, self.project.imports(self.path))
        return tuple(dict.fromkeys(found.path for found in there))

    def callers(self) -> list[str]:
        """The files of the project that import this one, the nearest first."""
        found = self.project.importing(self.top).get(self.path, ())
        return sorted(found, key=lambda path: (_distance(self.path, path), path))

    def is_called_without_gradients(self, name: str) -> bool:
        """Whether other files of the project call something of this name, one that imports this file among them, and
        gradients are off wherever they do."""
        project = self.project
        importing = project.importing(self.top)
        if not any(all_off(project.uses(path), name) for path in importing.get(self.path, ())):
            return False
        others = [path for path in importing if path != self.path and name in (project.text(path) or "")]
        return all(all_off(project.uses(path), name) is not False for path in others)

    def public(self, module: str) -> tuple[str, ...]:
        """The names that `from module import *` binds, as far as the text tells."""
        return tuple(self._public(module, {}))

    def _public(self, module: str, met: dict[str, None]) -> dict[str, None]:
        found = self.find(module)
        if found is None or module in met:
            return {}
        met[module] = None
        names = self.project.names(found.path)
        if names.listed is not None:
            return dict.fromkeys(names.listed)
        out = dict.fromkeys(name for name in names.bound if not name.startswith("_"))
        package = found.name if found.package else found.name.rpartition(".")[0]
        for dots, star in names.stars:
            out |= self._public(texts.absolute(package, dots, star), met)
        return out


def _distance(one: str, other: str) -> int:
    """How many folders lie between two files."""
    a, b = (os.path.dirname(path).split(os.sep) for path in (one, other))
    shared = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))
    return len(a) + len(b) - 2 * shared


# ---- what a text binds


@dataclass(slots=True)
class Names:
    """The names a file binds, those it lists in `__all__` (None: not all of it can be read), and the modules it takes
    everything from."""

    bound: dict[str, None] = field(default_factory=dict)
    listed: list[str] | None = None
    stars: list[tuple[int, str]] = field(default_factory=list)


LIST = re.compile(r"^__all__ *= *(\[[^\[\]]*\]|\([^()]*\))[ \t]*(?:#.*)?$", re.MULTILINE)
"""The statement that most files list their public names in."""


def _names(text: str) -> Names:
    """Read off Python's own syntax tree, which takes a seventh of the time of ours; where the names are listed, that
    statement alone is parsed."""
    if text.count("__all__") == 1 and (found := LIST.search(text)) and (listed := _strings(found[1])) is not None:
        return Names(listed=listed)
    out = Names()
    lists: list[list[str] | None] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            todo: deque[ast.AST] = deque(ast.parse(text).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return out
    while todo:
        node = todo.popleft()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            out.bound[node.name] = None
        elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            out.stars.append((node.level, node.module or ""))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            out.bound |= dict.fromkeys(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            out.bound[node.id] = None
        elif not isinstance(node, ast.expr) or isinstance(node, ast.Tuple | ast.List | ast.Starred):
            todo.extendleft(reversed(list(ast.iter_child_nodes(node))))
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            lists += _listed(node)
    out.listed = None if not lists or None in lists else [name for names in lists for name in names or ()]
    return out


def _strings(text: str) -> list[str] | None:
    """The strings of a list that is written down; None where it is none, or not of strings."""
    try:
        found = list(ast.literal_eval(text))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return found if all(type(one) is str for one in found) else None


def _listed(node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> list[list[str] | None]:
    """What a statement puts into `__all__`, if it does; None where that is no list of strings."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if not any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
        return []
    parts = node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [None]
    strings = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return [strings if len(strings) == len(parts) else None]
