"""Tensors made in inference mode can take no part in what autograd records.

## Why it happens

In inference mode torch leaves out the bookkeeping that autograd needs: a tensor made there has no
version counter, for as long as it lives. Outside, operations that would keep such a tensor for their
backward refuse it (a product with a parameter, in place as well, a layer, a loss and its target), and
so do writes to such a tensor and `requires_grad_()`. Operations that keep nothing (`+`, `torch.cat`,
`sum`) accept it, so that the same tensor works in one line and fails in the next. Modules built in
inference mode have such parameters.

## What it costs

`RuntimeError` at the first operation that keeps the tensor, which may be far from where it was made.

## When it is right to ignore it

In a test that expects the error. A `.clone()` outside, which makes an ordinary tensor, is not reported,
and neither is `torch.no_grad()`, which leaves tensors as they are.
"""

from __future__ import annotations

from gradlint.domain import NO, NONE, YES, Tensor, WriteKind
from gradlint.events import Event, Recorded, RequiresGradChanged, WrittenInPlace
from gradlint.rule import Draft, Findings, Raises, Rule, quoted

from ._without_graph import instead_of_inference

rule = Rule(
    "GRD407",
    "inference-tensor-in-training",
    "{name} is an inference tensor and cannot be {use}",
    help="create it under `torch.no_grad()`, or call `.clone()` on it outside inference mode",
    tokens=("inference_mode",),
)
consequence = Raises(RuntimeError, "Inference tensors cannot be saved for backward")
ASKED = Raises(RuntimeError, "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed")
WRITTEN = Raises(RuntimeError, "Inplace update to inference tensor outside InferenceMode is not allowed")


@rule.on(Recorded)
def saved_for_backward(event: Recorded) -> Findings:
    if event.grad_mode <= YES and event.result.requires_grad <= YES and _is_outside(event):
        for tensor in event.saved:
            if _is_inference(tensor):
                yield _draft(event, tensor, "an operand", "saved for backward")
                return


@rule.on(WrittenInPlace)
def written(event: WrittenInPlace) -> Findings:
    for tensor in event.saved if _is_outside(event) else ():
        if _is_inference(tensor):
            yield _draft(event, tensor, "an operand", "saved for backward")
            return
    if event.noticed <= YES and _is_outside(event) and _is_inference(event.target) and _has_something_to_do(event):
        use = "updated by an optimizer" if event.by is WriteKind.STEP else "written in place outside inference mode"
        yield _draft(event, event.target, quoted(event.name, "the tensor"), use)


def _has_something_to_do(event: WrittenInPlace) -> bool:
    """A step leaves alone what has no gradient, and much of what is computed from inference tensors gives them none."""
    return event.by is not WriteKind.STEP or not event.target.grad.may(NONE)


@rule.on(RequiresGradChanged)
def asked(event: RequiresGradChanged) -> Findings:
    if event.to <= YES and _is_outside(event) and _is_inference(event.tensor):
        yield _draft(
            event, event.tensor, quoted(event.name, "the tensor"), "made to require grad outside inference mode"
        )


def _is_outside(event: Event) -> bool:
    return event.inference <= NO


def _is_inference(tensor: Tensor) -> bool:
    return tensor.inference <= YES


def _draft(event: Event, tensor: Tensor, name: str, use: str) -> Draft:
    draft = instead_of_inference(rule.at(event.node, name=name, use=use), tensor.causes, "safe")
    return draft.marked(tensor.causes, made="made here", inference="inference mode is on from here")


@rule.bad
def features_of_an_encoder():
    import torch
    from torch import nn

    encoder, head = nn.Linear(4, 4), nn.Linear(4, 2)
    with torch.inference_mode():
        features = encoder(torch.ones(3, 4))
    loss = head(features).sum()  # GRD407
    loss.backward()
    return head.weight.grad


@rule.good(cures=features_of_an_encoder)
def features_under_no_grad():
    import torch
    from torch import nn

    encoder, head = nn.Linear(4, 4), nn.Linear(4, 2)
    with torch.no_grad():
        features = encoder(torch.ones(3, 4))
    loss = head(features).sum()
    loss.backward()
    return head.weight.grad


@rule.bad
def gate_of_an_earlier_pass():
    import torch
    from torch import nn

    encoder, features = nn.Linear(4, 4), torch.ones(3, 4)
    with torch.inference_mode():
        gate = torch.sigmoid(encoder(features))
    hidden = encoder(features)
    hidden.mul_(gate)  # GRD407
    hidden.sum().backward()
    return encoder.weight.grad


@rule.good(cures=gate_of_an_earlier_pass)
def gate_under_no_grad():
    import torch
    from torch import nn

    encoder, features = nn.Linear(4, 4), torch.ones(3, 4)
    with torch.no_grad():
        gate = torch.sigmoid(encoder(features))
    hidden = encoder(features)
    hidden.mul_(gate)
    hidden.sum().backward()
    return encoder.weight.grad


@rule.bad(shows=ASKED)
def adversarial_start():
    import torch

    with torch.inference_mode():
        noise = torch.rand(1, 4) * 0.1
    noise.requires_grad_()  # GRD407
    return noise


@rule.good(cures=adversarial_start)
def adversarial_start_as_a_copy():
    import torch

    with torch.inference_mode():
        noise = torch.rand(1, 4) * 0.1
    noise = noise.clone()
    noise.requires_grad_()
    return noise


@rule.bad(shows=WRITTEN)
def running_mean_from_an_evaluation():
    import torch

    @torch.inference_mode()
    def statistics(batch):
        return batch.mean(0)

    mean = statistics(torch.ones(8, 3))
    mean.mul_(0.9)  # GRD407
    return mean


@rule.good(cures=running_mean_from_an_evaluation)
def running_mean_of_ordinary_tensors():
    import torch

    @torch.no_grad()
    def statistics(batch):
        return batch.mean(0)

    mean = statistics(torch.ones(8, 3))
    mean.mul_(0.9)
    return mean


@rule.bad(shows=WRITTEN)
def model_built_in_inference_mode():
    import torch
    from torch import nn

    with torch.inference_mode():
        model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()  # GRD407
    return model


@rule.good(cures=model_built_in_inference_mode)
def model_built_outside():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    return model
