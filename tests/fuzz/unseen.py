"""Programs that hand what they have to code which gradlint cannot see: a module that torch's side alone can import.

Each callee does one thing with what it is handed, under a name by chance. The `HARMLESS` ones read, log, keep or
return, and are called by names that say nothing else: what is certain and what is likely must hold after them. The
others change what they get, and may be called by any name: what is certain must hold after all of them.
"""

from __future__ import annotations

import io
import random
import re
import textwrap
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout

from gradlint.finding import Confidence
from gradlint.frozen import frozen
from tests.fuzz.revealing import REVEAL, filled, gaps, places
from tests.fuzz.watching import Files, execute, runs_of, settled, watched
from tests.fuzz.writing import is_autograds

MODULE, HOLDER, HELD = "elsewhere", "Holder", "holder"
INDENT = "    "
MOST_CALLS = 5
REFUSED = 0.15
"""How often a call is kept with which autograd stops the program."""

COMMON = '''\
"""What the linter does not see."""
import torch
from torch import nn

kept = []


def tensors_of(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, nn.Module):
            yield from value.parameters()
        elif isinstance(value, torch.optim.Optimizer):
            yield from (one for group in value.param_groups for one in group["params"])
        elif isinstance(value, dict):
            yield from tensors_of(value.values())
        elif isinstance(value, (list, tuple)):
            yield from tensors_of(value)


def of_type(kind, values):
    return [one for one in values if isinstance(one, kind)]


def graphs_of(values):
    if found := [one.abs().sum() for one in tensors_of(values) if one.requires_grad]:
        yield sum(found)
'''

HARMLESS: dict[str, str] = {
    "read": "return [float(one.detach().abs().sum()) for one in tensors_of(values)]",
    "described": "return [(one.shape, one.dtype, one.requires_grad, one.grad is None) for one in tensors_of(values)]",
    "log": "print(*values)",
    "keep": "kept.append(values)",
    "keep_each": "kept.extend(tensors_of(values))",
    "same": "return values[0]",
    "computed": "return values[0] * 2 if isinstance(values[0], torch.Tensor) else values[0]",
    "loss": "return next(graphs_of(values), torch.zeros(()))",
}
"""The bodies of callees that do nothing to what they are handed."""
HARMFUL: dict[str, str] = {
    "detach": "for one in tensors_of(values):\n    one.detach_()\nreturn values[0]",
    "detached": "return values[0].detach() if isinstance(values[0], torch.Tensor) else values[0]",
    "write": "with torch.no_grad():\n    for one in tensors_of(values):\n        one.mul_(1)\nreturn values[0]",
    "write_recorded": "for one in tensors_of(values):\n    one.mul_(1)\nreturn values[0]",
    "write_hidden": "for one in tensors_of(values):\n    one.data.mul_(1)",
    "backward": "for one in graphs_of(values):\n    one.backward()",
    "backward_keeping": "for one in graphs_of(values):\n    one.backward(retain_graph=True)",
    "freeze": "for one in tensors_of(values):\n    one.requires_grad_(False)\nreturn values[0]",
    "unfreeze": "for one in tensors_of(values):\n    one.requires_grad_()\nreturn values[0]",
    "retain": "for one in tensors_of(values):\n    one.retain_grad()",
    "clear": "for one in tensors_of(values):\n    one.grad = None",
    "fill": "for one in tensors_of(values):\n    one.grad = torch.zeros_like(one)",
    "eval": "for one in of_type(nn.Module, values):\n    one.eval()",
    "train": "for one in of_type(nn.Module, values):\n    one.train()",
    "step": "for one in of_type(torch.optim.Optimizer, values):\n    one.step()",
    "zero": "for one in of_type(torch.optim.Optimizer, values):\n    one.zero_grad()",
    "shrink": "for one in of_type(list, values):\n    del one[1:]",
    "grow": "for one in of_type(list, values):\n    one.append(torch.ones(2, 2, requires_grad=True))",
}
"""The bodies of those that do."""

RETURNING = frozenset(does for does, body in (HARMLESS | HARMFUL).items() if "return values[0]" in body)
"""Those that give what they are handed, or something of its kind."""

PLAIN_NAMES = (
    "visit", "handle", "push", "prepare", "wrap", "touch", "log", "show", "measure", "record_loss", "remember", "keep",
)  # fmt: skip
TELLING_NAMES = ("criterion", "fit", "backprop", "train_step", "optimize")
"""Names that tell of nothing that is done to a graph, and those that do."""

USES = (
    "{new}.backward()", "{new}.sum().backward()", "{new}.requires_grad_()", "{new}.retain_grad()", "{new}.add_(1.0)",
    "({new} * {place}).sum().backward()", "{new} = {new} + {place}", "{new}.grad", "{place}.sum().backward()",
    "{place}.requires_grad_()", "{place}.grad", "{place}.add_(1.0)", "{new}[0]", "{new} = {new}.detach()",
)  # fmt: skip
"""What is done afterwards with what a callee was handed, or gave."""


