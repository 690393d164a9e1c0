"""Environments in a scratch folder: pinned peers in one, gradlint as it is in this tree in another, torch in none."""

from __future__ import annotations

import json
import shutil
import subprocess
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parents[2]
SHIPPED = ("gradlint", "rules", "pyproject.toml", "README.md", "LICENSE")
"""What a wheel of gradlint is built from."""
NEEDS = ("libcst==1.9.0", "click==8.5.1")
"""What gradlint stands on here."""
PEERS = (
    "torchfix==0.7.0", "flake8==7.5.0", "basedpyright==1.40.2", "mypy==2.4.1", "pylint==4.1.4", "ruff==0.17.6",
)  # fmt: skip
BUILDS = ("setuptools==80.9.0",)
"""What builds the wheel, among the peers."""
NEVER = "torch<0\n"
"""A constraint that no version meets: an installation that asks for torch fails instead of fetching it."""
PINS = "pins.txt"


class NotBuilt(Exception):
    """pip did not do what it was asked for; the message is the last that it said."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment."""

    folder: Path

    @property
    def programs(self) -> Path:
        """The folder of its programs."""
        return self.folder / "bin"

    def program(self, name: str) -> str:
        """Return the path of one of its programs."""
        return str(self.programs / name)


@dataclass(frozen=True)
class Environments:
    """Both environments of a scratch folder."""

    peers: Environment
    gradlint: Environment

    def pip(self, *arguments: str) -> str:
        """Run pip, which the peers' environment has, and return what it prints. Raises `NotBuilt`."""
        command = [self.peers.program("python"), "-m", "pip", "--disable-pip-version-check", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotBuilt(([line for line in done.stderr.splitlines() if line.strip()] or ["pip failed"])[-1])
        return done.stdout

    def versions(self, environment: Environment) -> dict[str, str]:
        """Return what is installed in one of them: versions by name in small letters."""
        listed = json.loads(self.pip("--python", environment.program("python"), "list", "--format", "json"))
        return {one["name"].lower(): one["version"] for one in listed}


def built(work: Path) -> Environments:
    """Return the environments of a scratch folder, built unless they are there. Raises `NotBuilt`.

    What is installed of gradlint is always the tree as it is.
    """
    environments = Environments(Environment(work / "peers"), Environment(work / "gradlint"))
    constraint = work / "never.txt"
    constraint.write_text(NEVER, encoding="utf-8")
    _install(environments, environments.peers, (*PEERS, *BUILDS), constraint)
    _install(environments, environments.gradlint, NEEDS, constraint)
    _install_this_tree(environments, work)
    return environments


def _install(environments: Environments, environment: Environment, pins: Sequence[str], constraint: Path) -> None:
    """Make an environment with these packages, unless it was made with the same ones before."""
    made, wanted = environment.folder / PINS, "".join(f"{pin}\n" for pin in pins)
    if made.is_file() and made.read_text(encoding="utf-8") == wanted:
        return
    venv.create(environment.folder, clear=True, symlinks=True, with_pip=environment == environments.peers)
    environments.pip(*installation(environment, pins, constraint))
    made.write_text(wanted, encoding="utf-8")


def installation(environment: Environment, pins: Sequence[str], constraint: Path) -> tuple[str, ...]:
    """Return what pip is asked for to install packages, and nothing of torch with them."""
    return ("--python", environment.program("python"), "install", "--constraint", str(constraint), *pins)


def _install_this_tree(environments: Environments, work: Path) -> None:
    source, wheels = work / "source", work / "wheels"
    for folder in (source, wheels):
        shutil.rmtree(folder, ignore_errors=True)
    source.mkdir()
    for name in SHIPPED:
        of = PROJECT / name
        if of.is_dir():
            shutil.copytree(of, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(of, source / name)
    environments.pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels), str(source))
    (wheel,) = wheels.glob("*.whl")
    python = environments.gradlint.program("python")
    environments.pip("--python", python, "install", "--no-deps", "--force-reinstall", str(wheel))
