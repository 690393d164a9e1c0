"""What programs become when a part of them is written many times, and what real files become when they are damaged.

`python -m tests.growth` sends 2,000 of each through whole runs, with 12 CPU seconds for each file, and then once more
in another order: it prints what went wrong and ends with 1 if anything did. `--grown`, `--mutants` and `--seed` say how
many and which. It takes an hour or more. The real files are those of the standard library and of torch,
where that is installed: nothing of them is kept.
"""

from __future__ import annotations

import argparse
import ast
import io
import random
import sys
import sysconfig
import tempfile
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

from gradlint import engine, registry, settings
from gradlint.limits import Limits

OFTEN = (3_000, 1_000, 300, 30)
"""How many times a part is written."""
LONGEST = 900_000
"""Characters of a grown program; larger files are not read at all."""
SECONDS = 12.0
WRONG = ("internal error", "CPU time", "its process ended", "its process was ended")
"""What is said of a file on which something of ours went wrong: nothing that was counted."""

SEEDS = (
    '''import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
for epoch in range(3):
    for inputs, targets in [(torch.ones(2, 4), torch.zeros(2, 1))]:
        loss = ((model(inputs) - targets) ** 2).mean()
        loss.backward()
        optimizer.step()
        total += loss
with torch.no_grad():
    print(f"{total / 3:.2f}", model(torch.ones(1, 4)).tolist()[0])
''',
    '''import torch
import torch.nn.functional as F


class Net(torch.nn.Module):
    def __init__(self, width=4, *, bias: bool = True):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(width, width, bias=bias) for _ in range(2)])
        self.scale = torch.nn.Parameter(torch.ones(width))

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = F.relu(layer(x)) + x if mask is None else layer(x) * mask[..., None]
        return x * self.scale


net = Net()
out = net(torch.randn(3, 4))
out[0] = 0
out.sum().backward(retain_graph=True)
seen = {name: one.grad.norm() for name, one in net.named_parameters() if one.grad is not None}
''',
    '''import torch

weight = torch.tensor([1, 2], requires_grad=True)
noise = torch.randn(2, requires_grad=True)
kept = []


def step(x, how="mean", *rest):
    """One step."""
    try:
        if how == "mean":
            y = (x * noise).mean()
        elif how == "max" and not rest:
            y = x.max(dim=0).values
        else:
            y = x.detach().numpy()
    except RuntimeError as error:
        raise ValueError("no") from error
    finally:
        kept.append(x)
    return y


match kept:
    case [first, *_] if first is not None:
        step(first).backward()
    case {"x": x} | (x, None):
        del x
while len(kept) < 3 and (k := step(noise)):
    noise.add_(1)
    noise.data -= 0.1 * noise.grad
square = lambda t, p=2: t ** p - -t
grads = torch.autograd.grad(square(noise).sum(), [noise], create_graph=True)
''',
)  # fmt: skip

# ---- growth


def pieces(program: str) -> Iterator[tuple[str, str, str]]:
    """The parts of a program that can be written many times, each as what stands before it, itself and behind it:
    tokens, lines and statements with a body."""
    rows = program.splitlines(keepends=True)
    starts = [0]
    for row in rows:
        starts.append(starts[-1] + len(row))
    for token in tokenize.generate_tokens(io.StringIO(program).readline):
        if token.string.strip():
            begin, end = (starts[row - 1] + column for row, column in (token.start, token.end))
            yield program[:begin], token.string + " ", program[end:]
    spans = [(number, number + 1) for number in range(len(rows))]
    spans += [(node.lineno - 1, node.end_lineno or 0) for node in ast.walk(ast.parse(program)) if hasattr(node, "body")
              and isinstance(node, ast.stmt)]  # fmt: skip
    for first, last in spans:
        yield "".join(rows[:first]), "".join(rows[first:last]), "".join(rows[last:])


def nests(program: str) -> Iterator[tuple[str, str, str]]:
    """The pairs of brackets of a program: what stands before what is in one, that, and what stands behind it."""
    opened: list[int] = []
    for place, letter in enumerate(program):
        if letter in "([{":
            opened.append(place)
        elif letter in ")]}" and opened:
            first = opened.pop()
            yield program[:first], program[first : place + 1], program[place + 1 :]


