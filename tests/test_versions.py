"""Versions of torch: what holds in which, what is aimed at, and how far it is believed."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gradlint import knowledge, linter, pages, proving, registry
from gradlint.config import BadConfig, Configs
from gradlint.engine import lint
from gradlint.events import Recorded
from gradlint.finding import Confidence, Finding
from gradlint.knowledge import ROWS, at, differing
from gradlint.knowledge.index import spellings
from gradlint.knowledge.pack_index import NO_PACKS, Packs
from gradlint.knowledge.packs import Call, Pack
from gradlint.registry import rules
from gradlint.report import pages as report_pages
from gradlint.rule import Findings, Rule
from gradlint.run import Refused
from gradlint.settings import Request
from gradlint.testing.widening import heard_events
from gradlint.versions import (
    MEASURED,
    NEWEST,
    PINNED,
    RELEASES,
    UnknownVersion,
    Versioned,
    described,
    fault,
    holds,
    nearest,
    parse,
    told,
)

CASES = Path(__file__).parent / "cases"
RULES = rules()
OLDEST = RELEASES[0]
ALL_ROWS = [row for rows in ROWS.values() for row in rows]


# ---- ranges


def test_versions_are_known_in_order():
    assert list(RELEASES) == sorted(set(RELEASES))
    assert set(MEASURED) <= set(RELEASES) and PINNED in MEASURED and RELEASES[-1] == NEWEST


def test_ranges_make_sense_and_their_ends_are_measured_or_told():
    behind_measured = {RELEASES[RELEASES.index(version) + 1] for version in MEASURED if version != NEWEST}
    for one in (*ALL_ROWS, *RULES):
        assert fault(one) is None, one
        assert one.since is None or one.since in MEASURED or one.source, one
        assert one.until is None or one.until in behind_measured or one.source, one


@pytest.mark.parametrize("version", RELEASES)
def test_one_row_speaks_of_a_path_in_a_version(version):
    for kind, rows in ROWS.items():
        paths = [path for row in rows if holds(row, version) for path in spellings(row)]
        assert len(paths) == len(set(paths))
        assert set(getattr(at(version), kind)) == set(paths)


def test_what_a_version_does_not_have_is_not_known():
    assert {"torch.qr", "torch.cholesky"} <= at((2, 15)).absent
    assert "torch.qr" in at((2, 13)).operations and "torch.nn.RMSNorm" not in at((2, 3)).modules
    assert [spellings(row)[0] for row in differing((2, 12), (2, 13))].count("torch.nextafter") == 2
    assert not differing(PINNED, PINNED)


@pytest.mark.parametrize(
    ("since", "until", "words"),
    [
        (None, None, ""),
        ((2, 9), None, "2.9 and later"),
        (None, (2, 0), "before 2.0"),
        ((2, 1), (2, 4), "2.1 to before 2.4"),
    ],
)
def test_a_range_in_words(since, until, words):
    assert described(Versioned(since=since, until=until)) == words


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (Versioned(since=(9, 9)), "`since` is 9.9"),
        (Versioned(until="2.0"), "`until` is '2.0'"),
        (Versioned(since=(2, 1), until=(2, 1)), "in no version"),
        (Versioned(until=(2, 0)), "was measured"),
    ],
)
def test_a_wrong_range_is_told(row, said):
    assert said in (fault(row) or ("", ""))[0]


def test_a_pack_may_say_from_which_torch_on_a_row_holds():
    old, new = Call("lib.f", until=(2, 13), test="t"), Call("lib.f", since=(2, 13), gives=None, test="t")
    pack = Pack("lib", "lib==1", ("lib",), functions=(old, new))
    packs = Packs.of([pack], (2, 12))
    assert packs.functions["lib.f"] is old and packs.at((2, 15)).functions["lib.f"] is new
    assert packs.at((2, 12)) is packs and packs.torch is at((2, 12))


# ---- from text


@pytest.mark.parametrize(("text", "version"), [("2.13", (2, 13)), ("2.13.0", (2, 13)), ("2.12.1+cu130", (2, 12))])
def test_a_version_is_read(text, version):
    assert parse(text) == version == nearest(text)


@pytest.mark.parametrize("text", ["", "2", "2.99", "0.4", "newest", "2.1x", "v2.13", "-1.2"])
def test_what_names_no_known_version_is_told_with_those_that_are(text):
    with pytest.raises(UnknownVersion, match=r"versions from 1\.13 to 2\.15 are known"):
        parse(text)


def test_an_installed_version_is_taken_for_the_last_known_before_it():
    assert (nearest("2.99.0"), nearest("0.4.1"), nearest("what")) == (NEWEST, OLDEST, NEWEST)


# ---- what is aimed at

SAVED = """import torch
x = torch.ones(3, requires_grad=True) * 2
y = torch.nextafter(x, torch.ones(3)).sum()
x.add_(1)
y.backward()
"""


@pytest.mark.parametrize(("target", "found"), [("2.12", []), ("2.13", ["GRD304"]), (None, ["GRD304"])])
def test_the_target_decides_what_is_known(tmp_path, monkeypatch, target, found):
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(SAVED)
    outcome = lint(Request(target_torch=target), RULES)
    assert [entry.finding.code for entry in outcome.entries] == found
    Path("gradlint.toml").write_text(f'target-torch = "{target or "2.14"}"')
    assert [entry.finding.code for entry in lint(Request(), RULES).entries] == found
    assert [entry.finding.code for entry in lint(Request(target_torch="2.13"), RULES).entries] == ["GRD304"]


@pytest.mark.torch
def test_torch_raises_where_what_is_known_of_it_says_so():
    torch = pytest.importorskip("torch")
    packs = NO_PACKS.at(nearest(torch.__version__))
    if found := linter.lint(SAVED, RULES, packs=packs):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            exec(SAVED, {})
    else:
        exec(SAVED, {})
    assert bool(found) == (packs.torch.version >= (2, 13))


@pytest.mark.parametrize("line", ['target-torch = "2.99"', "target-torch = 2.13", 'target-torch = "2"'])
def test_a_wrong_target_is_told_with_its_place(tmp_path, line):
    (tmp_path / "gradlint.toml").write_text(line)
    with pytest.raises(BadConfig) as caught:
        Configs().of(str(tmp_path))
    assert str(caught.value).startswith(os.path.join(tmp_path, "gradlint.toml"))
    assert "`target-torch`" in str(caught.value) and "2.13" in str(caught.value)


def test_a_wrong_target_on_the_command_line_is_refused():
    with pytest.raises(Refused, match=r"--target-torch: `2\.99` is no version of torch"):
        lint(Request(target_torch="2.99"), RULES)


# ---- rules that hold in some versions


def planted(**ranged: object) -> Rule:
    rule = Rule("XYZ001", "a-product", "a product", **ranged)  # type: ignore[arg-type]

    @rule.on(Recorded, "mul")
    def check(event: Recorded) -> Findings:
        yield rule.at(event.node)

    return rule


@pytest.mark.parametrize(
    ("select", "found", "warned"), [(("XYZ001",), 0, 1), (("a-product",), 0, 1), (("XYZ",), 0, 0), (("ALL",), 0, 0)]
)
def test_a_rule_outside_the_target_is_not_run_and_who_names_it_is_warned(tmp_path, monkeypatch, select, found, warned):
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(SAVED)
    rule = planted(since=(2, 13))
    outcome = lint(Request(select=select, target_torch="2.12"), [rule])
    assert (len(outcome.entries), len(outcome.warnings)) == (found, warned)
    assert all("XYZ001 is not run: it is a mistake in torch 2.13 and later" in one for one in outcome.warnings)
    inside = lint(Request(select=select, target_torch="2.13"), [rule])
    assert (len(inside.entries), inside.warnings) == (1, ())


# ---- the law: what was measured nowhere decides nothing


def bold(findings: tuple[Finding, ...]) -> set[tuple[str, object]]:
    """What is found and believed further than possible."""
    return {(found.code, found.place) for found in findings if found.confidence < Confidence.POSSIBLE}


def test_what_a_told_rule_finds_is_possible_at_most():
    rule = planted(until=(2, 0), source="release notes")
    assert told(rule)
    (found,) = linter.analyse(SAVED, [rule], packs=NO_PACKS.at((1, 13))).findings
    assert found.confidence is Confidence.POSSIBLE
    assert not linter.analyse(SAVED, [rule], packs=NO_PACKS.at((2, 13))).findings


def test_rows_that_were_measured_nowhere_are_known():
    assert at(OLDEST).told and all(told(row) == bool(row.source and not measured(row)) for row in ALL_ROWS)
    assert not any(at(version).told for version in MEASURED)


def measured(row: Versioned) -> bool:
    return any(holds(row, version) for version in MEASURED)


def with_told(kind: str, path: str) -> Packs:
    """What is known, had the row of a path been measured nowhere."""
    tables = at()
    row = replace(getattr(tables, kind)[path], since=None, until=(2, 0), source="planted")
    table = {**getattr(tables, kind), path: row}
    return Packs(torch=replace(tables, **{kind: table}, told=frozenset({path})))


def without(kind: str, path: str) -> Packs:
    tables = at()
    table = {name: row for name, row in getattr(tables, kind).items() if name != path}
    return Packs(torch=replace(tables, **{kind: table}, absent=frozenset({path})))


DECIDING = {
    "operations": ("torch.Tensor.detach", "detached_loss"),
    "attributes": ("torch.Tensor.data", "data_write"),
    "factories": ("torch.tensor", "integer_requires_grad"),
    "modules": ("torch.nn.Linear", "unregistered_submodules"),
    "optimizers": ("torch.optim.LBFGS", "missing_closure"),
    "clearing": ("torch.optim.Optimizer.zero_grad", "grad_read_after_zero_grad"),
    "clipping": ("torch.nn.utils.clip_grad_norm_", "clip_before_backward"),
    "scalers": ("torch.amp.GradScaler", "missing_scaler_update"),
    "schedulers": ("torch.optim.lr_scheduler.MultiStepLR", "scheduler_before_optimizer"),
    "contexts": ("torch.no_grad", "backward_under_no_grad"),
    "harmless": ("builtins.float", "item_in_loss"),
}


@pytest.mark.parametrize("kind", DECIDING)
def test_what_depends_on_a_row_that_was_measured_nowhere_is_possible_at_most(kind):
    path, name = DECIDING[kind]
    text = (CASES / f"{name}.py").read_text(encoding="utf-8")
    usual = bold(linter.analyse(text, RULES).findings)
    dependent = usual - bold(linter.analyse(text, RULES, packs=without(kind, path)).findings)
    assert dependent, "a row that decides nothing shows nothing"
    doubted = linter.analyse(text, RULES, packs=with_told(kind, path)).findings
    assert not bold(doubted) & dependent
    assert {(found.code, found.place) for found in doubted} >= dependent


@pytest.mark.parametrize("path", sorted(CASES.glob("*.py")), ids=lambda path: path.stem)
def test_an_old_version_adds_no_finding_that_is_believed(path):
    text = path.read_text(encoding="utf-8")
    old = linter.analyse(text, RULES, packs=NO_PACKS.at(OLDEST)).findings
    assert bold(old) <= bold(linter.analyse(text, RULES).findings)


def test_every_event_behind_a_told_row_is_doubted():
    text = "import torch\na = torch.ones(3, requires_grad=True)\nb = a * 2\nc = b.detach()\nd = c * 3\n"
    heard: list[object] = []
    linter.analyse(
        text, (), packs=with_told("operations", "torch.Tensor.detach"), watch=linter.Watch(listen=heard.append)
    )
    before = [str(event.belief) for event in heard_events(text)]
    after = [str(event.belief) for event in heard]  # type: ignore[attr-defined]
    assert len(before) == len(after) and before != after
    assert after[0] == before[0] and set(after[-3:]) == {after[-1]}


def test_a_table_cannot_be_changed():
    with pytest.raises(TypeError):
        at().operations["torch.add"] = at().operations["torch.sub"]  # type: ignore[index]
    assert knowledge.at(PINNED) is at(PINNED)


# ---- what is told


def test_the_range_of_a_rule_is_shown():
    rule = planted(since=(2, 1), until=(2, 13), source="the notes of 2.1")
    rule.page = "A product.\n"
    assert pages.table([rule]).rstrip().endswith("A product. (torch 2.1 to before 2.13)")
    assert "Torch: 2.1 to before 2.13 (told by: the notes of 2.1)." in report_pages.page(rule, columns=100)
    assert (pages.as_object(rule)["since"], pages.as_object(rule)["until"]) == ("2.1", "2.13")
    plain = planted()
    plain.page = "A product.\n"
    assert "torch" not in pages.table([plain]) + report_pages.page(plain).partition("What torch")[0]
    assert pages.as_object(plain)["since"] is None


@pytest.mark.torch
def test_proving_says_what_it_ran_on_and_which_rows_differ_there(monkeypatch):
    torch = pytest.importorskip("torch")
    first, *rest = proving.ran_on()
    version = nearest(torch.__version__)
    assert first.startswith(f"torch {torch.__version__} (measured); {len(rest)} rows differ from torch 2.13")
    assert len(rest) == len(differing(version, PINNED))
    monkeypatch.setattr(proving, "known_here", lambda: NO_PACKS.at((2, 14)))
    first, *rest = proving.ran_on()
    assert "(not measured, taken for 2.14)" in first and "  torch.qr, torch.Tensor.qr: torch before 2.14" in rest


@pytest.mark.torch
def test_a_rule_for_other_versions_is_not_proved_here():
    pytest.importorskip("torch")
    rule = planted(until=(2, 12), source="the notes of 2.12")
    rule.bad(lambda: None)
    (proof,) = proving.prove([rule])
    assert (proof.skipped, proof.failed) == ("a mistake in torch before 2.12 only", False)


@pytest.mark.parametrize("range_of", [{"since": (9, 9)}, {"until": (2, 0)}])
def test_a_rule_with_a_wrong_range_is_refused(range_of):
    rule = planted(**range_of)
    with pytest.raises(registry.BrokenPack, match="the range of XYZ001 is wrong"):
        registry._complete(rule, "somebody", sys.modules[__name__])
