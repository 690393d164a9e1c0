"""A generator that yields inside `with torch.no_grad():` leaves whoever iterates over it without gradients.

## Why it happens

The grad mode belongs to the thread, not to a function. A `with` block in a generator is left when the
generator goes on past it; while it waits at a `yield` the block is still open, and the code that asked
for the value runs with gradients off. A generator decorated with `@torch.no_grad()` is different: torch
wraps it so that the mode is set only while its own lines run.

## What it costs

What the loop around the generator computes is not recorded: its `backward()` raises `RuntimeError`, or,
where a part of it is computed elsewhere, that part alone is trained. If the loop is left early, the
mode stays until the generator is collected.

## When it is right to ignore it

Where everybody who iterates only evaluates. Context managers (`@contextmanager`), whose block is
meant to run in that mode, and other generators under decorators that are not known are not reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, Context
from gradlint.events import Yielded
from gradlint.rule import LIKELY, Draft, Edit, Findings, Rule

from ._without_graph import MODE_WORDS

rule = Rule(
    "GRD410",
    "no-grad-generator",
    "`yield` in a block with gradients disabled disables them in the consuming loop too",
    help="close the `with` block before the `yield`, or decorate the generator with `@torch.no_grad()`",
    effect="wrong result",
    tokens=MODE_WORDS,
)

DECORATORS = ("torch.no_grad", "torch.inference_mode")
"""The names that switch gradients off as a block and as a decorator."""


def consequence(returned: Any) -> bool:
    """What the loop around the generator computed was not recorded."""
    return not any(result.requires_grad for result in returned)


@rule.on(Yielded)
def check(event: Yielded) -> Findings:
    if event.extent == "with" and event.grad_mode <= NO and not event.manager and _is_plain(event):
        yield _cured(rule.at(event.node).lowered(LIKELY, "whoever takes the elements may want no gradients"), event)


def _cured(draft: Draft, event: Yielded) -> Draft:
    """Hand out what was computed before when the block is closed, or have a decorator do what the block does."""
    mode = event.switches[0] if len(event.switches) == 1 else None
    if mode is None:
        return draft
    if event.named:
        draft = draft.fix(Edit("move out", event.node, to=mode.at), safety="unsafe")
    if event.function is not None and mode.path in DECORATORS:
        decorator = Edit("insert before", event.function.node, f"@{mode.path}()")
        draft = draft.fix(Edit("unwrap", mode.at), decorator, safety="unsafe", imports=("torch",))
    return draft


def _is_plain(event: Yielded) -> bool:
    """Return whether no decorator makes of the generator something else: a fixture, a context manager."""
    return event.function is not None and all(isinstance(one, Context) for one in event.function.decorators)


@rule.bad
def features_batch_by_batch():
    import torch
    from torch import nn

    encoder, head = nn.Linear(2, 2), nn.Linear(2, 1)

    def features():
        with torch.no_grad():
            for _ in range(2):
                yield encoder(torch.ones(1, 2))  # GRD410

    return [head(feature).sum() for feature in features()]


@rule.good(cures=features_batch_by_batch)
def features_of_a_decorated_generator():
    import torch
    from torch import nn

    encoder, head = nn.Linear(2, 2), nn.Linear(2, 1)

    @torch.no_grad()
    def features():
        for _ in range(2):
            yield encoder(torch.ones(1, 2))

    return [head(feature).sum() for feature in features()]


@rule.bad
def augmented_batches():
    import torch
    from torch import nn

    class Loader:
        def __init__(self, batches):
            self.batches = batches

        def __iter__(self):
            for batch in self.batches:
                with torch.no_grad():
                    noisy = batch + 0.1 * torch.randn_like(batch)
                    yield noisy  # GRD410

    model = nn.Linear(2, 1)
    return tuple(model(batch).pow(2).mean() for batch in Loader([torch.ones(4, 2), torch.zeros(4, 2)]))


@rule.good(cures=augmented_batches)
def augmented_batches_outside_of_the_block():
    import torch
    from torch import nn

    class Loader:
        def __init__(self, batches):
            self.batches = batches

        def __iter__(self):
            for batch in self.batches:
                with torch.no_grad():
                    noisy = batch + 0.1 * torch.randn_like(batch)
                yield noisy

    model = nn.Linear(2, 1)
    return tuple(model(batch).pow(2).mean() for batch in Loader([torch.ones(4, 2), torch.zeros(4, 2)]))
