"""Networks that only their use tells of: a class that is passed in gives one, and a test of whether one is wrapped, or
of a library's class, leaves it what it was."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.domain import EVAL
from gradlint.events import Event, ModuleCalled
from gradlint.finding import Confidence
from gradlint.registry import packs, rules

AGENT = """
import torch


class Agent:
    def __init__(self, env, model, width=64):
        self.env = env
        self.net = model(env.size, width)
        USE

    def act(self, state):
        return self.net(torch.tensor(state)).argmax().item()
"""
USES = [
    "self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)",
    "self.net.load_state_dict(torch.load(env.weights))",
    "self.net.train()",
    "torch.save(self.net.state_dict(), env.weights)",
]

WRAPPED = """
import torch
import zoo
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def fit(args, model, loader, held_out):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for task in range(args.tasks):
        model.train()
        for data, target in loader:
            opt.zero_grad()
            guess, _ = model(data)
            (guess - target).pow(2).mean().backward()
            opt.step()
        model.eval()
        for data, target in held_out:
            guess, _ = model(data)
            print((guess.argmax(1) == target).sum().item())
        if isinstance(model, CLASSES):
            torch.save(model.module.state_dict(), args.path)
        else:
            torch.save(model.state_dict(), args.path)
"""
CLASSES = ["nn.DataParallel", "torch.nn.parallel.DataParallel", "DDP", "(nn.DataParallel, DDP)", "zoo.Wrapper"]

PROBE = """
import torch


def probe(backbone, head, optimizer, loader, held_out):
    for data, target in loader:
        optimizer.zero_grad()
        features = backbone(data)LEAVES
        torch.nn.functional.cross_entropy(head(features), target).backward()
        optimizer.step()
    with torch.no_grad():
        for data, target in held_out:
            print((head(backbone(data)).argmax(1) == target).sum())
"""


def found(text: str) -> list[Confidence]:
    return [one.confidence for one in linter.analyse(text, rules()).findings if one.code == "GRD401"]


@pytest.mark.parametrize("use", USES)
def test_what_a_class_gives_is_a_network_by_its_use(use: str) -> None:
    assert found(AGENT.replace("USE", use)) == [Confidence.LIKELY]


def test_what_a_network_gives_is_none() -> None:
    text = AGENT.replace("USE", "self.sizes = self.net.shape").replace("self.net(torch.tensor(state))", "self.net")
    assert not found(text)


@pytest.mark.parametrize("classes", CLASSES)
def test_a_test_for_a_wrapper_leaves_a_network_one(classes: str) -> None:
    assert found(WRAPPED.replace("CLASSES", classes)) == [Confidence.LIKELY]


@pytest.mark.parametrize("cls", CLASSES[:3])
def test_an_annotation_of_a_wrapper_tells_of_a_network(cls: str) -> None:
    text = WRAPPED.replace("args, model,", f"args, model: {cls},").replace("if isinstance(model, CLASSES)", "if args")
    assert found(text) == [Confidence.LIKELY]


@pytest.mark.parametrize("leaves", [".detach()", ".data"])
def test_what_is_detached_wants_no_graph_whatever_other_calls_do(leaves: str) -> None:
    assert found(PROBE.replace("LEAVES", leaves)) == [Confidence.LIKELY]


GLOBAL = """
import pickle
import torch
from elsewhere import build

MADE


def play(env):
    state = env.reset()
    for _ in range(1000):
        state = env.step(policy_net(torch.tensor(state))AFTER)


def label(loader):
    return [x.size() for x in loader]
