"""Programs that reveal what is known: the linter and torch are asked about the same values on the same lines.

A program calls `reveal(x)`, a function that it does not define, on lines that end in what gradlint knows::

    weight = torch.zeros(3, requires_grad=True)
    reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]

The comment states exactly what gradlint says, joined over every time it comes by: `requires_grad=no|yes` where both
were seen, `leaf=?` where nothing is known. torch runs the program too, and what it has must be among the answers.

`reveal(weight, "grad")  # fresh` asks for one fact of the object alone.
"""

from __future__ import annotations

import re
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import GeneratorType
from typing import Any

from gradlint import linter
from gradlint.disk import InMemory
from gradlint.domain import (
    BOOL,
    COMPLEX,
    EVAL,
    FLOAT,
    FRESH,
    INTEGER,
    NONE,
    NUMBER_KINDS,
    TRAIN,
    UNKNOWN,
    Constant,
    Device,
    Dtypes,
    Fact,
    Module,
    OneOf,
    Optimizer,
    Precision,
    PythonNumber,
    Scaler,
    Tensor,
    joined,
    objects,
    one_of,
    spelling,
    truth,
)
from gradlint.domain.objects import Object
from gradlint.events import Called, Thing
from gradlint.frozen import frozen
from gradlint.interpreter.engine.cannot_raise import REVEAL
from gradlint.knowledge.pack_index import NO_PACKS, Packs
from gradlint.knowledge.shapes.element_count import MOST_PLANAR
from gradlint.knowledge.shapes.outline import of_size
from gradlint.project import Project
from gradlint.proving import known_here
from gradlint.proving.examples import comments
from gradlint.proving.surroundings import NotRestored, surroundings
from gradlint.rule import Findings, Rule
from gradlint.testing.claims import Claim, parameters
from gradlint.testing.diary import Diary, kept
from gradlint.texts import Unreadable

MAIN = "main.py"


@frozen()
class Program:
    """The text of a program that reveals, and the files it may import from, as pairs of relative path and text."""

    path: Path
    text: str
    files: tuple[tuple[str, str], ...] = ()

    @property
    def said(self) -> dict[int, str]:
        """Return the comment of each line with a `reveal`."""
        try:
            known = dict(comments(self.text))
        except (tokenize.TokenError, SyntaxError):
            known = {}
        rows = [row for row, line in enumerate(self.text.splitlines(), 1) if line.lstrip().startswith("reveal(")]
        return {row: known.get(row, "").removeprefix("#").strip() for row in rows}

    def at(self, row: int) -> str:
        """Return the name of a row in faults."""
        return f"{self.path}:{row}"


def program_claims(folder: str | Path, packs: Packs = NO_PACKS) -> list[Any]:
    """Return the claims of gradlint and of torch, as parameters, for every program of a folder that reveals anything.

    A program of several files is a folder, and its `main.py` reveals.
    """
    programs = [read_program(path) for path in sorted([*Path(folder).glob("*.py"), *Path(folder).glob("*/main.py")])]
    return parameters(claim for program in programs if program.said for claim in claims_of(program, packs))


def read_program(path: Path) -> Program:
    """A program with its neighbours, if it has any."""
    text = path.read_text(encoding="utf-8")
    if path.name != MAIN:
        return Program(path, text)
    others = [other for other in sorted(path.parent.rglob("*.py")) if other != path]
    return Program(path, text, tuple((o.relative_to(path.parent).as_posix(), o.read_text("utf-8")) for o in others))


def claims_of(program: Program, packs: Packs = NO_PACKS) -> Iterator[Claim]:
    """Both claims about one program; `packs` are what gradlint knows of other libraries."""
    name = program.path.parent.name if program.path.name == MAIN else program.path.stem
    yield Claim(f"{name}-said", lambda: misstated(program, packs))
    yield Claim(f"{name}-agrees", lambda: disagreeing(program, packs))


def misstated(program: Program, packs: Packs = NO_PACKS) -> Iterator[str]:
    """Lines on which gradlint says something else than the comment."""
    try:
        known = revealed(program.text, program.files, packs)
    except Unreadable as error:
        yield f"{program.path}: {error}"
        return
    facts = asked(program.text)
    for row, said in program.said.items():
        if row not in known:
            yield f"{program.at(row)}: gradlint never comes by"
        elif (spelled := spell(known[row], facts.get(row, ""))) != said:
            yield f"{program.at(row)}: gradlint says {spelled}, the line {said or 'nothing'}"


def disagreeing(program: Program, packs: Packs = NO_PACKS) -> Iterator[str]:
    """Lines on which torch has what gradlint excludes, and lines that torch never reaches."""
    real = run(program)
    if isinstance(real, str):
        yield f"{program.path}: {real}"
        return
    known = revealed(program.text, program.files, packs)
    for row in program.said:
        if row not in real:
            yield f"{program.at(row)}: torch never comes by, so it confirms nothing"
    for row, things in real.items():
        for thing in things:
            yield from (f"{program.at(row)}: {fault}" for fault in excluded(known.get(row, UNKNOWN), thing))


# ---- what gradlint says


ASKED = re.compile(r"""\s*reveal\(.*, "(\w+)"\)""")


def asked(text: str) -> dict[int, str]:
    """The rows on which one fact is asked for, and which."""
    return {row: found[1] for row, line in enumerate(text.splitlines(), 1) if (found := ASKED.match(line))}


