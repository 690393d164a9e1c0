"""Errors lead to the rules that tell of them: what torch says is what the package knows."""

from __future__ import annotations

import json
import traceback
import warnings
from pathlib import Path

import pytest
import torch

from gradlint import cli, explain, registry
from gradlint.knowledge import errors
from gradlint.proving import cases_of
from gradlint.proving.surroundings import surroundings
from gradlint.rule import Raises
from gradlint.tracebacks import Frame, Raised

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]

RULES = registry.rules()

LEAF = "w = torch.ones(2, requires_grad=True)\n"
SCALED = f"{LEAF}opt = torch.optim.SGD([w], lr=0.1)\nscaler = torch.amp.GradScaler('cpu')\n"
DISTRIBUTED = """
import torch.distributed as dist
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    def forward(self, x):
        with torch.no_grad():
            x = self.a(x)
        return self.b(x)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
net = torch.nn.parallel.DistributedDataParallel(Net())
for _ in range(2):
    net(torch.ones(1, 2)).sum().backward()
"""
FUNCTION = """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y
    @staticmethod
    def backward(ctx, gradient):
        return gradient
F.apply(w, torch.ones(2)).sum().backward()
"""
COMMON = [
    (
        "torch.ones(2).sum().backward()",
        "element 0 of tensors does not require grad and does not have a grad_fn",
        "GRD619",
    ),
    (
        LEAF + "loss = w.exp().sum()\nloss.backward()\nloss.backward()",
        "Trying to backward through the graph a second time (or directly access saved tensors",
        "GRD503",
    ),
    (
        LEAF + "y = w.exp()\ny.add_(1)\ny.sum().backward()",
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        "[torch.FloatTensor [2]], which is output 0 of Exp, is at version 1; expected version 0 instead.",
        "GRD304",
    ),
    (LEAF + "w.add_(1)", "a leaf Variable that requires grad is being used in an in-place operation.", "GRD301"),
    (LEAF + "w += 1", "a leaf Variable that requires grad is being used in an in-place operation.", "GRD301"),
    (
        LEAF + "w[0] = 1",
        "a view of a leaf Variable that requires grad is being used in an in-place operation.",
        "GRD302",
    ),
    (LEAF + "torch.optim.SGD([w * 2], lr=0.1)", "can't optimize a non-leaf Tensor", "GRD713"),
    (
        "torch.tensor([1, 2], requires_grad=True)",
        "Only Tensors of floating point and complex dtype can require gradients",
        "GRD101",
    ),
    ("torch.tensor([1, 2]).requires_grad_()", "only Tensors of floating point dtype can require gradients", "GRD101"),
    (LEAF + "w.exp().backward()", "grad can be implicitly created only for scalar outputs", "GRD611"),
    (
        LEAF + "w.numpy()",
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
        "GRD615",
    ),
    (
        LEAF + "torch.autograd.grad(w.sum(), torch.ones(2, requires_grad=True))",
        "appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.",
        "GRD613",
    ),
    (
        LEAF + "torch.autograd.grad(w.sum(), torch.ones(2))",
        "One of the differentiated Tensors does not require grad",
        "GRD613",
    ),
    (
        LEAF + "with torch.inference_mode():\n    x = torch.ones(2)\ny = w * x",
        "Inference tensors cannot be saved for backward.",
        "GRD407",
    ),
    (
        "with torch.inference_mode():\n    x = torch.ones(2)\nx.requires_grad_()",
        "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
        "GRD407",
    ),
    (
        "with torch.inference_mode():\n    x = torch.ones(2)\nx.add_(1)",
        "Inplace update to inference tensor outside InferenceMode is not allowed.",
        "GRD407",
    ),
    ("torch.optim.SGD([], lr=0.1)", "optimizer got an empty parameter list", "GRD712"),
    (
        SCALED + "scaler.scale(w.sum()).backward()\nscaler.unscale_(opt)\nscaler.unscale_(opt)",
        "unscale_() has already been called on this optimizer since the last update().",
        "GRD709",
    ),
    (
        SCALED + "scaler.scale(w.sum()).backward()\nscaler.step(opt)\nscaler.step(opt)",
        "step() has already been called since the last update().",
        "GRD709",
    ),
    (SCALED + "w.sum().backward()\nscaler.step(opt)", "Attempted step but _scale is None.", "GRD708"),
    (
        SCALED + "scaler.scale(w.sum()).backward()\nopt.zero_grad()\nscaler.step(opt)",
        "No inf checks were recorded for this optimizer.",
        "GRD702",
    ),
    (DISTRIBUTED, "Expected to have finished reduction in the prior iteration before starting a new one.", "GRD411"),
    (
        "torch.ones(2).register_hook(print)",
        "cannot register a hook on a tensor that doesn't require gradient",
        "GRD205",
    ),
    ("torch.ones(2).retain_grad()", "can't retain_grad on Tensor that has requires_grad=False", "GRD205"),
    (LEAF + "(w * 2).requires_grad = False", "you can only change requires_grad flags of leaf variables.", "GRD113"),
    (LEAF + "a, b = w.unbind()\na.add_(1)", "is a view and is being modified inplace.", "GRD302"),
    (
        LEAF + "torch.floor_divide(w, 2).sum().backward()",
        "derivative for aten::floor_divide is not implemented",
        "GRD605",
    ),
    (
        LEAF + "class F(torch.autograd.Function):\n    def forward(self, x):\n        return x\nF()(w)",
        "Legacy autograd function with non-static forward method is deprecated.",
        "GRD902",
    ),
    (LEAF + FUNCTION, "function FBackward returned an incorrect number of gradients (expected 2, got 1)", "GRD901"),
    (
        LEAF + "import copy\ncopy.deepcopy(w * 2)",
        "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.",
        "GRD125",
    ),
    (
        "class Net(torch.nn.Module):\n    def __init__(self):\n        self.a = torch.nn.Linear(2, 2)\nNet()",
        "cannot assign module before Module.__init__() call",
        "GRD803",
    ),
    (
        LEAF + "torch.optim.LBFGS([w]).step()",
        "LBFGS.step() missing 1 required positional argument: 'closure'",
        "GRD711",
    ),
    (
        LEAF + "torch.optim.SGD([{'params': [w]}, {'params': [w]}], lr=0.1)",
        "some parameters appear in more than one parameter group",
        "GRD714",
    ),
    (LEAF + "w.grad.zero_()", "'NoneType' object has no attribute 'zero_'", "GRD202"),
    (LEAF + "w.data -= 0.1 * w.grad", "unsupported operand type(s) for *: 'float' and 'NoneType'", "GRD202"),
    (
        LEAF + "w.grad = torch.ones(3)",
        "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'.",
        "GRD208",
    ),
    (LEAF + "w.sum().item().backward()", "'float' object has no attribute 'backward'", "GRD601"),
    (
        "net = torch.nn.Linear(2, 2)\nnet.weight = net.weight * 2",
        "cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)",
        "GRD121",
    ),
    (
        "x = torch.zeros(2, requires_grad=True)\n"
        "with torch.autograd.detect_anomaly():\n    (x.sqrt() * 0).sum().backward()",
        "Function 'SqrtBackward0' returned nan values in its 0th output.",
        "GRD617",
    ),
    ("with torch.no_grad:\n    pass", "'type' object does not support the context manager protocol", "GRD403"),
    (
        LEAF + "torch.add(w, 1, out=torch.ones(2))",
        "functions with out=... arguments don't support automatic differentiation",
        "GRD301",
    ),
]
"""Programs with an error that people ask about, what torch says, and the rule that is to be told first."""
MORE = [
    (LEAF + "for _ in range(2):\n    w.sum().backward()\n    w = w - 0.1 * w.grad\n    w.grad.zero_()", "GRD308"),
    (SCALED + "scaler.scale(w.sum())\nscaler.step(opt)", "GRD719"),
    (SCALED + "scaler.scale(w.sum()).backward()\nopt.step()\nscaler.update()", "GRD709"),
    (
        LEAF + "from torch.utils.checkpoint import checkpoint\n"
        "torch.autograd.grad(checkpoint(torch.exp, w, use_reentrant=True).sum(), w)",
        "GRD912",
    ),
    (
        "net = torch.nn.Linear(2, 2)\n"
        "torch.func.functional_call(net, net.state_dict(), (torch.ones(1, 2),)).sum().backward()",
        "GRD911",
    ),
    (
        "net = torch.nn.Linear(2, 2)\nmean = torch.zeros(2)\nfor _ in range(2):\n"
        "    mean = 0.9 * mean + net(torch.ones(2)).exp()\n    mean.sum().backward()",
        "GRD508",
    ),
]
"""Programs with the mistakes of further rules that rows name."""
EVERY = [(program, code) for program, _, code in COMMON] + MORE