GIVEN = ("{place}", "{place}", "{place}", "{place}, {other}", "[{place}, {other}]", "{{'a': {place}}}")


@frozen()
class Kind:
    """What is done by callees, what they may be called, and how much must hold of what is said then."""

    bodies: dict[str, str]
    names: tuple[str, ...]
    confidence: Confidence


KINDS: dict[str, Kind] = {
    "harmless": Kind(HARMLESS, PLAIN_NAMES, Confidence.LIKELY),
    "any": Kind(HARMLESS | HARMFUL, PLAIN_NAMES + TELLING_NAMES, Confidence.CERTAIN),
}


def handing_over(text: str, chance: random.Random, kind: Kind) -> tuple[str, Files]:
    """The program with some calls of unseen code, without what it reveals, and the module with that code.

    A call that stops the program, or what comes after it, is mostly left out again. So are all where a handler hides
    that what a callee gave is used as what it is not: what the uses of a thing show is then not true of it.
    """
    callees = _callees(chance, kind)
    files = ((f"{MODULE}.py", _module(kind, callees)),)
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(f"{REVEAL}(")]
    lines = [f"from {MODULE} import {HOLDER}, {', '.join(callees)}", f"{HELD} = {HOLDER}()", *lines]
    spots = gaps(lines)
    there = places(lines, spots, files)
    written = [""] * len(spots)
    ended = _ended(filled(lines, spots, written), files)
    for number, (spot, call) in enumerate(_calls(chance, there, callees)):
        tried = [*written[:spot], call.replace("{new}", f"u{number}"), *written[spot + 1 :]]
        now = _ended(filled(lines, spots, tried), files)
        if repr(now) == repr(ended) or (is_autograds(now) and chance.random() < REFUSED):
            written, ended = tried, now
    none = filled(lines, spots, [""] * len(spots))
    found = filled(lines, spots, written)
    return (none if _misuses(found, files) > _misuses(none, files) else found), files


NO_TENSOR = re.compile(r"'(NoneType|float|int|list|tuple|dict)' object ")
"""How Python begins to refuse what is done to something that a callee may give, and that is no tensor."""


def _misuses(text: str, files: Files) -> int:
    """How often Python refuses something, whether or not a handler of the program catches that."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        raised = watched(text, files).raised
    return sum(NO_TENSOR.match(words) is not None for found in raised.values() for words in found)


def _callees(chance: random.Random, kind: Kind) -> dict[str, str]:
    """Some names, and what each does."""
    bodies, names = list(kind.bodies), list(kind.names)
    return {name: chance.choice(bodies) for name in sorted(chance.sample(names, 3))}


def _module(kind: Kind, callees: dict[str, str]) -> str:
    bodies = {name: textwrap.indent(kind.bodies[does], INDENT) for name, does in callees.items()}
    functions = [f"\n\ndef {name}(*values):\n{body}\n" for name, body in bodies.items()]
    methods = [f"{INDENT}{name} = staticmethod({name})\n" for name in callees]
    return "".join((COMMON, *functions, f"\n\nclass {HOLDER}:\n", *methods))


def _calls(
    chance: random.Random, there: dict[int, tuple[str, ...]], callees: dict[str, str]
) -> Iterator[tuple[int, str]]:
    """Where something is handed over, and in which words."""
    spots = [spot for spot, names in sorted(there.items()) if names]
    for spot in chance.sample(spots, min(len(spots), chance.randint(1, MOST_CALLS))):
        place, other = chance.choices(there[spot], range(1, len(there[spot]) + 1), k=2)
        name = chance.choice(list(callees))
        callee = name if chance.random() < 0.7 else f"{HELD}.{name}"
        if callees[name] in RETURNING and chance.random() < 0.3:
            yield spot, f"{place} = {callee}({place})"
            continue
        given = chance.choice(GIVEN).format(place=place, other=other)
        bound = chance.choice(("", "{new} = "))
        uses = [use for use in USES if bound or "{new}" not in use]
        use = chance.choice(uses).replace("{place}", place) if chance.random() < 0.5 else ""
        yield spot, f"{bound}{callee}({given})\n{use}"


def _ended(text: str, files: Files) -> BaseException | None:
    """What stops some run of a program, if anything does."""
    try:
        runs = list(runs_of(text))
    except SyntaxError as error:
        return error
    errors: list[BaseException | None] = []
    with settled(files), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        errors += (execute(code, number, **{REVEAL: lambda *_: None}) for code, number in runs)
    return next((error for error in errors if error is not None), None)