"""
MADE = [
    "policy_net, _, running_state = pickle.load(open('policy.p', 'rb'))",
    "policy_net = pickle.load(open('policy.p', 'rb'))",
    "policy_net, value_net = torch.load('both.pt')",
    "policy_net = build('policy')",
]
CUT, ONLY_READ = "[0][0].detach().numpy()", "[0]"


def of_whole_file(made: str, after: str, name: str = "policy_net") -> list[Confidence]:
    text = GLOBAL.replace("MADE", made).replace("AFTER", after).replace("policy_net", name)
    return found(text)


@pytest.mark.parametrize("made", MADE)
def test_a_network_of_the_whole_file_is_known_by_its_name_and_use(made: str) -> None:
    assert of_whole_file(made, CUT) == [Confidence.LIKELY]


@pytest.mark.parametrize("made", MADE[:2])
def test_what_is_not_called_a_network_may_be_anything(made: str) -> None:
    assert not of_whole_file(made, CUT, "rules")


@pytest.mark.parametrize("made", MADE[:2])
def test_what_is_passed_on_as_it_is_may_be_trained_on(made: str) -> None:
    assert not of_whole_file(made, ONLY_READ)


EXPLAINER = """
import torch
from torch import nn


class Explainer(nn.Module):
    def __init__(self):
        super().__init__()
        self.scorer = nn.Linear(4, 3)

    def forward(self, model: nn.Module, x: torch.Tensor):
        label = APPLIED(x).softmax(dim=1).argmax(dim=1)
        return torch.stack([label == x.shape[1]])
"""


def test_what_a_forward_is_passed_is_no_layer_of_it() -> None:
    assert found(EXPLAINER.replace("APPLIED", "model")) == [Confidence.LIKELY]
    assert not found(EXPLAINER.replace("APPLIED", "self.scorer"))


SCRIPT = """
import pathlib
import sys
import torch
from elsewhere import build, show

MADE
if len(sys.argv) > 1:
    model = model.cuda()

for path in pathlib.Path("images").iterdir():
    batch = torch.load(path).float()
    better = model(batch)
    USED
"""
TAKEN = [
    "model = torch.load('whole.pt')['model']",
    "model = torch.load('whole.pt', map_location='cpu')['best']['model'].cpu()",
    "checkpoint = torch.load('whole.pt')\nmodel = checkpoint['model']",
    "model = build('model')",
]
CUTS = [
    "show(better.cpu().data[0].numpy())",
    "print(better.mean().item())",
    "image = better[0]\n    show(image.detach().numpy())",
]


@pytest.mark.parametrize("made", TAKEN)
@pytest.mark.parametrize("used", CUTS)
def test_a_script_that_cuts_the_results_of_what_it_calls_a_network_applies_one(made: str, used: str) -> None:
    text = SCRIPT.replace("MADE", made).replace("USED", used)
    assert found(text) == [Confidence.LIKELY]
    assert not found(text.replace("model", "blur"))


@pytest.mark.parametrize("made", TAKEN[2:])
def test_a_script_that_cuts_nothing_tells_of_no_network(made: str) -> None:
    assert not found(SCRIPT.replace("MADE", made).replace("USED", "show(better)"))


BY_NAME = """
import torch
from torch.nn import functional as F


def NAME(model, items):
    right = 0
    for item in items:
        score, guess = model(item["x"])
        right += guess == item["y"]
    return right


class Reader:
    def __init__(self, model, rate):
        self.model, self.rate = model, rate

    def NAME(self, images):
        return [self.model(image) for image in images]

    def about(self):
        return self.rate


def NAME_once(model, item):
    return model(item)
"""


@pytest.mark.parametrize("name", ["evaluate", "test_all", "predict", "run_validation", "infer_words", "generate"])
def test_what_a_function_evaluates_by_its_name_is_a_network(name: str) -> None:
    assert found(BY_NAME.replace("NAME", name)) == [Confidence.LIKELY] * 2
    assert not found(BY_NAME.replace("NAME", name).replace("model", "rules"))


@pytest.mark.parametrize("name", ["run", "apply", "step", "train_and_test", "forwarded"])
def test_what_another_function_applies_may_be_anything(name: str) -> None:
    assert not found(BY_NAME.replace("NAME", name))


FACTORY = """
import torch
import zoo
from elsewhere import find


def evaluate(args, loader):
    NAME = SOURCE
    made = NAME(PASSED)
    for x in loader:
        print(made.label(x).item())
"""
APPLIED = """
import torch
import zoo
from elsewhere import find


