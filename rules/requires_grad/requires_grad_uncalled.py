"""A method that is named but not called does nothing, and a flag that is compared is not set.

## Why it happens

`x.requires_grad_` without parentheses is an expression: Python looks the method up, gets a bound method and
drops it. The same happens to `model.eval`, `layer.weight.zero_` and every other method that stands alone in
its line. To look at `x.requires_grad` and drop the answer changes nothing either, nor does `x.requires_grad == False`:
two signs compare, one sets.

## What it costs

The tensor gets no gradient, the parameter is not frozen, the model stays in train mode. Nothing warns.

## When it is right to ignore it

In a notebook, or a script exported from one, the last line of a cell is displayed: to look at a flag there
is no mistake, and outside functions it is believed least. Methods that are no matter of asking for gradients
or of modes are not reported; where a method is part of training (`backward`, `step`, `eval`) another rule speaks.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, Bound, Module, Tensor
from gradlint.events import ResultDiscarded
from gradlint.rule import LIKELY, POSSIBLE, Edit, Findings, Rule

CHANGES_IT: dict[type, frozenset[str]] = {
    Tensor: frozenset({"requires_grad_", "retain_grad", "detach_", "zero_"}),
    Module: frozenset({"requires_grad_", "train", "eval", "cuda", "cpu", "half", "float", "double", "bfloat16"}),
}
"""Methods that change their owner and need no arguments: parentheses are all that is missing."""
GIVES_ANOTHER: dict[type, frozenset[str]] = {
    Tensor: frozenset({"detach", "clone", "item", "cuda", "cpu", "half", "float", "double"})
}
"""Methods whose result would have to be used as well."""
FLAGS = frozenset({"requires_grad", "is_leaf"})
SET: dict[type, frozenset[str]] = {Tensor: frozenset({"requires_grad", "grad"}), Module: frozenset({"training"})}
"""The attributes that programs set."""

rule = Rule(
    "GRD106",
    "requires-grad-uncalled",
    "`{asked}` is {how}, so it has no effect",
    help="call the method, with parentheses",
    effect="no effect",
    yields_to=("GRD606",),
    tokens=tuple(sorted(FLAGS.union(*SET.values(), *CHANGES_IT.values(), *GIVES_ANOTHER.values()))),
)


def consequence(returned: Any) -> bool:
    """The tensor still does not require grad."""
    return not returned.requires_grad


@rule.on(ResultDiscarded)
def check(event: ResultDiscarded) -> Findings:
    kind = type(event.of)
    asked = f"{event.name}.{event.attribute}" if event.name else f".{event.attribute}"
    shown = POSSIBLE if not event.run and event.later <= NO else LIKELY  # what a cell of a notebook ends with
    if event.compared:
        if event.attribute in SET.get(kind, ()):
            draft = rule.at(event.node, asked=asked, how="compared and not set").advising("assign with a single `=`")
            yield draft.lowered(shown, "a cell of a notebook may show it")
    elif isinstance(event.value, Bound):
        if event.attribute in CHANGES_IT.get(kind, ()):
            draft = rule.at(event.node, asked=asked, how="not called").advising(f"call it: `{asked}()`")
            yield draft.fix(Edit("wrap", event.node, "", "()"), safety="unsafe")
        elif event.attribute in GIVES_ANOTHER.get(kind, ()):
            yield rule.at(event.node, asked=asked, how="not called").advising("call it, and use its result")
    elif event.attribute in FLAGS and kind is Tensor:
        draft = rule.at(event.node, asked=asked, how="read and not used").advising("assign to it, or remove the line")
        yield draft.lowered(shown, "a cell of a notebook may show it")


@rule.bad
def input_that_is_not_asked():
    import torch

    image = torch.rand(1, 3, 8, 8)
    image.requires_grad_  # GRD106
    return image


@rule.good(cures=input_that_is_not_asked)
def input_that_is_asked():
    import torch

    image = torch.rand(1, 3, 8, 8)
    image.requires_grad_()
    return image


@rule.bad
def head_that_stays_frozen():
    from torch import nn

    class Tagger:
        def __init__(self):
            self.model = nn.Sequential(nn.Embedding(100, 8), nn.Linear(8, 5)).requires_grad_(False)
            self.model[1].requires_grad_  # GRD106

    return Tagger().model[1].weight


@rule.good(cures=head_that_stays_frozen)
def head_that_is_unfrozen():
    from torch import nn

    class Tagger:
        def __init__(self):
            self.model = nn.Sequential(nn.Embedding(100, 8), nn.Linear(8, 5)).requires_grad_(False)
            self.model[1].requires_grad_()

    return Tagger().model[1].weight


@rule.bad
def flag_that_is_only_looked_at():
    import torch

    def prepare(noise):
        noise.requires_grad  # GRD106
        return noise

    return prepare(torch.randn(2, 8))


@rule.good(cures=flag_that_is_only_looked_at)
def flag_that_is_set():
    import torch

    def prepare(noise):
        noise.requires_grad = True
        return noise

    return prepare(torch.randn(2, 8))


@rule.bad
def input_that_is_compared():
    import torch

    image = torch.rand(1, 3, 8, 8)
    for one in [image]:
        one.requires_grad == True  # GRD106
    return image


@rule.good(cures=input_that_is_compared)
def input_whose_flag_is_set():
    import torch

    image = torch.rand(1, 3, 8, 8)
    for one in [image]:
        one.requires_grad = True
    return image
