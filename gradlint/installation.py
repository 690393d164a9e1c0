"""The check that the installation is unchanged: Python, gradlint, its packs and what they are imported from.

Rules and packs are code, and to import them all takes a third of a second. What a run needs of them before anything is
analysed can be kept, as long as no file of theirs has changed: `watched` says which files and folders those are.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from types import ModuleType

from gradlint.disk import INSTALLED
from gradlint.queries import FILE, fingerprint, stamp
from gradlint.queries import digest as digest_of

OWN = os.path.dirname(os.path.abspath(__file__))
_OF_A_FOLDER = (".py", ".dist-info", ".egg-info", ".egg-link", ".pth")


def folders() -> list[str]:
    """Return the folders of installed distributions, and that of gradlint itself."""
    installed = [folder for folder in sys.path if os.path.basename(os.path.normpath(folder)) in INSTALLED]
    return list(dict.fromkeys([*installed, os.path.dirname(OWN)]))


def key() -> str:
    """A name for the Python that runs and for where it looks for distributions."""
    return digest_of("\n".join([sys.version, sys.prefix, OWN, *folders()]).encode("utf-8", "surrogatepass"))


def watched(packs: Iterable[ModuleType]) -> dict[str, str]:
    """Return the stamps of all files and folders that decide what is installed, with those of the modules of packs and
    of what lies beside them in their packages, which they may import. Nothing is seen of a file that has changed so
    lately that nobody can be sure of it: it is never unchanged."""
    packs = list(packs)
    files = [file for module in packs if (file := getattr(module, "__file__", None))]
    packages = [folder for module in packs for folder in getattr(module, "__path__", ())]
    files += [os.path.join(folder, name) for folder in packages for name in _listed(folder) if name.endswith(".py")]
    own = [os.path.join(folder, name) for folder, _, names in os.walk(OWN) for name in names if name.endswith(".py")]
    every = {*folders(), *own, *files, *(os.path.dirname(file) for file in (*own, *files))}
    return {path: _seen(path) for path in sorted(every)}


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def is_unchanged(watched: Mapping[str, str]) -> bool:
    """Return whether all is as it was when this was seen."""
    return bool(watched) and all(seen and _seen(path) == seen for path, seen in watched.items())


def _seen(path: str) -> str:
    """The stamp of a file; of a folder, a name for the modules and distributions in it."""
    try:
        names = sorted(name for name in os.listdir(path) if name.endswith(_OF_A_FOLDER))
    except NotADirectoryError:
        return stamp(path)
    except OSError:
        return ""
    return digest_of("\n".join(names).encode("utf-8", "surrogatepass"))


def digest(watched: Iterable[str], versions: Iterable[str]) -> str:
    """A name for the content of these files, wherever they lie, the Python that runs, and these versions of others."""
    files = [path for path in watched if path.endswith(".py")]
    common = os.path.commonpath(files) if len(files) > 1 else ""
    told = [f"{path[len(common) :]} {fingerprint((FILE, path)).digest}" for path in files]
    return digest_of("\n".join([sys.version, *versions, *told]).encode("utf-8", "surrogatepass"))