def grown() -> Iterator[str]:
    """All programs in which one part of a seed is written many times, the most often first."""
    for often in OFTEN:
        for program in SEEDS:
            for before, part, behind in pieces(program):
                yield before + part * min(often, LONGEST // len(part)) + behind
            for before, part, behind in nests(program):
                times = min(often, LONGEST // 2)
                yield before + part[0] * times + part[1:-1] + part[-1] * times + behind


# ---- mutants


def real_files() -> list[Path]:
    """Python files that others wrote, of some size, in an order that is the same in the same environment."""
    torch = find_spec("torch")
    roots = [Path(sysconfig.get_path("stdlib"))]
    roots += [Path(place) for place in (torch.submodule_search_locations or () if torch else ())]
    found = [
        path for root in roots for path in root.rglob("*.py") if "site-packages" not in path.relative_to(root).parts
    ]
    return sorted(path for path in found if 500 < path.stat().st_size < 60_000)


INSERTED = (
    *("pass", "return x", "yield x", "x.backward()", "del self", "x = [x, *x]", "global x", "x.data = x.grad"),
    *("x.requires_grad_()", "import torch as x", "self.forward = self", "optimizer.step()", "while x: x = x[0]"),
    *("with torch.no_grad(): x = x * x", "x = torch.cat([x, x])", "class T(T): pass", "x = {**x, x: x}", "x += x"),
)


def mutant(paths: Sequence[Path], chance: random.Random) -> str:
    """A real file after some changes, each of which a slip of the hand could make."""
    rows = chance.choice(paths).read_text("utf-8", "replace").split("\n")
    if not any("torch" in row for row in rows):
        rows.insert(0, "import torch")
    for _ in range(chance.choice((1, 2, 3, 6))):
        change = chance.choice(CHANGES)
        change(rows, chance.randrange(len(rows)), chance)
    return "\n".join(rows)


def _leave_out(rows: list[str], at: int, chance: random.Random) -> None:
    del rows[at : min(at + chance.choice((1, 2, 9)), len(rows) - 1)]


def _say_twice(rows: list[str], at: int, chance: random.Random) -> None:
    rows[at:at] = rows[at : at + chance.choice((1, 5, 20))]


def _exchange(rows: list[str], at: int, chance: random.Random) -> None:
    other = chance.randrange(len(rows))
    rows[at], rows[other] = rows[other], rows[at]


def _indent(rows: list[str], at: int, chance: random.Random) -> None:
    rows[at] = chance.choice(("    " + rows[at], rows[at].removeprefix("    ")))


def _insert(rows: list[str], at: int, chance: random.Random) -> None:
    rows.insert(at, rows[at][: len(rows[at]) - len(rows[at].lstrip())] + chance.choice(INSERTED))


def _rename(rows: list[str], at: int, chance: random.Random) -> None:
    names = [word for word in rows[at].replace("(", " ").replace(".", " ").split() if word.isidentifier()]
    if names:
        rows[at] = rows[at].replace(chance.choice(names), chance.choice(("x", "self", "torch", "None", "x.grad", "()")))


CHANGES = (_leave_out, _say_twice, _exchange, _indent, _insert, _insert, _rename, _rename)


def mutants(number: int, seed: int) -> Iterator[str]:
    """So many damaged real files."""
    paths, chance = real_files(), random.Random(seed)
    return (mutant(paths, chance) for _ in range(number))


# ---- runs


def spread(texts: Iterable[str], number: int) -> list[str]:
    """So many of these texts at even distances."""
    every = list(texts)
    number = min(number, len(every))
    return [every[at * len(every) // number] for at in range(number)]


def linted(folder: Path, jobs: int) -> tuple[tuple[str, ...], Counter[tuple[str, ...]], list[str]]:
    """The files of a run over a folder, what it found, and what went wrong. With one process the files are linted in
    the order of their names, with several the largest first."""
    limits = Limits(seconds=SECONDS)
    with patch.object(settings.Settings, "limits", lambda self: limits):
        request = settings.Request(paths=(str(folder),), isolated=True, jobs=jobs, respect_gitignore=False)
        outcome = engine.lint(request, registry.rules(), registry.packs())
    found = [
        (Path(one.filename).name, one.finding.code, str(one.finding.place), one.finding.message)
        for one in outcome.entries
    ]
    return outcome.files, Counter(found), [*outcome.problems, *outcome.tracebacks]


def faults(texts: Sequence[str], folder: Path) -> list[str]:
    """What goes wrong when these programs are linted, in two orders."""
    for number, text in enumerate(texts):
        (folder / f"p{number:05}.py").write_text(text, "utf-8", errors="replace")
    (files, found, wrong), (again, others, more) = linted(folder, 2), linted(folder, 1)
    wrong += [
        f"{len(texts) - len(set(there))} files are lost" for there in (files, again) if len(set(there)) < len(texts)
    ]
    wrong += [
        ": ".join(one) for one in {**found, **others} if one[1] == "GRD002" and any(said in one[3] for said in WRONG)
    ]
    wrong += [f"depends on the run: {': '.join(one)}" for one in (found - others) + (others - found)]
    return [*dict.fromkeys([*wrong, *more])]


def main(arguments: Sequence[str]) -> int:
    """Send programs through whole runs, and tell what goes wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.growth", description=__doc__)
    parser.add_argument("--grown", type=int, default=2_000, metavar="N", help="so many grown programs [2000]")
    parser.add_argument("--mutants", type=int, default=2_000, metavar="N", help="so many damaged files [2000]")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="which damage [0]")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="an empty folder to write the programs into")
    asked = parser.parse_args(arguments)
    texts = [*spread(grown(), asked.grown), *mutants(asked.mutants, asked.seed)]
    with tempfile.TemporaryDirectory() as temporary:
        wrong = faults(texts, asked.keep or Path(temporary))
    print(*wrong, sep="\n")
    print(f"{len(texts)} programs, {len(wrong)} faults")
    return int(bool(wrong))


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        sys.exit(main(sys.argv[1:]))
