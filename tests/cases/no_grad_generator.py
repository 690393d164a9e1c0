"""Cases for GRD410: generators that wait while gradients are off."""

from contextlib import asynccontextmanager, contextmanager

import pytest
import torch
import torch.nn as nn
from torch.utils.data import DataLoader


class Extractor:
    def __init__(self, encoder: nn.Module, loader: DataLoader):
        self.encoder = encoder
        self.loader = loader

    def __iter__(self):
        with torch.inference_mode():
            for x, y in self.loader:
                yield self.encoder(x), y  # GRD410

    def outside(self):
        for x, y in self.loader:
            with torch.no_grad():
                features = self.encoder(x)
            yield features, y  # ok: the block is closed

    @torch.no_grad()
    def decorated(self):
        for x, y in self.loader:
            yield self.encoder(x), y, None  # ok: torch sets the mode around each step of a decorated generator

    @property
    def collected(self):
        with torch.no_grad():
            found = [self.encoder(x) for x, _ in self.loader]
        yield from found  # ok: computed before

    def chained(self):
        with torch.no_grad():
            yield from self.outside()  # GRD410


@contextmanager
def frozen(model: nn.Module):
    model.eval()
    with torch.no_grad():
        yield model, model.training  # ok: a context manager, whose block is to run like this
    model.train()


@asynccontextmanager
async def frozen_later(model: nn.Module):
    with torch.inference_mode():
        yield [model]  # ok: the same for `async with`


@pytest.fixture
def no_gradients():
    with torch.no_grad():
        yield  # ok: the test is to run without gradients


@pytest.fixture(scope="module")
def model_without_gradients():
    with torch.no_grad():
        yield nn.Linear(2, 2)  # ok: the same for a fixture with arguments


def with_gradients(batches):
    with torch.enable_grad():
        for batch in batches:
            yield batch * 1.0  # ok: on is what most callers have


def switchable(batches, training: bool):
    with torch.set_grad_enabled(training):
        for batch in batches:
            yield batch + 1  # ok: may be on


def rollout(policy: nn.Module, state: torch.Tensor, steps=10):
    with torch.no_grad():
        for step in range(steps):
            if step % 5 == 0:
                yield state.clone()  # GRD410
            state = policy(state)


def lines_of(path):
    with open(path) as file:
        for line in file:
            yield torch.tensor([float(word) for word in line.split()])  # ok: a block of another kind


def sampled(model: nn.Module, prompts, temperature=1.0):
    enabled = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    for prompt in prompts:
        scores = model(prompt) / temperature
        while scores.numel() > 1:
            received = yield scores  # ok: switched off by statement, which is another matter
            scores = scores[: received or -1]
    torch.set_grad_enabled(enabled)


def tokens(model: nn.Module, prompt: torch.Tensor):
    with torch.autocast("cpu"), torch.no_grad():
        for _ in range(3):
            prompt = torch.cat([prompt, model(prompt).argmax(-1)])
            yield int(prompt[-1])  # GRD410
