"""Resolution of the imports of a file in its project. Files are read when they are asked for, never run.

What counts as the project follows from where a file lies and what it says alone, so it does not matter what else is
linted. A file in a package can import from the folder of its outermost package; any file as if the program were started
in its own folder or one above it, up to the one that holds a project (`pyproject.toml`, `.git` ...), from `src` beside
them, from a folder it lies in by that folder's name, and from folders of the project that it adds to `sys.path`. Of the
files beside it, the start is read where it matters whether they are generated from it, and where the project is small
all of it, to see who imports the file and calls what is in it.
Nothing else is read, nothing that a library was installed to, and no module of the standard library is looked for.
"""

from __future__ import annotations

import itertools
import os
import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from gradlint import texts
from gradlint.disk import INSTALLED, Files, OnDisk, upwards
from gradlint.frozen import frozen
from gradlint.paths import added_to_path
from gradlint.queries import Queries, Query

MOST_TEXT = 20_000_000
"""The most characters of text that are kept."""
GENERATED = re.compile(
    r"^[^\w\n]*(?:this (?:file|module) (?:was|is|has been) )?(?:auto(?:matically)?[- ]?)?generated\b"
    r"[^\n]{0,40}?\bfrom\b[\s`'\"]*([\w./\\-]+\.py)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""The words in which a file says that it was generated; what it speaks of may be generated as well."""

INIT = "__init__.py"
MODULES = (".py", ".pyi", "")
"""The endings of the names of files that can be imported, or are run as if they could."""
MAIN = "__main__"
"""The name of the other files: they are run and never imported."""
KeyT = TypeVar("KeyT", bound=Hashable)
ThingT = TypeVar("ThingT")


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


class Resolver:
    """Files, and what was read of them: shared by all that are linted in this process. Its methods are queries."""

    def __init__(self, files: Files | None = None, queries: Queries | None = None, room: int = MOST_TEXT) -> None:
        self.queries = Queries() if queries is None else queries
        self.files: Files = OnDisk(self.queries) if files is None else files
        self._texts: Shelf[str, str | None] = Shelf(room, lambda path, text: len(text or ""))
        self._modules: dict[Found, tuple[str, ...]] = {}
        self._by_name: dict[str, Callable[..., object]] = {
            "content": self.queries.content, "text": self.text, "imports": self.imports, "names": self.names,
            "templates": self.templates, "importers": self.importers, "roots": self.roots, "find_in": self.find_in,
            "place": self.place, "public": self.public,
        }  # fmt: skip

    def at(self, path: str) -> View:
        """Return the view of what can be imported from a file."""
        return View(self, path)

    def answers(self, query: Query) -> bool:
        """Return whether it can be asked again."""
        return query[0] in self._by_name

    def ask_again(self, query: Query) -> bool:
        """Ask what was asked in another run; False if nobody can have asked that."""
        try:
            self._by_name[query[0]](*query[1:])
        except (KeyError, TypeError, AttributeError, ValueError):
            return False
        return True

    def text(self, path: str) -> str | None:
        """Return the content of a file; None where it cannot be read."""
        if not self.files.is_file(path):
            return None
        self.queries.content(path)
        return self._texts.get(path, self._read)

    def _read(self, path: str) -> str | None:
        try:
            return self.files.opened(path)
        except (OSError, ValueError, texts.Unreadable):
            return None

    def imports(self, path: str) -> tuple[tuple[int, str], ...]:
        """All that a file may import, as `texts.imported` gives it, in order."""
        return self.queries.ask(("imports", path), lambda: tuple(sorted(texts.imported(self.text(path) or ""))))

    def modules(self, found: Found) -> tuple[str, ...]:
        """Return the imports of a module (see `dotted_names`), put together once for all files that lead to it."""
        imports = self.imports(found.path)
        if found not in self._modules:
            self._modules[found] = dotted_names(found.name, found.package, imports)
        return self._modules[found]

    def names(self, path: str) -> texts.Names:
        """The names that a file binds."""
        return self.queries.ask(("names", path), lambda: texts.bound(self.text(path) or ""))

    def templates(self, folder: str) -> tuple[str, ...]:
        """The names of the files in a folder from which, as they say, others there were generated."""
        return self.queries.ask(("templates", folder), lambda: self._templates(folder))

    def _templates(self, folder: str) -> tuple[str, ...]:
        told = (
            (name, os.path.basename(of)) for name, head in self.files.starts(folder) for of in GENERATED.findall(head)
        )
        return tuple(sorted({of for name, of in told if of != name}))

    def importing(self, folder: str) -> Mapping[str, Sequence[str]]:
        """Return, for each Python file in a folder, or inside it, the others there that import it; none where they are
        too many."""
        return self.queries.ask(("importing", folder), lambda: self._importing(folder))

    def _importing(self, folder: str) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {path: [] for path in self.files.below(folder)}
        for path in found:
            for other in self.at(path).imported():
                if other != path and other in found:
                    found[other].append(path)
        return found

    def importers(self, folder: str, path: str) -> tuple[str, ...]:
        """The files in a folder, or inside it, that import one of them."""
        return self.queries.ask(("importers", folder, path), lambda: tuple(self.importing(folder).get(path, ())))

    def place(self, path: str) -> Place:
        """Return the place of a file in its project."""
        return self.queries.ask(("place", path), lambda: self._place(path))

    def _place(self, path: str) -> Place:
        folder, base = os.path.split(path)
        stem, suffix = os.path.splitext(base)
        inside = [] if base == INIT else [stem if suffix in MODULES else MAIN]
        outer = folder
        while os.path.basename(outer) and self.files.is_file(os.path.join(outer, INIT)):
            outer, last = os.path.split(outer)
            inside.insert(0, last)
        top = self.files.outermost(outer)
        only = inside[0] if os.path.basename(outer) in INSTALLED else ""
        return Place(".".join(inside), top, self._folders(path, top, outer, folder), only)

    def _folders(self, path: str, top: str, outer: str, own: str) -> tuple[str, ...]:
        """Return the folders of modules, first those from which packages are imported whole."""
        out, inside = [*_up_to(top, outer)], [*_up_to(outer, own)]
        files = self.files
        beside = [os.path.join(folder, "src") for folder in out if files.is_folder(os.path.join(folder, "src"))]
        added = [
            found
            for found in added_to_path(self.text(path) or "", path, [*inside, *out])
            if files.is_folder(found) and (not top or os.path.join(found, "").startswith(os.path.join(top, "")))
        ]
        return tuple(dict.fromkeys([*out, *beside, *inside, *added]))

    def public(self, path: str, module: str) -> tuple[str, ...]:
        """The names that `from module import *` binds in a file."""
        return self.queries.ask(("public", path, module), lambda: self.at(path).names_of(module))

    def find(self, folders: tuple[str, ...], module: str) -> str:
        """The file of a module, the folder of a package without `__init__`, or nothing."""
        roots = self.roots(folders, module.partition(".")[0])
        return self.find_in(roots, module) if roots else ""

    def roots(self, folders: tuple[str, ...], name: str) -> tuple[str, ...]:
        """Return the folders that hold a module or a package of this name: few, and the same for many files."""
        return self.queries.ask(
            ("roots", folders, name), lambda: tuple([one for one in folders if self._holds(one, name)])
        )

    def _holds(self, folder: str, name: str) -> bool:
        path = os.path.join(folder, name)
        return self.files.is_folder(path) or self.files.is_file(f"{path}.py")

    def find_in(self, roots: tuple[str, ...], module: str) -> str:
        """Return the finding of `find`, where it is known which folders hold the first part of the name."""
        return self.queries.ask(("find_in", roots, module), lambda: self._search(roots, module.split(".")))

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


def _up_to(top: str, folder: str) -> Iterator[str]:
    """A folder and those above it, up to another."""
    while True:
        yield folder
        above = os.path.dirname(folder)
        if folder in (top, above):
            return
        folder = above


@frozen()
class Place:
    """The place of a file: the `name` that others import it by, the `top` folder of its project, the `folders` in which
    modules are looked for, and the `only` package that it can import from, if it is installed."""

    name: str
    top: str
    folders: tuple[str, ...]
    only: str


@frozen()
class Found:
    """A module that an import finds."""

    name: str
    path: str
    own: bool

    @property
    def package(self) -> bool:
        return self.bare or os.path.basename(self.path) == INIT

    @property
    def bare(self) -> bool:
        return not self.path.endswith(".py")


def dotted_names(name: str, is_package: bool, imports: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    """The dotted names of what a module imports, and of the packages they are in, each once."""
    package = name if is_package else name.rpartition(".")[0]
    found = dict[str, None]()
    for dots, path in imports:
        parts = texts.absolute(package, dots, path).split(".")
        if parts[0]:
            found |= dict.fromkeys(".".join(parts[:end]) for end in range(1, len(parts) + 1))
    return tuple(found)


class View:
    """The project as one file sees it: `name` is what others import it by."""

    def __init__(self, project: Resolver, path: str) -> None:
        self.project, self.path = project, path
        place = project.place(path)
        self.package = os.path.basename(path) == INIT
        self.name, self.top, self.folders, self.only = place.name, place.top, place.folders, place.only
        self.namesakes: dict[str, str] = {}
        for above in upwards(os.path.dirname(path)):
            self.namesakes.setdefault(os.path.basename(above), os.path.dirname(above))

    def is_template(self) -> bool:
        """Return whether a file beside this one says that it was generated from it: this one is not run then."""
        folder, own = os.path.split(self.path)
        return own in self.project.templates(folder)

    def find(self, module: str) -> Found | None:
        """Return the file that an import of this dotted name finds in the project."""
        first = module.partition(".")[0]
        if first in sys.stdlib_module_names or (self.only and first != self.only):
            return None
        if module == self.name:
            return Found(module, self.path, own=True)
        above = self.namesakes.get(first)
        path = self.project.find(self.folders if above is None else (*self.folders, above), module)
        return Found(module, path, path == self.path) if path else None

    def mention(self, text: str, words: Sequence[str]) -> bool:
        """Return whether one of the words stands in a text, or in a file that it imports, directly or not."""
        reached = (self.project.text(path) or "" for path in self._reached(text))
        return texts.mentions(text, words) or any(texts.mentions(other, words) for other in reached)

    def reached(self) -> Iterator[str]:
        """The files of the project that this one imports, directly or by others, each once, as they are found."""
        return self._reached(self.project.text(self.path) or "")

    def _reached(self, text: str) -> Iterator[str]:
        met, asked = {self.path}, set[str]()
        waiting = [*dotted_names(self.name, self.package, sorted(texts.imported(text)))]
        while waiting:
            module = waiting.pop()
            if module in asked:  # most modules of a package are imported by many others
                continue
            asked.add(module)
            found = self.find(module)
            if found is not None and found.path not in met and not found.bare:
                met.add(found.path)
                yield found.path
                waiting += self.project.modules(found)

    def imported(self) -> tuple[str, ...]:
        """The files of the project that this one imports itself."""
        there = map(self.find, dotted_names(self.name, self.package, self.project.imports(self.path)))
        return tuple(dict.fromkeys(found.path for found in there if found is not None))

    def callers(self) -> list[str]:
        """The files of the project that import this one, the nearest first."""
        found = self.project.importers(self.top, self.path)
        return sorted(found, key=lambda path: (_distance(self.path, path), path))

    def public(self, module: str) -> tuple[str, ...]:
        """The names that `from module import *` binds, as far as the text tells."""
        return self.project.public(self.path, module)

    def names_of(self, module: str) -> tuple[str, ...]:
        """Return the names that `public` is asked for the first time."""
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
    """Return the number of folders between two files."""
    a, b = (os.path.dirname(path).split(os.sep) for path in (one, other))
    shared = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))
    return len(a) + len(b) - 2 * shared
