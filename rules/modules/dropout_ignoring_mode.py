"""A functional dropout is not told the module's mode, so `eval()` does not switch it off.

## Why it happens

`nn.Dropout` looks at its own `training`, which `train()` and `eval()` set. A function has no mode: `F.dropout` drops
unless it is given `training=False`, and so does `F.scaled_dot_product_attention`, which knows only a `dropout_p`.
`F.alpha_dropout` and `F.feature_alpha_dropout` are the other way round: they drop nothing unless they are given
`training=True`.

## What it costs

In eval mode elements are still dropped and the others are scaled up: predictions are random, scores are worse than
the model is, and a frozen teacher or target network gives other targets each time. The alpha dropouts never regularise.

## When it is right to ignore it

Where it is meant to drop in eval mode too (Monte Carlo dropout, bandits that explore by it, the prenet of Tacotron):
`training=True` says so and is never reported. In classes whose names say so it is a possible mistake alone. Nor is a
dropout reported behind a test of `self.training`, or with a probability that its method may have computed from that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlint.domain import Constant
from gradlint.events import Called, ClassFinished, Method, Run, Thing
from gradlint.rule import LIKELY, POSSIBLE, Draft, Edit, Findings, Rule

rule = Rule(
    "GRD808",
    "dropout-ignoring-mode",
    "`{function}` is not given the module's mode and {what}",
    help="pass `training=self.training`",
    effect="wrong result",
    tokens=("dropout",),
)

FUNCTIONAL = "torch.nn.functional."
DROPS = frozenset(FUNCTIONAL + name for name in ("dropout", "dropout1d", "dropout2d", "dropout3d"))
NEVER_DROPS = frozenset(FUNCTIONAL + name for name in ("alpha_dropout", "feature_alpha_dropout"))
"""Functions that drop unless they are told not to, and those that do not unless they are told to."""
ATTENTION = FUNCTIONAL + "scaled_dot_product_attention"
PROBABILITY, TRAINING = (1, "p"), (2, "training")
DROPOUT_OF_ATTENTION = (4, "dropout_p")
"""Places and names of parameters."""
MEANT = ("prenet", "bandit", "bayes", "mcdrop", "montecarlo", "uncertain")
"""The words in the names of classes that drop in eval mode on purpose."""


def consequence(returned: Any) -> bool:
    """In eval mode two results differ, or in train mode none do."""
    model, x = returned
    return _varies(model.eval(), x) or not _varies(model.train(), x)


def _varies(model: Any, x: Any) -> bool:
    first = model(x)
    return not all(first.equal(model(x)) for _ in range(8))


@rule.on(ClassFinished)
def check(event: ClassFinished) -> Findings:
    if any(path.startswith("torch.nn.") for path in event.derived):
        for method in event.methods:
            if method.parameters:
                name = event.cls.name.lower().replace("_", "")
                confidence = POSSIBLE if any(word in name for word in MEANT) else LIKELY
                yield from (
                    draft.lowered(confidence, "it may be meant to drop in eval mode as well")
                    for draft in _of_method(method)
                )


def _of_method(method: Method) -> Iterator[Draft]:
    told = set()
    for run, call in ((each, one) for each in method.runs for one in each.story if isinstance(one, Called)):
        if call.run == run.index and call.node not in told and (what := _what(call)):
            told.add(call.node)
            if not _is_looked_at(method, run, call):
                name = call.path.removeprefix(FUNCTIONAL)
                yield _draft(call, name, what, method.parameters[0]).resting_on(call)


def _is_looked_at(method: Method, run: Run, call: Called) -> bool:
    """Return whether the method reads the mode, for a test around the call or for the given probability."""
    given = _argument(call, DROPOUT_OF_ATTENTION if call.path == ATTENTION else PROBABILITY)
    computed = given is not None and not isinstance(given, Constant)
    return "training" in method.reads and (computed or call.conditions != run.conditions)


def _draft(call: Called, name: str, what: str, owner: str) -> Draft:
    draft = rule.at(call.node, function=name, what=what)
    if call.path == ATTENTION:
        return draft.advising(f"pass `dropout_p=p if {owner}.training else 0.0`")
    draft = draft.advising(f"pass `training={owner}.training`")
    return draft.fix(Edit("set keyword", call.node, "training", f"{owner}.training"), safety="unsafe")


def _what(call: Called) -> str:
    """Return the fate of elements because the mode is not given; nothing if it is, or if nothing would be dropped."""
    if call.path == ATTENTION:
        return "" if _is_zero(_argument(call, DROPOUT_OF_ATTENTION)) else "drops in eval mode too"
    if call.path not in DROPS | NEVER_DROPS or _argument(call, TRAINING) is not None:
        return ""
    if call.path in NEVER_DROPS:
        return "never drops"
    return "" if _is_zero(_argument(call, PROBABILITY), default=0.5) else "drops in eval mode too"


def _argument(call: Called, parameter: tuple[int, str]) -> Thing | None:
    place, name = parameter
    return call.args[place] if place < len(call.args) else dict(call.keywords).get(name)


def _is_zero(given: Thing | None, default: float = 0.0) -> bool:
    return default == 0 if given is None else isinstance(given, Constant) and given.value == 0


@rule.bad
def dropout_of_a_forward():
    import torch
    import torch.nn.functional as F
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.hidden = nn.Linear(8, 16)
            self.head = nn.Linear(16, 2)

        def forward(self, x):
            x = F.relu(self.hidden(x))
            x = F.dropout(x, p=0.5)  # GRD808
            return self.head(x)

    return Classifier(), torch.ones(4, 8)


@rule.good(cures=dropout_of_a_forward)
def dropout_of_a_forward_in_train_mode():
    import torch
    import torch.nn.functional as F
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.hidden = nn.Linear(8, 16)
            self.head = nn.Linear(16, 2)

        def forward(self, x):
            x = F.relu(self.hidden(x))
            x = F.dropout(x, p=0.5, training=self.training)
            return self.head(x)

    return Classifier(), torch.ones(4, 8)


@rule.bad
def attention_that_drops():
    import torch
    import torch.nn.functional as F
    from torch import nn

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.project = nn.Linear(8, 24)

        def forward(self, x):
            query, key, value = self.project(x).chunk(3, dim=-1)
            return F.scaled_dot_product_attention(query, key, value, dropout_p=0.5)  # GRD808

    return Attention(), torch.rand(2, 6, 8)


@rule.good(cures=attention_that_drops)
def attention_that_drops_in_train_mode():
    import torch
    import torch.nn.functional as F
    from torch import nn

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.project = nn.Linear(8, 24)

        def forward(self, x):
            query, key, value = self.project(x).chunk(3, dim=-1)
            p = 0.5 if self.training else 0.0
            return F.scaled_dot_product_attention(query, key, value, dropout_p=p)

    return Attention(), torch.rand(2, 6, 8)


@rule.bad
def alpha_dropout_that_never_drops():
    import torch
    import torch.nn.functional as F
    from torch import nn

    class Normalising(nn.Module):
        def __init__(self):
            super().__init__()
            self.hidden = nn.Linear(8, 16)

        def forward(self, x):
            return F.alpha_dropout(F.selu(self.hidden(x)), 0.5)  # GRD808

    return Normalising(), torch.ones(4, 8)


@rule.good(cures=alpha_dropout_that_never_drops)
def alpha_dropout_in_train_mode():
    import torch
    import torch.nn.functional as F
    from torch import nn

    class Normalising(nn.Module):
        def __init__(self):
            super().__init__()
            self.hidden = nn.Linear(8, 16)

        def forward(self, x):
            return F.alpha_dropout(F.selu(self.hidden(x)), 0.5, self.training)

    return Normalising(), torch.ones(4, 8)