def evaluate(args, loader):
    NAME = SOURCE
    for x in loader:
        print(NAME(x, mode="sum").sum().item())
"""


@pytest.mark.parametrize("name", ["model_cls", "netType", "encoder_class", "GeneratorFactory", "Net", "PolicyNet2"])
@pytest.mark.parametrize("passed", ["args.width", "args"])
def test_what_is_named_as_classes_are_makes_a_network_and_is_none(name: str, passed: str) -> None:
    assert not found(FACTORY.replace("NAME", name).replace("SOURCE", "find(args.package)").replace("PASSED", passed))


@pytest.mark.parametrize("passed", ["", "4", "width=4, deep=True", "-1, 'relu'", "weights=None", "f'{4}'"])
def test_what_is_called_without_data_makes_something(passed: str) -> None:
    assert not found(FACTORY.replace("NAME", "net").replace("SOURCE", "find(args.package)").replace("PASSED", passed))


@pytest.mark.parametrize(
    "source", ["getattr(zoo, args.name)", "zoo.__dict__[args.name]", "globals()[args.name]", "vars(zoo)[args.name]"]
)
def test_what_a_module_has_under_a_computed_name_makes_a_network(source: str) -> None:
    assert not found(FACTORY.replace("NAME", "net").replace("SOURCE", source).replace("PASSED", "args.width"))


@pytest.mark.parametrize("name", ["net", "netG", "encoder", "G"])
@pytest.mark.parametrize("source", ["find(args.package)", "getattr(args, args.name)", "args.__dict__[args.name]"])
def test_what_is_passed_data_is_a_network_wherever_it_comes_from(name: str, source: str) -> None:
    assert found(APPLIED.replace("NAME", name).replace("SOURCE", source)) == [Confidence.LIKELY]


HELD = """
import torch


def NAME(env, agent, batches):
    state = env.reset()
    for x in batches:
        out = agent.policy_net(torch.tensor(state), x)
        USED


class Runner:
    def __init__(self, agent):
        self.agent = agent

    def NAME(self, x):
        out = self.agent.policy_net(x)
        USED
"""
CUT_OFF = ["state = env.step(out.argmax().item())", "env.step(out.detach().numpy())"]


@pytest.mark.parametrize("used", CUT_OFF)
def test_a_network_that_something_unknown_holds_is_known_by_its_cut_results(used: str) -> None:
    text = HELD.replace("NAME", "roll_out").replace("USED", used)
    assert found(text) == [Confidence.LIKELY] * 2
    assert not found(text.replace("policy_net", "rules"))


def test_one_that_a_function_evaluates_in_a_loop_is_known_by_that() -> None:
    text = HELD.replace("NAME", "evaluate").replace("USED", "print(out)")
    assert found(text) == [Confidence.LIKELY]


@pytest.mark.parametrize("used", ["env.learn(out)", "pass", "state = env.step(out)"])
def test_what_something_unknown_holds_may_be_anything_else(used: str) -> None:
    assert not found(HELD.replace("NAME", "roll_out").replace("USED", used))


CHAINED = """
import torch
import zoo


def look(path, batches):
    net = {made}
    net.load_state_dict(torch.load(path))
    for batch in batches:
        print(net(batch).argmax().item())
"""


@pytest.mark.parametrize(
    ("made", "in_eval"),
    [
        ("zoo.Net().eval()", True),
        ("zoo.Net(3).cuda().eval()", True),
        ("torch.load(path).eval().to('cpu')", True),
        ("zoo.Net().eval().train()", False),
        ("zoo.Net().train().eval()", True),
        ("zoo.Net()", False),
    ],
)
def test_the_chain_that_makes_a_network_says_its_mode(made, in_eval):
    """The last method that sets it counts."""
    heard: list[Event] = []
    linter.analyse(CHAINED.format(made=made), (), packs=packs(), watch=linter.Watch(listen=heard.append))
    calls = [event for event in heard if isinstance(event, ModuleCalled)]
    assert calls
    assert all((call.module.mode <= EVAL) == in_eval for call in calls)
