"""Every finding says what happens to which expression, and what to do about it; every docstring begins with a claim."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gradlint.finding import Finding, Note, Place
from gradlint.registry import rules
from gradlint.rule import LONGEST, SHORTEST, Rule, fitted
from gradlint.testing import word_claims
from gradlint.testing.claims import parameters
from gradlint.testing.words import faults

HERE = Path(__file__).parent
PLACE = Place(1, 1, 1, 2)
GOOD = Finding(
    "ABC101", "planted", "`x` cannot require grad", PLACE, consequence="error", help="convert `x` first",
    notes=(Note(PLACE, "created here"),),
)  # fmt: skip


@pytest.mark.parametrize(
    "claim",
    parameters(
        word_claims(*(HERE / name for name in ("cases", "programs", "packs")), *sorted(HERE.glob("semantics/*/")))
    ),
)
def test_findings_are_worded_alike(claim):
    claim.check()


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.code)
def test_the_words_of_a_rule_leave_room_for_expressions(rule: Rule) -> None:
    """With every expression cut as far as it may be, the message is not too long."""
    facts = rule.message.count("{")
    words = len(rule.message) - sum(len(part.split("}")[0]) + 2 for part in rule.message.split("{")[1:])
    assert words + SHORTEST * facts <= LONGEST


def test_good_words_have_no_fault():
    assert list(faults([GOOD])) == []


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"message": "`x`" + " cannot" * 15}, "has 108 characters"),
        ({"message": "`x` cannot require grad; call `x.float()`"}, "has two halves"),
        ({"message": "this cannot require grad"}, "says `this`"),
        ({"message": "`x` stays as it was"}, "says `as it was`"),
        ({"message": "backward() reaches `x` twice"}, "without backticks, at `d(`"),
        ({"message": "the .grad of `x` is unused"}, "without backticks, at `.grad`"),
        ({"message": "`x.grad` is None here"}, "without backticks, at `None`"),
        ({"message": "The tensor `x` cannot require grad"}, "begins with a capital"),
        ({"message": "`x` cannot require grad."}, "ends with a full stop"),
        ({"help": ""}, "begins with ``"),
        ({"help": "a cast helps"}, "begins with `a`"),
        ({"help": "call x.float() first"}, "without backticks"),
        ({"help": "convert `x`\nfirst"}, "is not one line"),
        ({"notes": (Note(PLACE, "backward() starts here"),)}, "the note"),
        ({"consequence": "terrible"}, "the effect is 'terrible'"),
    ],
)
def test_a_fault_of_wording_is_noticed(changed, fault):
    (found,) = faults([replace(GOOD, **changed)])
    assert fault in found


def test_what_is_code_in_backticks_is_no_fault():
    message = "`this; what` is `None` after `loss.backward()`"
    assert list(faults([replace(GOOD, message=message)])) == []


# ---- long expressions


def test_a_short_message_stays_as_it_is():
    assert fitted("`x` is a leaf", "{name} is a leaf") == "`x` is a leaf"


def test_a_long_expression_is_cut_in_the_middle_and_keeps_more_of_its_end():
    message = fitted(f"`model.{'layers.' * 20}weight.grad` is `None`", "{name} is `None`")
    assert len(message) == LONGEST
    assert message.startswith("`model.layers.") and message.endswith("weight.grad` is `None`") and "..." in message


def test_the_longest_of_several_expressions_is_cut_first():
    message = fitted(f"`{'a' * 60}` holds `{'b' * 40}`", "{name} holds {other}")
    assert len(message) == LONGEST
    assert f"`{'b' * 40}`" in message


def test_what_the_rule_itself_quotes_is_not_cut():
    template = "{name} " + "is never cleared " * 4 + "by `torch.optim.Optimizer.zero_grad()`"
    message = fitted(template.format(name="`some_name`"), template)
    assert message == template.format(name="`some_name`")


def test_no_expression_is_cut_to_nothing():
    message = fitted(f"`{'x' * 50}` {'is ' * 40}", "{name} " + "is " * 40)
    assert f"`{'x' * 3}...{'x' * 6}`" in message


# ---- docstrings

ROOTS = (HERE.parent / "gradlint", HERE.parent / "rules")
CLAUSE = re.compile(
    r"(?:(?:Return|Yield|Give|Tell|As|By|For|From|In|Of|On|To|Under|With)s? )?"
    r"(?:what|who|whom|whose|how|which|whatever|whoever|whichever|where|when|why)\b|(?:whether|if)\b",
    re.IGNORECASE,
)
"""The beginning of a clause where a sentence or a noun phrase is due."""


def docstrings(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield all docstrings, those of constants and fields too, each with the module, class or function it is in."""
    for node in ast.walk(tree):
        body = getattr(node, "body", ())
        for one in body if isinstance(body, list) else ():
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str):
                yield node, one.value.value


def is_shown(path: Path, node: ast.AST) -> bool:
    """Return whether users read it: the pages of rules and of their families, and the consequences in them."""
    of_a_rule = ROOTS[1] in path.parents and (path.name == "__init__.py" or not path.name.startswith("_"))
    return of_a_rule and (isinstance(node, ast.Module) or getattr(node, "name", "") == "consequence")


def clauses(path: Path, text: str) -> list[str]:
    """Return the beginnings of docstrings that are clauses."""
    return [
        said.partition("\n")[0]
        for node, said in docstrings(ast.parse(text))
        if CLAUSE.match(said.strip()) and not is_shown(path, node)
    ]


@pytest.mark.parametrize("root", ROOTS, ids=lambda root: root.name)
def test_a_docstring_begins_with_a_claim(root):
    found = {path: clauses(path, path.read_text(encoding="utf-8")) for path in sorted(root.rglob("*.py"))}
    assert {str(path.relative_to(root)): said for path, said in found.items() if said} == {}


PLANTED = '''"""Where things are."""
LIMIT = 3
"""How many there may be."""
KEPT = ()
"""The things that are kept."""
class Thing:
    """What it is."""
    asked: bool
    """Whether it was asked."""
def name(thing):
    """Return what it is called."""
    def inner():
        """In which way."""
def is_one(thing):
    """Return whether it is one."""
def consequence(returned):
    """What was returned is wrong."""
'''


def test_a_clause_is_noticed():
    own = ROOTS[0] / "planted.py"
    helper, shown = ROOTS[1] / "family" / "_planted.py", ROOTS[1] / "family" / "planted.py"
    assert set(clauses(own, PLANTED)) == set(clauses(helper, PLANTED)) == {
        "Where things are.", "How many there may be.", "What it is.", "Whether it was asked.",
        "Return what it is called.", "In which way.", "What was returned is wrong.",
    }  # fmt: skip
    assert {"Where things are.", "What was returned is wrong."}.isdisjoint(clauses(shown, PLANTED))
    assert "What it is." in clauses(shown, PLANTED)
