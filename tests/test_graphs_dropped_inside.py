"""Measured: a forward that gives whole numbers saves tensors for backward all the same, but under `no_grad`."""

from __future__ import annotations

import pytest
import torch


class Tagger(torch.nn.Module):
    def __init__(self, by_sorting: bool) -> None:
        super().__init__()
        self.head, self.by_sorting = torch.nn.Linear(4, 3), by_sorting

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        scores = self.head(words).tanh()
        return scores.topk(1)[1] if self.by_sorting else scores.argmax(-1)


@pytest.mark.parametrize("by_sorting", [True, False])
@pytest.mark.parametrize("recording", [True, False])
def test_a_forward_that_gives_whole_numbers_saves_tensors_while_gradients_are_on(
    by_sorting: bool, recording: bool
) -> None:
    saved: list[torch.Tensor] = []
    tagger = Tagger(by_sorting).eval()
    with (
        torch.set_grad_enabled(recording),
        torch.autograd.graph.saved_tensors_hooks(lambda one: saved.append(one) or one, lambda one: one),
    ):
        found = tagger(torch.ones(2, 4))
    assert found.dtype is torch.int64
    assert not found.requires_grad
    assert bool(saved) is recording
