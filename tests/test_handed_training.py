"""Functions that train or evaluate what they are passed: names and use tell the parts, and torch tells the mistakes.

Most training code is of this shape, and nothing in its file says what a model, a loader, an optimizer or a criterion
is. Every program is run with parts that torch made, for what it costs.
"""

from __future__ import annotations

import textwrap
import warnings
from typing import Any, NamedTuple

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from gradlint import linter, registry
from gradlint.rule import LIKELY

RULES = registry.rules()
DECLARED = {
    "model": "model: nn.Module",
    "net": "net: nn.Module",
    "criterion": "criterion: nn.Module",
    "loader": "loader: DataLoader",
    "optimizer": "optimizer: torch.optim.Optimizer",
}
HEAD = """\
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader


"""


class Kind(NamedTuple):
    """The body of a function over batches, how it is written right, and the code of the mistake; `raises`: what torch
    says of it."""

    code: str
    wrong: str
    right: str
    raises: str = ""


STEP = """
for images, labels in loader:
    optimizer.zero_grad()
    outputs = model(images)
    loss = criterion(outputs, labels)
    loss.backward()
    optimizer.step()
"""
CLEAR = "    optimizer.zero_grad()\n"


def plain(*changes: tuple[str, str]) -> str:
    """The ordinary loop, with some of its text replaced."""
    text = STEP
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


