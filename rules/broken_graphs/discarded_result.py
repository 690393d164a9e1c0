"""The result of a method that works on a copy is dropped, so nothing happened.

## Why it happens

Only methods that end in an underscore write their tensor. `clamp`, `detach`, `to`, `view` and the rest, and functions
like `torch.clamp`, give a new tensor, or a new handle on the same memory, and leave the one they were called on or
given as it was: still attached, still on its device, still of its dtype and shape. So does a layer that a `forward`
calls, unless it was made with `inplace=True`. Modules are different
(`model.to(device)` moves the module itself), which is where the habit comes from; but `embedding.from_pretrained(...)`
is a class method that makes another layer.

## What it costs

What the line was written for does not happen: gradients are not clipped, the graph is not cut, the
tensor stays where it is. Nothing is raised, and the work is done and thrown away.

## When it is right to ignore it

In a benchmark or a warm-up that runs an operation for its time. Methods that change neither dtype, device,
shape nor graph and have no in-place twin are therefore believed least; what is read to wait for a device
(`item()`, `cpu()`) is not reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import YES, CauseKind, Module, Tensor
from gradlint.events import ResultDiscarded
from gradlint.rule import POSSIBLE, Edit, Findings, Rule, quoted

rule = Rule(
    "GRD607",
    "discarded-result",
    "`{method}()` does not change {name}, and its result is discarded",
    help="assign the result, or use the in-place method",
    effect="no effect",
)

METHODS, LAYERS = "torch.Tensor", "torch.nn"
NETWORKS = (LAYERS, "torch.nn.functional")
"""Where that stands which is called for its result alone."""
OWNERS = (METHODS, "torch", *NETWORKS)
WAITING = frozenset({"item", "cpu", "numpy", "tolist"})
"""Methods that are also called to wait for what runs on a device."""
REPLACING = frozenset(
    "detach clone to cuda float double half bfloat16 int long bool type type_as view reshape permute flatten expand "
    "repeat contiguous flip roll softmax log_softmax view_as expand_as movedim unflatten".split()
)
"""Methods whose result is meant to stand in the tensor's place."""
OF_STRUCTURES = frozenset("to cuda cpu float double half bfloat16 int long bool type clone".split())
"""Methods that what libraries make of several tensors has as well, and with which some of it moves itself."""
TWINS = frozenset(
    "abs add addcdiv addcmul addmm asin acos atan bernoulli ceil clamp clamp_max clamp_min clip copysign cos cumprod "
    "cumsum div divide erf exp expm1 fix floor fmod frac index_add index_copy index_fill lerp log log10 "
    "log1p log2 logit masked_fill masked_scatter mul multiply nan_to_num neg negative pow put reciprocal relu "
    "remainder renorm round rsqrt scatter scatter_add sigmoid sign sin sinh sqrt square squeeze sub subtract swapaxes "
    "t tan tanh transpose tril triu true_divide trunc unsqueeze".split()
)
"""Methods that have an in-place twin."""


KEEP = "keep the layer that it gives: `layer = nn.Embedding.from_pretrained(...)`"


def consequence(returned: Any, cured: Any) -> bool:
    """The tensor is not what it is where the result is used."""
    return bool(
        (returned.dtype, returned.shape, returned.requires_grad) != (cured.dtype, cured.shape, cured.requires_grad)
        or not returned.equal(cured)
    )


@rule.on(ResultDiscarded)
def check(event: ResultDiscarded) -> Findings:
    of, _, method = event.called.rpartition(".")
    if method == "from_pretrained" and isinstance(event.value, Module) and not event.expected:
        yield rule.at(event.node, method=method, name="the layer").advising(KEEP)
        return
    tensor = event.of
    if not isinstance(tensor, Tensor) or of not in OWNERS or event.expected:
        return
    if of != METHODS and not _is_made_here(event):
        return
    if not isinstance(event.value, Tensor) or method.endswith("_") or method in WAITING:
        return
    if tensor.may_be_structured and method in OF_STRUCTURES and not event.single:
        return
    narrow = (event.name or _is_of_another(tensor)) and (of in NETWORKS or method in REPLACING or method in TWINS)
    draft = rule.at(event.node, method=event.layer or method, name=quoted(event.name, "the tensor"))
    draft = draft.advising(_cure(event, of, method))
    draft = draft if narrow else draft.lowered(POSSIBLE, "it may be called for something else than its result")
    edits = _edits(event, method) if event.name and not _is_parameter(event) else ()
    yield draft.fix(*edits, safety="unsafe") if edits else draft


