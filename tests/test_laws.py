"""Laws of every run: pure, never bolder for knowing less, believed no further than the facts, and nothing raised."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

from gradlint import linter, texts
from gradlint.domain.fields import PerClass
from gradlint.events import Event
from gradlint.finding import Confidence
from gradlint.proving import cases_of
from gradlint.registry import rules
from gradlint.rule import CERTAIN, LIKELY, Rule, believed
from gradlint.source import placed
from gradlint.testing.widening import emboldened, empty_facts, heard_events

ROOT = Path(__file__).parent.parent
RULES = rules()
CASES = sorted((ROOT / "tests" / "cases").glob("*.py"))
LINTED_ELSEWHERE = (
    "tests/cases/*.py",
    "tests/semantics/*/*.py",
    "tests/packs/*.py",
    "tests/programs/*.py",
    "rules/*/*.py",
)
"""What `test_no_two_findings_of_one_rule_at_one_place` analyses with all rules anyway."""
OUR_FILES = sorted(
    path
    for folder in ("gradlint", "rules", "tests")
    for path in (one.relative_to(ROOT) for one in (ROOT / folder).rglob("*.py"))
    if not any(path.match(pattern) for pattern in LINTED_ELSEWHERE)
)


def read(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Case:
    """A case file, what was found in it the first time, and the events heard on the way."""

    text: str
    before: str
    first: linter.Analysis
    heard: list[Event]


@pytest.fixture(scope="module", params=range(len(CASES)), ids=[path.stem for path in CASES])
def case(request: pytest.FixtureRequest) -> Case:
    text, before, heard = read(CASES[request.param]), read(CASES[request.param - 1]), list[Event]()
    first = linter.analyse(text, RULES, watch=linter.Watch(positions=True, listen=heard.append))
    return Case(text, before, first, heard)


# ---- law 3: pure


@pytest.mark.sampled(10)
def test_the_same_text_gives_the_same_findings(case):
    linter.analyse(case.before, RULES)
    assert linter.analyse(case.text, RULES, watch=linter.Watch(positions=True)) == case.first
    assert list(case.first.findings) == sorted(case.first.findings, key=lambda found: (found.place, found.code))


@pytest.mark.sampled(10)
def test_the_order_of_the_rules_changes_nothing(case):
    assert linter.analyse(case.text, RULES[::-1]).findings == case.first.findings


def globals_of_the_engine() -> dict[str, str]:
    """Everything that modules of ours hold and that could change, spelled out; but for what follows from the
    declarations of classes, which is computed when it is first asked for."""
    spelled = {}
    for name, module in sorted(sys.modules.items()):
        if name.partition(".")[0] in ("gradlint", "gradlint_rules") and ".testing" not in name:
            for key, value in vars(module).items():
                if not isinstance(value, FunctionType | ModuleType | type | PerClass) and not key.startswith("__"):
                    spelled[f"{name}.{key}"] = (
                        repr(value) if not isinstance(value, dict) else repr(sorted(map(repr, value)))
                    )
    return spelled


PARTS = 20
"""Into so many parts the case files are divided where a law needs several at once."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", range(PARTS))
def test_a_run_leaves_nothing_behind(part):
    linter.analyse("import torch\n", RULES)
    before, limit = globals_of_the_engine(), sys.getrecursionlimit()
    for path in CASES[part::PARTS]:
        linter.analyse(read(path), RULES, watch=linter.Watch(positions=True))
    assert globals_of_the_engine() == before
    assert sys.getrecursionlimit() == limit
    assert len(before) > 100


def by_seed(seed: str, *command: str) -> bytes:
    """What a command prints under a hash seed, with `seed` kept out of its words."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={"PYTHONHASHSEED": seed, "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        timeout=600,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr.decode()
    assert done.stdout
    return done.stdout


ANALYSES = """
import pathlib, sys
from gradlint import linter, registry
rules = registry.rules()
for path in map(pathlib.Path, sys.argv[1:]):
    print(linter.analyse(path.read_text(encoding="utf-8"), rules, watch=linter.Watch(positions=True)))
