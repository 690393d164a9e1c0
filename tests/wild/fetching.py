"""From the index to a folder of Python files. Nothing of what is fetched is built or run."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from gradlint.files import SUFFIXES
from gradlint.queries import MARKERS

from .packages import Package

TOP = "gradlint.toml"
"""Lies in each package's folder: what is around the cache does not belong to the package's project."""


class NotFetched(Exception):
    """A package is not to be had, or its archive is none to be unpacked."""


def unpacked(package: Package, cache: Path) -> Path:
    """The folder with the Python files of a package, fetched unless it is in the cache. Raises `NotFetched`."""
    folder = cache / "unpacked" / package.folder
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as name:
        temporary = Path(name)
        members = FETCH[package.archive](package, temporary, cache)
        fresh = temporary / "fresh"
        write(fresh, members)
        fresh.rename(folder)
    return folder


def write(folder: Path, members: Iterable[tuple[str, bytes]]) -> None:
    """Write the files that matter to the analysis below a folder, and refuse those that would lie elsewhere."""
    folder.mkdir()
    for name, data in members:
        target = _inside(folder, name)
        if target.suffix in SUFFIXES or target.name in MARKERS:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    (folder / TOP).touch()


def _inside(folder: Path, name: str) -> Path:
    """Where a member of an archive goes. Raises `NotFetched` where that is outside of the folder."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or "\0" in name:
        raise NotFetched(f"the archive has a file that would lie outside of its folder: {name!r}")
    return folder.joinpath(*path.parts)


def _wheel(package: Package, temporary: Path, cache: Path) -> Iterator[tuple[str, bytes]]:
    out = temporary / "wheel"
    done = _pip([], ["--only-binary", ":all:", "--dest", str(out), package.pinned], temporary)
    archives = sorted(out.glob("*.whl"))
    if not archives:
        raise NotFetched(f"{package.pinned}: {_last_line(done)}")
    return zipped(archives[0])


def zipped(archive: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a zip archive by name. A link comes as the file that names where it leads."""
    with zipfile.ZipFile(archive) as file:
        for member in file.infolist():
            if not member.is_dir():
                yield member.filename, file.read(member)


def _source(package: Package, temporary: Path, cache: Path) -> Iterator[tuple[str, bytes]]:
    """Have pip fetch and unpack a source archive and stop there.

    pip asks an archive for its metadata, which runs it. It is told to do so in an environment in which there is
    nothing to build with, so it gives up after unpacking, and is told to leave what it has unpacked.
    """
    bare = _bare(cache)
    options = ["--no-binary", ":all:", "--use-pep517", "--no-build-isolation", "--no-clean"]
    done = _pip(["--python", str(bare)], [*options, "--dest", str(temporary / "out"), package.pinned], temporary)
    trees = [tree for tree in sorted(temporary.glob("pip-*/*/")) if any(tree.iterdir())]
    if len(trees) != 1:
        raise NotFetched(f"{package.pinned}: {_last_line(done)}")
    return tree(trees[0])


def tree(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The files below a folder by name; what is no regular file (a link, a pipe) is left out."""
    for here, folders, names in os.walk(folder):
        folders.sort()
        for path in (Path(here, name) for name in sorted(names)):
            if stat.S_ISREG(path.lstat().st_mode):
                yield path.relative_to(folder).as_posix(), path.read_bytes()


FETCH = {"wheel": _wheel, "source": _source}


def _bare(cache: Path) -> Path:
    """The interpreter of an environment in which nothing is installed."""
    folder = cache / "bare"
    interpreter = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not interpreter.exists():
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=False)
    return interpreter


def _pip(first: list[str], options: list[str], temporary: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", *first, "download", "--quiet", "--no-deps", *options]
    # Its temporary files are found there and go with it.
    surroundings = {**os.environ, "TMPDIR": str(temporary), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=surroundings, check=False)


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return lines[-1] if lines else f"pip ended with {done.returncode} and unpacked nothing"