def _is_of_another(tensor: Tensor) -> bool:
    """Return whether somebody may hold what is left as it is although it has no name: it is a view."""
    return bool(tensor.base) and None not in tensor.base


def _is_better_written(name: str, method: str) -> bool:
    """Return whether the in-place twin is the cure: a gradient has to be written, not to be bound to a name."""
    return method in TWINS and name.endswith((".grad", ".data"))


def _is_made_here(event: ResultDiscarded) -> bool:
    """Return whether what is dropped is new, and not what an `out=` was."""
    marks = event.value.causes if isinstance(event.value, Tensor) else ()
    return any(mark.kind == CauseKind.MADE and mark.node is event.node for mark in marks)


def _is_parameter(event: ResultDiscarded) -> bool:
    return isinstance(event.of, Tensor) and event.of.parameter <= YES


def _cure(event: ResultDiscarded, of: str, method: str) -> str:
    name = event.name
    if not name:
        return "use the result"
    if _is_parameter(event) and method in TWINS:
        return f"write the parameter with `{name}.{method}_(...)` under `torch.no_grad()`, or use the result"
    if _is_better_written(name, method):
        return f"write in place with `{name}.{method}_(...)`"
    if of == METHODS:
        return f"assign it: `{name} = {name}.{method}(...)`"
    call = f"{event.layer}({name})" if event.layer else f"{of}.{method}({name}, ...)"
    return f"assign it: `{name} = {call}`"


def _edits(event: ResultDiscarded, method: str) -> tuple[Edit, ...]:
    if _is_better_written(event.name, method):
        return (Edit("rename", event.node, f"{method}_"),)
    return (Edit("wrap", event.node, f"{event.name} = "),) if event.alone else ()


@rule.bad
def gradient_clamped_out_of_place():
    import torch

    weight = torch.ones(3, requires_grad=True)
    (9 * weight * weight).sum().backward()
    weight.grad.clamp(-1, 1)  # GRD607
    return weight.grad


@rule.good(cures=gradient_clamped_out_of_place)
def gradient_clamped_in_place():
    import torch

    weight = torch.ones(3, requires_grad=True)
    (9 * weight * weight).sum().backward()
    weight.grad.clamp_(-1, 1)
    return weight.grad


@rule.bad
def detach_without_assignment():
    import torch

    weight = torch.ones(3, requires_grad=True)
    target = weight * 3
    target.detach()  # GRD607
    return target


@rule.good(cures=detach_without_assignment)
def detach_assigned():
    import torch

    weight = torch.ones(3, requires_grad=True)
    target = weight * 3
    target = target.detach()
    return target


@rule.bad
def cast_without_assignment():
    import torch

    labels = torch.tensor([1.0, 0.0, 2.0])
    labels.to(torch.long)  # GRD607
    return labels


@rule.good(cures=cast_without_assignment)
def cast_assigned():
    import torch

    labels = torch.tensor([1.0, 0.0, 2.0])
    labels = labels.to(torch.long)
    return labels


@rule.bad
def vectors_loaded_into_another_layer():
    import torch
    from torch import nn

    embedding = nn.Embedding(3, 2)
    embedding.from_pretrained(torch.zeros(3, 2))  # GRD607
    return embedding(torch.arange(3))


@rule.good(cures=vectors_loaded_into_another_layer)
def layer_made_of_vectors():
    import torch
    from torch import nn

    embedding = nn.Embedding.from_pretrained(torch.zeros(3, 2))
    return embedding(torch.arange(3))
