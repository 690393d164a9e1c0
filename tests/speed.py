"""What the analysis costs beside LibCST's parse, over the same files: `python -m tests.speed PATHS`.

Times are CPU seconds of this process, the least of several rounds, and only their ratio means something on a busy
machine. Files that do not mention torch are left out, as are those that do not parse. The rules are not run.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gradlint import registry, source, texts
from gradlint.frozen import frozen
from gradlint.interpreter import interpret
from gradlint.knowledge.pack_index import Packs
from gradlint.project import Project, ProjectView

SLOWEST = 10
GROWING = (100, 1_000, 5_000)
"""The lengths of programs whose cost a line is compared."""


@frozen()
class Timed:
    """What one file cost: CPU seconds for the parse and for all that comes after it, and what was counted."""

    path: str
    lines: int
    parse: float
    interpret: float
    counts: Counter[str]


def timed(path: str, packs: Packs, project: ProjectView | None, rounds: int = 1) -> Timed | None:
    """Measure one file; None for what does not mention torch or is no Python."""
    data = Path(path).read_bytes()
    if b"torch" not in data:
        return None
    try:
        text = texts.decode(data)
        parsing = [_clocked(lambda: source.parse(text)) for _ in range(rounds)]
    except texts.Unreadable:
        return None
    tree = parsing[0][1]
    running = [
        _clocked(lambda: interpret(tree, lambda event: None, packs=packs, project=project)) for _ in range(rounds)
    ]
    return Timed(path, text.count("\n"), min(parsing)[0], min(took for took, _ in running), running[-1][1].log.counts)


def _clocked(action: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    result = action()
    return time.process_time() - began, result


def growth(packs: Packs) -> list[tuple[int, float]]:
    """The ratio of interpretation to parse for programs that are alike but for their length."""
    block = (
        "class Net{i}(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.layer = nn.Linear(4, 4)\n\n"
        "    def forward(self, x):\n"
        "        return torch.relu(self.layer(x)) + x\n\n\n"
        "def train{i}(data, model=Net{i}()):\n"
        "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "    for x, y in data:\n"
        "        optimizer.zero_grad()\n"
        "        loss = nn.functional.mse_loss(model(x), y)\n"
        "        loss.backward()\n"
        "        optimizer.step()\n\n\n"
    )
    out = []
    for lines in GROWING:
        count = max(1, lines // block.count("\n"))
        text = "import torch\nfrom torch import nn\n\n\n" + "".join(block.replace("{i}", str(i)) for i in range(count))
        parse, tree = _clocked(lambda text=text: source.parse(text))  # type: ignore[misc]
        run, _ = _clocked(lambda tree=tree: interpret(tree, lambda event: None, packs=packs))  # type: ignore[misc]
        out.append((text.count("\n"), run / parse))
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the files under some paths and print what was found; the last line is the ratio."""
    parser = argparse.ArgumentParser(prog="python -m tests.speed", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args(arguments)
    packs, project = registry.packs(), Project()
    files = sorted(
        str(file) for path in options.paths for file in (Path(path).rglob("*.py") if Path(path).is_dir() else [path])
    )
    gc.collect()
    gc.disable()
    try:
        _print_measured(files, options.rounds, packs, project)
    finally:
        gc.enable()
    return 0


def _print_measured(files: Sequence[str], rounds: int, packs: Packs, project: Project) -> None:
    measured = (timed(file, packs, project.at(str(Path(file).resolve())), rounds) for file in files)
    found = [one for one in measured if one is not None]
    counts: Counter[str] = sum((one.counts for one in found), Counter())
    for name, number in sorted(counts.items()):
        print(f"{number:>9} {name}")
    for one in sorted(found, key=lambda one: -one.interpret)[:SLOWEST]:
        print(f"{one.interpret:9.2f} s, {one.interpret / max(one.parse, 1e-9):5.1f} times the parse: {one.path}")
    for lines, ratio in growth(packs):
        print(f"{ratio:9.2f} times the parse for a program of {lines} lines")
    parse, run = (sum(getattr(one, name) for one in found) for name in ("parse", "interpret"))
    print(
        f"{len(found)} files, {sum(one.lines for one in found)} lines: parse {parse:.2f} s, interpretation {run:.2f} s"
    )
    print(f"interpretation = {run / max(parse, 1e-9):.2f} times the parse")


if __name__ == "__main__":
    sys.exit(main())
