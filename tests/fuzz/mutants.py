"""Mutants: programs with a few of their statements doubled, moved, under a mode or a condition, in a loop or in a
function of their own, or with one name in place of another.

A written program does one thing after the other, each with what it has just made. Wrong ideas show where two things
meet that seldom do, on one object, in an order that nobody would write: a mutant is full of that.
"""

from __future__ import annotations

import ast
import copy
import io
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from types import FrameType
from typing import Any

from tests.fuzz.watching import settled
from tests.fuzz.writing import is_autograds, stored

MOST_CHANGES = 5
MOST_LINES = 20_000
"""How many lines a statement of a mutant may run before it is taken to have no end."""
BREAKING = ("eig", "svd")
"""Words of what may break torch's own process where something is not finite."""
MODES = (
    "with torch.no_grad(): pass",
    "with torch.inference_mode(): pass",
    "with torch.inference_mode(False): pass",
    "with torch.enable_grad(): pass",
    "with torch.set_grad_enabled(False): pass",
    "with torch.autocast('cpu'): pass",
)
LOOPS = ("for _ in range(2): pass", "for _ in range(3): pass")
CONDITIONS = (
    "if random.random() < 0.5: pass",
    "while random.random() < 0.5: pass",
    "try: pass\nexcept Exception: pass",
)
CAUGHT = "try:\n    pass\n    print('went well')\nexcept Exception as error:\n    print(error)"
FIXED = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Global, ast.Nonlocal)
JUMPS = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await)
"""Statements that stay where they are, and what may stand in no other block."""


@dataclass(slots=True)
class Place:
    """Where a program is changed: the statement `at` this place of a `block`, which is all of the program or not."""

    tree: ast.Module
    block: list[ast.stmt]
    at: int
    chance: random.Random

    @property
    def is_outermost(self) -> bool:
        return self.block is self.tree.body

    def around(self, text: str, most: int) -> None:
        """Put the statement, and perhaps some behind it, into another one."""
        end = self.at + self.chance.randint(1, most)
        inner = self.block[self.at : end]
        if all(map(_is_movable, inner)):
            outer: Any = ast.parse(text).body[0]
            outer.body = inner
            self.block[self.at : end] = [outer]


def mutant(text: str, chance: random.Random) -> str:
    """A program after a few changes, without what it reveals and what does not run; what autograd refuses is caught."""
    tree = _Silent().visit(ast.parse(f"import random\nimport torch\n{text}"))
    for _ in range(chance.randint(1, MOST_CHANGES)):
        place = _some_place(tree, chance)
        if place is not None:
            chance.choice(CHANGES)(place)
    tree.body = _mentioned(list(_running(ast.fix_missing_locations(tree).body)))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


class _Silent(ast.NodeTransformer):
    """Takes away what a program reveals."""

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        return ast.Pass() if ast.unparse(node).startswith("reveal(") else node


# ---- changes


def _some_place(tree: ast.Module, chance: random.Random) -> Place | None:
    block = chance.choice(list(_blocks(tree))) if chance.random() < 0.4 else tree.body
    places = [at for at, statement in enumerate(block) if _is_movable(statement)]
    return Place(tree, block, chance.choice(places), chance) if places else None


def _blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if not isinstance(node, ast.ClassDef) and isinstance(block, list) and block:
                yield block


def _is_movable(statement: ast.stmt) -> bool:
    return not isinstance(statement, FIXED) and not any(isinstance(node, JUMPS) for node in ast.walk(statement))


def _first(place: Place) -> int:
    """Where the first statement may stand: nothing comes before what is imported."""
    fixed = [at for at, one in enumerate(place.block) if isinstance(one, ast.Import | ast.ImportFrom)]
    return fixed[-1] + 1 if fixed else 0


def _double(place: Place) -> None:
    again = copy.deepcopy(place.block[place.at])
    place.block.insert(place.chance.randint(place.at + 1, len(place.block)), again)


def _move(place: Place) -> None:
    moved = place.block.pop(place.at)
    first = min(_first(place), len(place.block))
    place.block.insert(place.chance.randint(first, len(place.block)), moved)


def _under_a_mode(place: Place) -> None:
    place.around(place.chance.choice(MODES), 3)


def _in_a_loop(place: Place) -> None:
    place.around(place.chance.choice(LOOPS), 3)


def _under_a_condition(place: Place) -> None:
    place.around(place.chance.choice(CONDITIONS), 1)


def _into_a_function(place: Place) -> None:
    """The statement becomes a function without arguments, which is called in its place."""
    if not place.is_outermost:
        return
    name, statement = f"function{place.chance.randrange(10**6)}", place.block[place.at]
    names = sorted({*stored(statement)})
    head = f"    global {', '.join(names)}\n" if names else ""
    function: Any = ast.parse(f"def {name}():\n{head}    pass").body[0]
    function.body[-1:] = [statement]
    place.block[place.at : place.at + 1] = [function, *ast.parse(f"{name}()").body]


def _exchange_a_name(place: Place) -> None:
    names = sorted(name for statement in place.tree.body for name in {*stored(statement)})
    uses = [node for node in ast.walk(place.block[place.at]) if isinstance(node, ast.Name) and node.id in names]
    read = [node for node in uses if isinstance(node.ctx, ast.Load)]
    if read:
        place.chance.choice(read).id = place.chance.choice(names)


CHANGES: tuple[Callable[[Place], None], ...] = (
    _double,
    _double,
    _move,
    _under_a_mode,
    _under_a_mode,
    _under_a_mode,
    _in_a_loop,
    _under_a_condition,
    _into_a_function,
    _exchange_a_name,
    _exchange_a_name,
)
"""What may be done to a program, each as often as it stands here."""


# ---- what still runs


class _Endless(BaseException):
    """A statement that does not come to its end."""


def _running(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run one after the other; one that autograd refuses is caught."""
    space: dict[str, Any] = {"__name__": "__main__"}
    with settled(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        for statement in body:
            if any(word in ast.unparse(statement) for word in BREAKING):
                continue
            try:
                with _ending():
                    exec(compile(ast.Module([statement], []), "<mutant>", "exec", dont_inherit=True), space)
            except _Endless:
                continue
            except Exception as error:
                if is_autograds(error) and _is_movable(statement):
                    caught: Any = ast.parse(CAUGHT).body[0]
                    caught.body[0] = statement
                    yield caught
                continue
            yield statement


def _mentioned(body: list[ast.stmt]) -> list[ast.stmt]:
    """The program without functions that nothing in it calls any more: what they would raise, no run shows."""
    kept = body
    while True:
        named = [{each.id for each in ast.walk(one) if isinstance(each, ast.Name)} for one in kept]
        alone = {
            at
            for at, one in enumerate(kept)
            if isinstance(one, ast.FunctionDef)
            and not any(one.name in names for other, names in enumerate(named) if other != at)
        }
        if not alone:
            return kept
        kept = [one for at, one in enumerate(kept) if at not in alone]


@contextmanager
def _ending() -> Iterator[None]:
    """Stop what runs more lines than any program of ours has."""
    left = [MOST_LINES]

    def watch(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != "<mutant>":
            return None
        left[0] -= 1
        if left[0] < 0:
            raise _Endless
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        yield
    finally:
        sys.settrace(before)
