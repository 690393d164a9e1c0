"""Programs that nobody wrote for us: the interpreter never raises, and what it tells is possible and stands alone."""

from __future__ import annotations

import ast
import builtins
import copy
import dis
import random
import sysconfig
import warnings
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import CodeType

import pytest

from gradlint import linter, texts
from gradlint.domain import Truth
from gradlint.events import Called, ContextEntered
from gradlint.interpreter import driver
from gradlint.registry import rules
from gradlint.testing.widening import empty_facts, heard_events

ROOT = Path(__file__).parent.parent
RULES = rules()
OURS = sorted(path for folder in ("tests/cases", "tests/programs", "rules") for path in (ROOT / folder).rglob("*.py"))
FILES, STRIDE, LONGEST = 60, 13, 60_000


def standard_library() -> Iterator[str]:
    """The files of the standard library, every thirteenth first, so that a part of them comes from everywhere."""
    folder = Path(sysconfig.get_path("stdlib"))
    files = sorted(path for path in folder.rglob("*.py") if "site-packages" not in path.parts)
    for start in range(STRIDE):
        for path in files[start::STRIDE]:
            try:
                text = texts.decode(path.read_bytes())
            except texts.Unreadable:
                continue
            if len(text) <= LONGEST:
                yield text


def raised(text: str) -> str:
    """What running a program abstractly raises; empty if nothing, or if it cannot be parsed."""
    try:
        linter.analyse(text, RULES, watch=linter.Watch(positions=True))
    except texts.Unreadable:
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}\n{text}"
    return ""


PARTS = 12


@pytest.mark.sampled(2)
@pytest.mark.parametrize("part", range(PARTS))
def test_the_standard_library_raises_nothing(part):
    texts = list(islice(standard_library(), FILES))[part::PARTS]
    assert [fault for text in texts if (fault := raised(text))] == []
    assert len(texts) == FILES // PARTS


# ---- programs put together from pieces of ours


def mutant(text: str, chance: random.Random) -> str:
    """The program with one statement dropped or put in from elsewhere, or one expression put in another's place."""
    tree = ast.parse(text)
    blocks = [b for node in ast.walk(tree) for b in [getattr(node, "body", None)] if isinstance(b, list) and b]
    places = [
        (node, name)
        for node in ast.walk(tree)
        for name in ("value", "func", "test", "iter", "left")
        if isinstance(getattr(node, name, None), ast.expr)
    ]
    block, what = chance.choice(blocks), chance.randrange(3)
    at = chance.randrange(len(block))
    if what == 0:
        block[at] = ast.Pass()
    elif what == 1 or not places:
        block.insert(at, copy.deepcopy(chance.choice(chance.choice(blocks))))
    else:
        (node, name), (other, part) = chance.choice(places), chance.choice(places)
        setattr(node, name, copy.deepcopy(getattr(other, part)))
    return ast.unparse(ast.fix_missing_locations(tree))


def mutants(path: Path, count: int) -> Iterator[str]:
    """So many programs made from one, each by up to four steps; the same ones every time."""
    chance = random.Random(path.name)
    for _ in range(count):
        text = path.read_text(encoding="utf-8")
        try:
            for _ in range(chance.randint(1, 4)):
                text = mutant(text, chance)
        except (SyntaxError, ValueError, IndexError):
            continue
        yield text


@pytest.mark.parametrize("path", [path for path in OURS if path.stat().st_size > 100], ids=lambda path: path.stem)
def test_a_mutant_raises_nothing(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [fault for text in mutants(path, 1) if (fault := raised(text))] == []


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def m(s):\n        class B:\n            def __init__(s):\n                super().__init__()\n",
        "def f():\n    class A(f()):\n        x = super()\n    del A\n    return A\n",
        "for x in x:\n    with x as (x, *x):\n        x[x:x] = x = yield x\n",
        "lambda *a, b=(yield), **k: [a async for a in b]\n",
        "import torch\ntorch = torch.no_grad\nwith torch, torch() as torch:\n    del torch\ntorch\n",
        "match x:\n    case {**x} | [*x, x.y()]:\n        del x.y[x]\n",
        "import torch\nw = torch.ones(2).requires_grad_()\nw.sum().backward(create_graph=True)\ntorch.Tensor.detach_()",
    ],
)
def test_a_strange_program_raises_nothing(text):
    assert not raised(text)


CALLED = sorted(
    {key for rule in RULES for event, keys, _ in rule.checks for key in keys if issubclass(event, Called)}
    | {"torch.Tensor.detach_", "torch.Tensor.zero_", "torch.autograd.grad", "torch.autograd.backward"}
)
"""What rules hear the calls of, and some that they look for among others."""


@pytest.mark.parametrize("path", [path for path in CALLED if path.startswith("torch.")])
def test_a_call_without_what_it_needs_raises_nothing(path):
    for given in ("", "None", "*[]", "w, key=1"):
        assert not raised(
            "import torch\nw = torch.ones(2).requires_grad_()\nw.sum().backward(create_graph=True)\n"
            f"x = {path}({given})\n{path}({given})\n"
        )


def test_a_fault_of_the_interpreter_is_noticed(monkeypatch):
    def faulty(*args):
        raise KeyError("planted")

    monkeypatch.setattr(driver, "_run_the_rest", faulty)
    assert raised("x = 1\n").startswith("KeyError: 'planted'")
    assert not raised("x = (\n")


# ---- events speak of paths that can run: those of cases are held to it in test_laws


@pytest.mark.parametrize("path", [path for path in OURS if "cases" not in path.parts], ids=lambda path: path.stem)
def test_no_event_carries_an_empty_set(path):
    events = heard_events(path.read_text(encoding="utf-8"))
    assert sorted({fact for event in events for fact in empty_facts(event)}) == []


def test_an_empty_set_is_noticed():
    event = ContextEntered(node=None, grad_mode=Truth.of(0), inference=Truth.unsure(), manager=(Truth.named("no"),))
    assert list(empty_facts(event)) == ["ContextEntered.grad_mode"]


# ---- examples stand alone


def names_from_outside(code: CodeType) -> set[str]:
    """The names that a function, or one inside it, takes from its module or that it does not find there."""
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    loaded = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    stored = {step.argval for step in dis.get_instructions(code) if step.opname == "STORE_NAME"}
    own = {"__name__", "__qualname__", "__module__"} if "__module__" in stored else set()
    return (loaded - stored - own - set(dir(builtins))).union(*map(names_from_outside, inner))


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(given.example, id=f"{rule.code}-{given.example.__name__}")
        for rule in RULES
        for given in rule.evidence
    ],
)
def test_an_example_uses_nothing_of_its_file(example):
    """What torch runs is what is linted and printed: nothing of the module around it is missing there."""
    assert names_from_outside(example.__code__) == set()


def test_a_name_from_outside_is_noticed():
    def example():
        class Inner:
            value = OURS

        return Inner, len(RULES)

    assert names_from_outside(example.__code__) == {"OURS", "RULES"}