@cache
def revealed(text: str, files: tuple[tuple[str, str], ...] = (), packs: Packs = NO_PACKS) -> dict[int, Thing]:
    """Return gradlint's facts at each row with a `reveal`, joined over every time it comes by."""
    things: dict[Any, Thing] = {}
    rule = Rule("XXX001", "reveal", "{index}")

    @rule.on(Called, REVEAL)
    def check(event: Called) -> Findings:
        if event.args:
            node, new = event.node, event.args[0]
            things[node] = both_of(things[node], new) if node in things else new
            yield rule.at(node, index=list(things).index(node))

    project = Project(InMemory(dict(files))).at(MAIN)
    findings = linter.analyse(text, [rule], packs=packs.at(known_here().torch.version), project=project).findings
    values = list(things.values())
    return {finding.place.row: values[int(finding.message)] for finding in findings}


def both_of(one: Thing, other: Thing) -> Thing:
    """Return the facts that hold if either does."""
    if isinstance(one, Object) and isinstance(other, Object):
        return joined(one, other) if type(one) is type(other) else UNKNOWN
    return UNKNOWN if isinstance(one, Object) or isinstance(other, Object) else one_of((one, other))


def spell(thing: Thing, fact: str = "") -> str:
    """Return the spelling of what is known in a line, of one fact alone if it asks for that."""
    if fact and isinstance(thing, Object):
        return str(getattr(thing, fact, "no such fact"))
    return spelling.spell(thing)


# ---- what torch has


def run(program: Program) -> dict[int, list[dict[str, Any]]] | str:
    """Return torch's facts at each time it comes by a `reveal`, by row; or why the program does not run."""
    recorded: dict[int, list[dict[str, Any]]] = {}

    def reveal(value: Any, fact: str = "") -> None:
        recorded.setdefault(sys._getframe(1).f_lineno, []).append(real(value, diary))

    names = {"__name__": "__main__", "__file__": program.path.name, "reveal": reveal}
    try:
        with surroundings(dict(program.files)), kept() as diary:
            exec(compile(program.text, str(program.path), "exec", dont_inherit=True), names)
            names.clear()
    except NotRestored as error:
        return str(error)
    except (Exception, SystemExit) as error:
        return f"torch does not run it: {type(error).__name__}: {error}"
    return recorded


def real(value: Any, diary: Diary) -> dict[str, Any]:
    """Return a real value's kind and facts, in words of the domain."""
    import torch

    if isinstance(value, torch.Tensor):
        grad, unit = diary.of(value) if value.is_leaf else (None, None)
        if grad == FRESH and not value.grad.numel():
            grad = FRESH | NONE  # zeros, or nothing of the kind
        return {
            "grad": grad,
            "unit": unit,
            "is": "Tensor",
            "dtype": _kind(value),
            "precision": _precision(value),
            "device": _device(value),
            "requires_grad": truth(value.requires_grad),
            "leaf": truth(value.is_leaf),
            "retains": truth(value.retains_grad),
            "parameter": truth(isinstance(value, torch.nn.Parameter)),
            "inference": truth(value.is_inference()),
            "scalar": truth(value.numel() == 1),
            "planar": truth(value.dim() <= MOST_PLANAR),
            "shape": of_size(tuple(value.shape)),
            "contiguous": truth(value.is_contiguous()),
            "size": tuple(value.shape),
        }
    if isinstance(value, torch.nn.Module):
        return {"is": "Module", "mode": TRAIN if value.training else EVAL}
    if isinstance(value, torch.optim.Optimizer):
        return {"is": "Optimizer"}
    if isinstance(value, torch.amp.GradScaler):
        return {
            "is": "Scaler",
            "enabled": truth(value.is_enabled()),
            "begun": truth(getattr(value, "_scale", None) is not None),
        }
    if isinstance(value, GeneratorType):
        return {"is": "Iterator", "used": truth(value.gi_frame is None)}
    kind = next((kind for cls, kind in NUMBER_KINDS.items() if isinstance(value, cls)), None)
    if kind is not None:  # numbers of NumPy are among them
        return {"is": "number", "dtype": kind, "value": value}
    return {"is": type(value).__name__, "value": value if value is None or isinstance(value, str) else ...}


def _precision(tensor: Any) -> Precision:
    name = str(tensor.dtype).removeprefix("torch.")
    return Precision.named(name) if name in Precision.names else Precision.unsure()


def _device(tensor: Any) -> Device:
    name = tensor.device.type
    return Device.named(name) if name in Device.names else Device.unsure()


def _kind(tensor: Any) -> Dtypes:
    import torch

    if tensor.dtype is torch.bool:
        return BOOL
    if tensor.dtype.is_complex:
        return COMPLEX
    return FLOAT if tensor.dtype.is_floating_point else INTEGER


def excluded(known: Thing, thing: dict[str, Any]) -> Iterator[str]:
    """Return the facts that gradlint rules out although torch has them."""
    if isinstance(known, OneOf):
        if all(list(excluded(option, thing)) for option in known.values):
            yield f"torch has {thing}, gradlint says {spell(known)}"
    elif isinstance(known, Tensor | Module | Optimizer | Scaler | objects.Iterator):
        if thing["is"] != type(known).__name__ and not isinstance(known, objects.Iterator):
            yield f"torch has a {thing['is']}, gradlint says {known}"
            return
        if isinstance(known, Tensor) and known.size not in (None, thing["size"]):
            yield f"size is {thing['size']} in torch, gradlint says {known.size}"
        for name, fact in thing.items():
            if isinstance(fact, Fact) and not fact.is_unsure and not getattr(known, name).may(fact):
                yield f"{name} is {fact} in torch, gradlint says {getattr(known, name)}"
    elif isinstance(known, PythonNumber):
        if thing["is"] != "number" or not known.dtype.may(thing["dtype"]):
            yield f"torch has a {thing['is']}, gradlint says {spell(known)}"
    elif isinstance(known, Constant) and known != Constant(thing.get("value", ...)):
        yield f"torch has {thing}, gradlint says {spell(known)}"
