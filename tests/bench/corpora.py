"""The code that is linted: pinned packages, unpacked from their wheels. Nothing of them is installed or imported."""

from __future__ import annotations

import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

from .environments import Environments, NotBuilt

PINNED = {"timm": "1.0.20", "transformers": "4.57.0", "vit-pytorch": "1.26.11"}
TOP = "gradlint.toml"
"""An empty file of this name says that what lies around a corpus does not belong to it."""


@dataclass(frozen=True)
class Corpus:
    """Python files below a folder, with their number and that of their lines."""

    name: str
    folder: Path
    files: int
    lines: int

    @property
    def title(self) -> str:
        """What its table is called."""
        return f"{self.name} {PINNED[self.name]} ({self.files:,} files, {self.lines:,} lines)"


def corpus(name: str, work: Path, environments: Environments) -> Corpus:
    """Return a corpus, downloaded and unpacked below a scratch folder unless it is there. Raises `NotBuilt`."""
    pinned = f"{name}=={PINNED[name]}"
    folder, archives = work / "corpora" / f"{name}-{PINNED[name]}", work / "archives"
    if not folder.is_dir():
        environments.pip("download", "--no-deps", "--only-binary", ":all:", "--dest", str(archives), pinned)
        unpack(_archive(archives, name), folder)
    sizes = [file.read_bytes().count(b"\n") for file in sorted(folder.rglob("*.py"))]
    return Corpus(name, folder, len(sizes), sum(sizes))


def _archive(archives: Path, name: str) -> Path:
    """Return the wheel of a package. Raises `NotBuilt` where there is none."""
    found = sorted(archives.glob(f"{name.replace('-', '_')}-{PINNED[name]}-*.whl"))
    if not found:
        raise NotBuilt(f"{name}: pip downloaded no wheel of version {PINNED[name]}")
    return found[0]


def unpack(archive: Path, folder: Path) -> None:
    """Write the Python files of a wheel below a folder, which is there only once it is complete."""
    fresh = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    with zipfile.ZipFile(archive) as file:
        file.extractall(fresh, [name for name in file.namelist() if name.endswith(".py")])
    (fresh / TOP).touch()
    fresh.rename(folder)