"""


CHECK = ("-m", "gradlint", "check", "--isolated", "--no-cache", "--min-confidence", "possible")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("part", range(0, PARTS, 2))
def test_hashes_change_no_byte(part):
    """What the command prints, or all that is found: a quarter of the files each."""
    command = CHECK if part % 4 else ("-c", ANALYSES)
    files = [str(path) for path in CASES[part::PARTS]]
    assert by_seed("1", *command, *files) == by_seed("2", *command, *files)


# ---- law 4: what is unknown never yields a finding


@pytest.mark.sampled(4)
def test_knowing_less_never_reports_more(case):
    faults = {fault for event in case.heard for fault in emboldened(RULES, event)}
    assert sorted(faults) == []


@pytest.mark.sampled(10)
def test_no_event_carries_an_empty_set(case):
    """Events tell of paths that can run: no fact of them is one that no path has."""
    assert sorted({fact for event in case.heard for fact in empty_facts(event)}) == []


# ---- law 5: believed no further than the facts


@pytest.mark.sampled(10)
def test_a_finding_is_believed_no_further_than_its_event(case):
    """A rule that is certain of every event is believed as far as each event is."""
    bold, heard = Rule("ABC101", "bold", "bold", effect="no effect"), dict[object, list[Event]]()

    def check(event):
        yield bold.at(event.node)

    for kind in {type(event) for event in case.heard}:
        bold.on(kind)(check)

    def listen(event):
        heard.setdefault(event.node, []).append(event)

    findings = linter.analyse(case.text, [bold], watch=linter.Watch(listen=listen)).findings
    assert len(findings) == len(heard)
    found = sorted(finding.confidence for finding in findings)
    assert found == sorted(min(map(believed, events)) for events in heard.values())


RETAINING = """\
import torch
{imported}
model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = model(torch.ones(1, 2)).sum()
    loss.backward(retain_graph=True)
    {callee}(loss)
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("imported", "callee", "confidence"),
    [
        ("import wandb", "wandb.log", CERTAIN),
        ("from elsewhere import log_loss", "log_loss", LIKELY),
        ("from elsewhere import keep", "keep", None),
    ],
)
def test_a_name_of_unseen_code_proves_nothing(imported, callee, confidence):
    """What a library only reads is certainly not differentiated there; what a name says is likely, and where it says
    nothing there is nothing to be found."""
    findings = linter.analyse(RETAINING.format(imported=imported, callee=callee), RULES).findings
    assert [one.confidence for one in findings if one.code == "GRD504"] == [confidence] * (confidence is not None)


@pytest.mark.parametrize("given", ["held", "[held]", "optimizer", ""])
@pytest.mark.parametrize("callee", ["fit", "holder.log"])
def test_who_gets_hold_of_a_tensor_may_give_it_a_gradient(given, callee):
    text = "import torch\nfrom elsewhere import fit, holder\nheld = torch.zeros(2)\n"
    text += f"optimizer = torch.optim.SGD([held], lr=0.1)\n{callee}({given})\n"
    (found,) = [one for one in linter.analyse(text, RULES).findings if one.code == "GRD715"]
    assert found.confidence is (LIKELY if given else CERTAIN)


def test_a_rule_may_lower_a_finding_and_never_raise_it():
    draft = Rule("ABC101", "bold", "bold").at(None)
    assert [draft.confidence, draft.lowered(LIKELY).confidence] == [CERTAIN, LIKELY]
    assert draft.lowered(LIKELY).lowered(CERTAIN).confidence is LIKELY


def test_beliefs_of_all_kinds_are_met():
    """Otherwise the laws above would say little."""
    missing = set(Confidence)
    for path in CASES:
        missing -= {believed(event) for event in heard_events(read(path))}
        if not missing:
            break
    assert not missing


# ---- law 6: positions only where there is something to report


def test_positions_are_computed_only_where_something_is_reported(monkeypatch):
    texts = [case.source.text for rule in RULES for case in cases_of(rule, RULES) if not case.is_bad]
    quiet = [text for text in texts if not linter.analyse(text, RULES).findings]
    assert len(quiet) > len(texts) / 2
    asked = []
    monkeypatch.setattr(linter.source, "placed", lambda *args: asked.append(args) or placed(*args))
    for text in quiet:
        linter.analyse(text, RULES)
    assert asked == []
    linter.analyse("import torch\nwith torch.no_grad:\n    pass\n", RULES)
    assert len(asked) == 1


# ---- nothing is raised


@pytest.mark.parametrize("path", OUR_FILES, ids=str)
def test_nothing_is_raised_on_any_of_our_own_files(path):
    linter.analyse(read(path), RULES, watch=linter.Watch(positions=True))


@pytest.mark.parametrize(
    "text", ["", "\n", "x", "def f(:\n", "\0", "x = (\n", "\ufeffx = 1\n", "(" * 3000, "é = 'ü'\r\n"]
)
def test_a_text_is_read_or_refused(text):
    refused = None
    try:
        linter.analyse(text, RULES, watch=linter.Watch(positions=True))
    except texts.Unreadable as error:
        refused = error
    if refused is not None:
        assert min(refused.row, refused.column) >= 1
        assert "\n" not in refused.message


# ---- what holds itself


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return x\nwhile input():\n    f = functools.partial(f, 1)\nf(x)\n",
        "net = nn.Sequential()\nnet.append(net)\nnet(x)\n",
        "net = nn.Linear(2, 2)\nnet.forward = net\nnet(x)\n",
        "while input():\n    f = torch.vmap(torch.compile(torch.no_grad()(f)))\nf(x)\n",
        "held = [x]\nheld.append(held)\ncopy.deepcopy(held)\ntorch.stack(held)\n",
        "class A:\n    def __call__(self, x):\n        return self.a(x)\na = A()\na.a = a\na(x)\n",
        "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return F.apply(x)\n"
        "F.apply(x)\n",
        "net = nn.Linear(2, 2)\nnet.register_forward_hook(lambda net, given, out: net(out))\nnet(x)\n",
    ],
)
def test_what_calls_itself_is_not_followed_without_end(text):
    start = "import copy, functools\nimport torch\nfrom torch import nn\nx = torch.rand(2, 2)\n"
    assert dict(linter.analyse(start + text, RULES).counts)["expressions"] > 0