def failing(program: str, file: Path | str = "train.py") -> tuple[Raised, str]:
    """The error of a program on torch, as its message says it, and the whole traceback."""
    with surroundings({}), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(f"import torch\n{program}\n", str(file), "exec"), {"torch": torch, "__name__": "__main__"})
        except Exception as error:
            return Raised(type(error).__name__, " ".join(str(error).split())), traceback.format_exc()
    raise AssertionError(f"nothing is raised by:\n{program}")


def codes(error: Raised) -> list[str]:
    return [rule.code for rule in explain.telling(error, RULES)]


@pytest.mark.parametrize(("program", "message", "code"), COMMON, ids=[f"{n}-{c}" for n, (_, _, c) in enumerate(COMMON)])
def test_what_people_ask_about_leads_to_the_right_rule_first(
    program: str, message: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error, whole = failing(program)
    monkeypatch.chdir(tmp_path)
    assert " ".join(message.split()) in error.message
    assert codes(error)[0] == code
    explained = explain.explain(f"epoch 1\n{whole}\n", RULES, registry.installed)
    assert explained is not None and explained.rules[0].code == code


def test_the_list_is_as_long_as_was_asked_for() -> None:
    assert len({message for _, message, _ in COMMON}) >= 31


def shown_by_evidence(code: str) -> list[Raised]:
    """The errors of a rule's examples on torch."""
    rule = next(rule for rule in RULES if rule.code == code)
    outcomes = [
        (case.source.text.splitlines()[case.subject.outcome().rows[-1] - case.source.shift - 1], case.subject.outcome())
        for case in cases_of(rule, RULES)
        if case.is_bad and not case.outside and case.subject.outcome().rows
    ]
    return [
        Raised(outcome.error.__name__, " ".join(outcome.message.split()), (Frame("a.py", 1, line),))
        for line, outcome in outcomes
        if outcome.error
    ]


@pytest.mark.parametrize("row", errors.ROWS, ids=lambda row: row.parts[0])
def test_each_rule_of_a_row_is_measured(row: errors.ErrorRow) -> None:
    for code in row.codes:
        seen = [*shown_by_evidence(code), *(failing(program)[0] for program, of in EVERY if of == code)]
        assert any(
            row.error == e.error and row.tells_of(e.message, "\n".join(f.text for f in e.frames)) for e in seen
        ), code


RAISING = [
    rule.code
    for rule in RULES
    if any(isinstance(each, Raises) for each in (rule.consequence, *(given.shows for given in rule.evidence)))
]


@pytest.mark.parametrize("code", RAISING)
def test_what_evidence_raises_leads_to_its_rule(code: str) -> None:
    for error in shown_by_evidence(code):
        assert code in codes(error), error


HERE = [
    (program, code)
    for program, code in EVERY
    if code in ("GRD101", "GRD301", "GRD308", "GRD503", "GRD611", "GRD619", "GRD713") and "out=" not in program
]


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("program", "code"), HERE)
def test_the_finding_at_the_line_of_the_traceback_is_told(
    program: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, log = tmp_path / "train.py", tmp_path / "log.txt"
    file.write_text(f"import torch\n{program}\n")
    log.write_text(failing(program, file)[1])
    monkeypatch.chdir(tmp_path)
    assert cli.run(["explain", "log.txt", "--output-format", "json"]) == cli.CLEAN
    told = json.loads(capsys.readouterr().out)
    assert told["findings"] and told["rules"][0]["code"] == told["findings"][0]["code"]
    assert code in [found["code"] for found in told["findings"]]


OTHERS = [
    ("AttributeError", "'NoneType' object has no attribute 'split'", ""),
    ("AttributeError", "'NoneType' object has no attribute 'data'", "reply = session.get(url).data"),
    ("TypeError", "unsupported operand type(s) for +: 'int' and 'NoneType'", ""),
    ("TypeError", "'bool' object is not callable", "if self.ready():"),
    ("TypeError", "'Lock' object does not support the context manager protocol", ""),
    ("TypeError", "float() argument must be a string or a real number, not 'NoneType'", "x = float(row['price'])"),
    ("ValueError", "grad can be implicitly created only for scalar outputs", ""),
    ("RuntimeError", "CUDA out of memory.", "loss.backward()"),
    ("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)", ""),
]


@pytest.mark.parametrize(("error", "message", "line"), OTHERS)
def test_what_is_no_mistake_of_ours_leads_to_no_rule(error: str, message: str, line: str) -> None:
    assert codes(Raised(error, message, (Frame("a.py", 1, line),))) == []