NO_GRAPH = "does not require grad and does not have a grad_fn"
KINDS = {
    "cut": Kind("GRD602", plain(("model(images)", "model(images).detach()")), plain(), NO_GRAPH),
    "taken as data": Kind(
        "GRD602",
        plain(("model(images)", "model(images).data")),
        plain(("model(images)", "model(images).relu()")),
        NO_GRAPH,
    ),
    "predicted classes": Kind(
        "GRD604",
        """
        for number, (images, labels) in enumerate(loader):
            _, predicted = torch.max(model(images), 1)
            loss = criterion(predicted.float(), labels.argmax(1).float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
        """
        for number, (images, labels) in enumerate(loader):
            scores, _ = torch.max(model(images), 1)
            loss = criterion(scores, labels.argmax(1).float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
        NO_GRAPH,
    ),
    "gradients off": Kind(
        "GRD404",
        """
        for images, labels in loader:
            with torch.no_grad():
                outputs = model(images)
            loss = criterion(outputs, labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        """,
        """
        for images, labels in loader:
            with torch.no_grad():
                images = images / images.norm()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        """,
        NO_GRAPH,
    ),
    "a number": Kind(
        "GRD601",
        plain(("labels)", "labels).item()")),
        plain(("optimizer.step()", "optimizer.step()\n    print(loss.item())")),
        "'float' object has no attribute 'backward'",
    ),
    "never cleared": Kind("GRD701", plain((CLEAR, "")), plain(("optimizer.zero_grad", "model.zero_grad"))),
    "cleared too late": Kind(
        "GRD702",
        plain((CLEAR, ""), ("    optimizer.step", f"{CLEAR}    optimizer.step")),
        plain((CLEAR, ""), ("    loss.backward", f"{CLEAR}    loss.backward")),
    ),
    "kept without use": Kind(
        "GRD504", plain(("backward()", "backward(retain_graph=True)")), plain(("backward()", "backward(None)"))
    ),
    "shown as an array": Kind(
        "GRD615",
        plain() + "    print((outputs.numpy().argmax(1) == labels.argmax(1).numpy()).mean())\n",
        plain() + "    print((outputs.detach().numpy().argmax(1) == labels.argmax(1).numpy()).mean())\n",
        "Can't call numpy() on Tensor that requires grad",
    ),
    "a sum with graphs": Kind(
        "GRD501",
        "total = 0\n" + plain().lstrip() + "    total += loss\nprint(total / len(loader))\n",
        "total = 0\n" + plain().lstrip() + "    total += loss.item()\nprint(total / len(loader))\n",
    ),
}  # fmt: skip
HANDED = ("model", "loader", "optimizer", "criterion")


def function(body: str, declared: frozenset[str]) -> str:
    """A function `train` with this body, some parameters of which are declared."""
    parameters = ", ".join(DECLARED[name] if name in declared else name for name in HANDED)
    return f"{HEAD}def train({parameters}):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"


def run(text: str) -> None:
    """Define the function and pass it a small network, its optimizer and two batches."""
    space: dict[str, Any] = {}
    exec(text, space)
    model = nn.Linear(3, 3)
    data = TensorDataset(torch.rand(8, 3), torch.rand(8, 3).softmax(1))
    space["train"](model, DataLoader(data, batch_size=4), torch.optim.SGD(model.parameters(), lr=0.1), nn.MSELoss())


@pytest.mark.parametrize("declared", [(), ("model",), ("loader",), ("model", "criterion"), tuple(HANDED)], ids="+".join)
@pytest.mark.parametrize("name", KINDS)
def test_a_mistake_is_told_whatever_is_declared(name: str, declared: tuple[str, ...]):
    kind = KINDS[name]
    wrong, right = (function(body, frozenset(declared)) for body in (kind.wrong, kind.right))
    said = linter.lint(wrong, RULES)
    assert [one.code for one in said] == [kind.code]
    assert said[0].confidence <= LIKELY
    assert not linter.lint(right, RULES)


@pytest.mark.parametrize("name", KINDS)
def test_torch_agrees(name: str):
    kind = KINDS[name]
    wrong, right = (function(body, frozenset()) for body in (kind.wrong, kind.right))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run(right)
        if kind.raises:
            with pytest.raises((RuntimeError, AttributeError)) as raised:
                run(wrong)
            assert kind.raises in str(raised.value)
        else:
            run(wrong)


EVALUATIONS = {
    "of an accuracy": """
        correct = 0
        for images, labels in loader:
            outputs = {net}(images)
            correct += (outputs.argmax(1) == labels).sum().item()
        return correct
    """,
    "of a loss": """
        losses = []
        for images, labels in loader:
            loss = criterion({net}(images), labels)
            losses.append(loss.item())
        return sum(losses) / len(losses)
    """,
    "of features": """
        found = []
        for batch in batches:
            found.append({net}(batch).data.cpu())
        return torch.cat(found)
    """,
    "of what it draws": """
        return {net}(torch.randn(8, 3)).detach().cpu()
    """,
    "of predictions, numbered": """
        shown = []
        for number, (images, labels) in enumerate(loader):
            scores = {net}(images).softmax(1)
            shown += scores.max(1)[1].tolist()
        return shown
    """,
    "of the best classes": """
        scores = torch.exp({net}.forward(loader))
        best, which = scores.topk(3)
        best = best.cpu().detach().numpy().tolist()[0]
        return best, which.tolist()
    """,
    "of an array": """
        out = {net}(torch.randn(8, 3))
        out = out.cpu().data
        return out.numpy()
    """,
    "of a number": """
        return torch.sigmoid({net}(torch.randn(8, 3)).mean()).item()
    """,
}


@pytest.mark.parametrize("net", ["model", "net", "generator", "policy", "G", "D_A", "encoder"])
@pytest.mark.parametrize("name", EVALUATIONS)
def test_an_evaluation_of_what_is_passed_is_told(name: str, net: str):
    body = textwrap.dedent(EVALUATIONS[name].format(net=net)).strip()
    text = f"def found({net}, loader, batches, criterion):\n{textwrap.indent(body, '    ')}\n"
    assert [one.code for one in linter.lint(HEAD + text, RULES)] == ["GRD401"]
    assert not linter.lint(f"{HEAD}@torch.no_grad()\n{text}", RULES)


@pytest.mark.parametrize(
    "net", ["data_generator", "make_model", "transform", "collate", "train_step", "text_generator"]
)
@pytest.mark.parametrize("name", EVALUATIONS)
def test_what_is_called_otherwise_is_not_taken_for_a_network(name: str, net: str):
    body = textwrap.dedent(EVALUATIONS[name].format(net=net)).strip()
    assert not linter.lint(
        f"{HEAD}def found({net}, loader, batches, criterion):\n{textwrap.indent(body, '    ')}\n", RULES
    )


STEPPING = """
def evaluate(loader, encoder, {owner}):
    encoder.eval(), {owner}.eval()
    kept = []
    for batch in loader:
        features = encoder(batch)
        state, cell = {owner}.{method}(features, features)
        kept.append(state.argmax(1).tolist())
    return kept
"""


@pytest.mark.parametrize(
    ("owner", "method", "codes"),
    [
        ("decoder", "decode_step", ["GRD401"]),
        ("env", "step", ["GRD401"]),
        ("sampler", "denoise_step", ["GRD401"]),
        ("rnn", "forward_step", ["GRD401"]),
        ("decoder", "step", ["GRD401"]),
        ("helper", "step", []),
        ("decoder", "train_step", []),
        ("decoder", "forward_backward_step", []),
        ("trainer", "decode_step", []),
        ("optimizer", "eval_step", []),
    ],
)
def test_a_step_in_time_trains_nothing(owner: str, method: str, codes: list[str]):
    assert [one.code for one in linter.lint(HEAD + STEPPING.format(owner=owner, method=method), RULES)] == codes
