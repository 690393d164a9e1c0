"""Programs whose analysis could cost more than their length: each ends in time, and spares the other file of its run.

`test_limits` grows what the parser finds hard; what is grown here is parsed, and goes through the interpreter.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gradlint import registry
from gradlint.interpreter.engine.loops import MOST_STATEMENTS_TO_A_FIXPOINT
from tests import growth
from tests.one_file import result
from tests.test_limits import REPORTED, Grown, Lint, linting

SECONDS, MEMORY = 30, 1_200_000_000
"""What a run may take on a machine that has much to do: on a quiet one none of these takes more than 12 CPU seconds."""
MOST = 1_900_000
"""Characters: of a larger file nothing is read."""
HEAD = "import torch\nfrom torch import nn\nw = torch.ones(2, requires_grad=True)\n"


def rows(row: Callable[[int], str], n: int) -> str:
    """A row for each number, as many as a file may have."""
    found, length = [], 0
    for number in range(n):
        found.append(row(number))
        length += len(found[-1])
        if length > MOST:
            break
    return "".join(found)


PROGRAMS: dict[str, Grown] = {
    "variables": lambda n: rows(lambda i: f"a{i} = w + {i}\n", n),
    "fractions": lambda n: "a = torch.tensor([" + rows(lambda i: f"{i}.25, ", n) + "])\n",
    "a mapping": lambda n: "a = {" + rows(lambda i: f"'{i}': {i}, ", n) + "}\nfor b in a.values():\n    w = w + b\n",
    "a list of tensors": lambda n: "torch.cat([" + rows(lambda i: "w * 2, ", n) + "]).sum().backward()\n",
    "appended": lambda n: "a = []\n" + rows(lambda i: f"a.append(w * {i})\n", n) + "torch.cat(a).sum().backward()\n",
    "written in place": lambda n: "a = w * 1\n" + "a.mul_(w)\n" * n + "a.sum().backward()\n",
    "views that are written": lambda n: "a = w * 1\n" + rows(lambda i: f"b{i} = a[{i}]\nb{i}.add_(1)\n", n),
    "backwards": lambda n: rows(lambda i: f"a = (w ** {i}).sum()\na.backward()\n", n),
    "backwards of graphs that are kept": lambda n: (
        "a = (w ** 2).sum()\n" + "a.backward(retain_graph=True)\na = a * w.sum()\n" * n
    ),
    "steps": lambda n: "o = torch.optim.SGD([w], 1.0)\n" + "o.zero_grad()\n(w * w).sum().backward()\no.step()\n" * n,
    "named parameters": lambda n: (
        "p = {}\n"
        + rows(lambda i: f"p['{i}'] = torch.ones(2, requires_grad=True)\n", n // 2)
        + "o = torch.optim.Adam(p.values())\n"
        + rows(lambda i: f"w = w @ p['{i}']\n", n // 4)
        + "w.backward()\no.step()\n"
    ),
    "layers": lambda n: (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        + rows(lambda i: f"        self.a{i} = nn.Linear(2, 2)\n", n // 3)
        + "    def forward(self, x):\n"
        + rows(lambda i: f"        x = self.a{i}(x)\n", n // 3)
        + "        return x\nA()(w).sum().backward()\n"
    ),
    "a sequence of layers": lambda n: "a = nn.Sequential(" + "nn.Linear(2, 2), " * n + ")\na(w).sum().backward()\n",
    "optimizers": lambda n: "a = nn.Linear(2, 2)\n" + rows(lambda i: f"o{i} = torch.optim.SGD(a.parameters(), 1)\n", n),
    "functions": lambda n: rows(lambda i: f"def f{i}(x):\n    (x.detach() * {i}).backward()\n", n),
    "functions that call two": lambda n: (
        rows(lambda i: f"def f{i}(x):\n    return f{i + 1}(x) + f{i + 1}(x * 2)\n", n) + "f0(w).sum().backward()\n"
    ),
    "functions that call each other": lambda n: (
        rows(lambda i: f"def f{i}(x):\n    return f{(i * 7 + 1) % n}(x) if x > {i} else f{(i * 5 + 3) % n}(x)\n", n)
        + "f0(w).sum().backward()\n"
    ),
    "branches": lambda n: "a = w\n" + rows(lambda i: f"if {i} in b:\n    a = a.detach()\nelse:\n    a = a * 2\n", n),
    "branches of models": lambda n: rows(
        lambda i: f"if {i} in b:\n    a = nn.Linear(2, 2)\n    o = torch.optim.SGD(a.parameters(), 1)\n", n
    ),
    "branches of variables": lambda n: rows(lambda i: f"a{i} = w * 2 if b[{i}] else w.detach()\n", n),
    "loops": lambda n: rows(lambda i: f"for i in range({i}):\n    w = w * 2\n", n),
    "rows of one loop": lambda n: "for i in range(9):\n" + rows(lambda i: f"    w = w * {i}\n", n),
    "branches of one loop": lambda n: (
        "a = w\nfor i in range(9):\n" + rows(lambda i: f"    if i > {i}:\n        a = (a * w).detach()\n", n)
    ),
    "tries": lambda n: rows(lambda i: "try:\n    w = w * 2\nexcept ValueError:\n    w = w.detach()\n", n),
    "cases": lambda n: "match w:\n" + rows(lambda i: f"    case {{'a': [b, *c], **d}} if b:\n        e = b * {i}\n", n),
    "classes, each from the one before": lambda n: (
        "class A0(nn.Module): pass\n" + rows(lambda i: f"class A{i + 1}(A{i}): pass\n", n // 8)
    ),
    "classes, each from the two before": lambda n: (
        "class A0: pass\nclass B0: pass\n"
        + rows(lambda i: f"class A{i + 1}(A{i}, B{i}): 1\nclass B{i + 1}(A{i}, B{i}): 1\n", n)
    ),
    "instances": lambda n: (
        "class A(nn.Module):\n    def __init__(self, k):\n        super().__init__()\n"
        "        self.a = nn.Linear(k, 2)\n"
        "    def forward(self, x):\n        return self.a(x)\n" + rows(lambda i: f"a{i} = A({i})\nw = a{i}(w)\n", n)
    ),
    "objects that hold each other": lambda n: (
        "class A: pass\n" + rows(lambda i: f"a{i} = A()\na{i}.b, a{i}.c = a{i * 3 // 4}, a{i // 2}\n", n)
    ),
    "exchanged": lambda n: (
        rows(lambda i: f"a{i} = w * {i}\n", n // 2) + rows(lambda i: f"a{i}, a0 = a0, a{i}\n", n // 2)
    ),
    "iterators, each over the two before": lambda n: (
        "a, b = iter([w]), iter([w])\n" + "a, b = (c for c in zip(a, b)), (c for c in zip(b, a))\n" * n
    ),
    "iterators of a loop": lambda n: (
        "def f(*x):\n    a, b = iter(x), iter(x)\n    for i in x:\n"
        + "        a, b = (c for c in zip(a, b)), (c for c in zip(b, a))\n" * (n // 10)
        + "    return [c for c in a]\nf(w, w)\n"
    ),
    "a number written into a text": lambda n: "a = f'{0x" + "f" * n + "}'\n",
    "patterns with many choices": lambda n: (
        "import re\n" + rows(lambda i: f"if re.match('{'(a|a)' * min(n, 35)}b', '{'a' * 99}'): w = w * {i}\n", n)
    ),
    "yields": lambda n: "def f(x):\n" + "    yield x * 2\n" * n + "for a in f(w):\n    a.sum().backward()\n",
}
SIZES = (20_000, 1_000)


@pytest.fixture(scope="module")
def linted() -> Iterator[Lint]:
    """Lints a folder with several processes, each of which may take more than is asked for."""
    with linting(2 * SECONDS, 3 * MEMORY, jobs=2) as lint:
        yield lint


def check(text: str, folder: Path, lint: Lint) -> None:
    """A program that costs much ends within the limits; whatever is said of it, the other file is reported."""
    Path(folder, "a.py").write_text(text)
    Path(folder, "b.py").write_text(REPORTED)
    used = lint(folder)
    found = json.loads(Path(folder, "found.json").read_text())
    print([message for path, _, message in found if path == "a.py"])
    assert used.status == 0 and used.memory < MEMORY and used.seconds < SECONDS
    assert any((path, code) == ("b.py", "GRD101") for path, code, _ in found)
    told = [(code, message) for path, code, message in found if path == "a.py"]
    assert all(code == "GRD002" and not any(said in message for said in growth.WRONG) for code, message in told)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_grows_is_linted_or_given_up_in_time(name, size, tmp_path, linted):
    check(HEAD + PROGRAMS[name](size), tmp_path, linted)


@pytest.mark.parametrize("size", [6, 12, 24, 96])
def test_classes_with_two_bases_each_take_no_time(size, tmp_path, linted):
    check(HEAD + PROGRAMS["classes, each from the two before"](size), tmp_path, linted)


LONG = "    n = i\n" * (MOST_STATEMENTS_TO_A_FIXPOINT + 1)
LOOPS = [
    (f"for i in range(9):\n{LONG}    (w.detach() * 2).sum().backward()\n", ["GRD602"]),
    (f"o = torch.optim.SGD([w], 1.0)\nfor i in [1] * 9:\n{LONG}    w.sum().backward()\n    o.step()\n", ["GRD701"]),
    (f"x = y = z = w.detach()\nfor i in [1] * 9:\n{LONG}    x = y\n    y = z\n    z = w * 2\nx.sum().backward()\n", []),
    (f"x = [w.detach()]\nfor i in range(9):\n{LONG}    x = [*x, w * i]\nx[-1].sum().backward()\n", []),
]
"""Loops too long to be run again, and what is reported: what two iterations do, and nothing that a third undoes."""


@pytest.mark.parametrize(("text", "codes"), LOOPS, ids=range(len(LOOPS)))
def test_a_long_loop_is_run_twice_and_leaves_nothing_certain(text, codes):
    found = result((HEAD + text).encode(), "a.py", registry.rules())
    assert [finding.code for finding in found.findings] == codes


PARTS = 12


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", range(PARTS))
def test_no_part_that_is_repeated_and_no_damage_stops_a_run(part, tmp_path):
    texts = [*growth.spread(growth.grown(), 8 * PARTS)[part::PARTS], *growth.mutants(4, seed=part)]
    assert growth.faults(texts, tmp_path) == []
