"""A tensor that is asked after it was used gets no gradient from what was computed before.

## Why it happens

The graph is recorded while the operations run. When the forward pass goes through an input that does not
require grad, no operation remembers the way to it; asking afterwards changes the flag of the tensor, not what
was recorded. The next forward pass would find it, the one before it never does.

## What it costs

Backward succeeds and fills the gradients of the parameters, but `.grad` of the input stays None: a saliency
map, an adversarial step or a gradient penalty works with nothing, or stops with an error about None.

## When it is right to ignore it

Where another forward pass follows before backward. That is seen and not reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gradlint.domain import NO, NONE, YES, Graph, Tensor
from gradlint.events import (
    BackwardRun,
    Event,
    GradientRead,
    ModuleCalled,
    ModuleFinished,
    Recorded,
    RequiresGradChanged,
)
from gradlint.rule import Draft, Edit, Findings, Rule, quoted

rule = Rule(
    "GRD110",
    "late-requires-grad",
    "{name} requires grad only after its first use, so `backward()` computes no gradient for it",
    help="move the line up, before the first operation that uses the tensor",
    effect="wrong result",
    tokens=("requires_grad", "requires_grad_"),
)


def consequence(returned: Any) -> bool:
    """The tensor has no gradient."""
    return returned.grad is None


@dataclass(slots=True)
class Late:
    """A tensor asked after its use, and whether a backward has run since."""

    asked: RequiresGradChanged
    used: Event
    differentiated: bool = False


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """Follow each memory: used without requiring grad, then asked, then differentiated without another use."""
    used: dict[Graph, Event] = {}
    late: dict[Graph, Late] = {}
    for happened in event.story:
        if isinstance(happened, Recorded | ModuleCalled):
            for memory in _memories(happened):
                late.pop(memory, None)
                used[memory] = happened
        elif isinstance(happened, RequiresGradChanged) and _is_asked(happened):
            late |= {memory: Late(happened, used.pop(memory)) for memory in _memory(happened.tensor) if memory in used}
        elif isinstance(happened, BackwardRun):
            for one in late.values():
                one.differentiated = True
        elif isinstance(happened, GradientRead) and _finds_nothing(happened):
            for memory in _memory(happened.tensor):
                if memory in late and late[memory].differentiated:
                    yield _reported(late[memory], happened)


def _reported(late: Late, read: GradientRead) -> Draft:
    draft = rule.at(late.asked.node, name=quoted(late.asked.name, "the tensor"))
    draft = draft.note(late.used.node, "it was used here, before it required grad")
    draft = draft.note(read.node, "its gradient is read here")
    draft = draft.fix(Edit("move before", late.asked.node, to=late.used.node), safety="unsafe")
    return draft.resting_on(late.asked, read)


def _memory(tensor: Tensor) -> tuple[Graph, ...]:
    """The memory of a tensor, whatever its age; nothing where it is not certain."""
    return (tensor.storage[0].key,) if len(tensor.storage) == 1 else ()


def _memories(event: Recorded | ModuleCalled) -> Iterator[Graph]:
    """The memories of what an operation or a module is given."""
    for thing in event.operands if isinstance(event, Recorded) else event.args:
        if isinstance(thing, Tensor):
            yield from _memory(thing)


def _is_asked(event: RequiresGradChanged) -> bool:
    """Return whether a leaf that did not require grad is asked to."""
    return event.to <= YES and event.tensor.requires_grad <= NO and event.tensor.leaf <= YES


def _finds_nothing(event: GradientRead) -> bool:
    tensor = event.tensor
    return not event.guard and tensor.grad <= NONE and tensor.requires_grad <= YES and tensor.leaf <= YES


@rule.bad
def saliency_of_a_forward_pass_that_is_over():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    image = torch.ones(1, 2)
    score = model(image).sum()
    image.requires_grad_()  # GRD110
    score.backward()
    saliency = image.grad
    return image


@rule.good(cures=saliency_of_a_forward_pass_that_is_over)
def saliency_asked_for_first():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    image = torch.ones(1, 2)
    image.requires_grad_()
    score = model(image).sum()
    score.backward()
    saliency = image.grad
    return image


@rule.bad
def adversarial_step_in_a_method():
    import torch
    from torch import nn

    class Attack:
        def __init__(self, model):
            self.model = model
            self.loss = nn.CrossEntropyLoss()

        def perturb(self, images, labels):
            loss = self.loss(self.model(images), labels)
            images.requires_grad = True  # GRD110
            loss.backward()
            step = images.grad
            return images

    attack = Attack(nn.Linear(4, 3))
    return attack.perturb(torch.ones(2, 4), torch.tensor([0, 1]))


@rule.good(cures=adversarial_step_in_a_method)
def adversarial_step_asked_before_the_loss():
    import torch
    from torch import nn

    class Attack:
        def __init__(self, model):
            self.model = model
            self.loss = nn.CrossEntropyLoss()

        def perturb(self, images, labels):
            images.requires_grad = True
            loss = self.loss(self.model(images), labels)
            loss.backward()
            step = images.grad
            return images

    attack = Attack(nn.Linear(4, 3))
    return attack.perturb(torch.ones(2, 4), torch.tensor([0, 1]))
