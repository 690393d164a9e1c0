"""Cases for GRD402: grad modes that are made and dropped, and statements that do their work."""

import contextlib

import torch
import torch.nn as nn
from torch import no_grad


class Generator:
    def __init__(self):
        self.net = nn.Linear(4, 4)
        torch.autograd.set_detect_anomaly(False)  # ok: sets its mode at once

    def sample(self, noise):
        torch.no_grad()  # GRD402
        return self.net(noise)

    def embed(self, batch):
        torch.inference_mode(mode=True)  # GRD402
        return [self.net(item) for item in batch]

    def evaluate(self, loader):
        self.net.train().zero_grad()  # ok: a statement with an effect
        no_grad()  # GRD402
        total = 0.0
        for batch in loader:
            total += self.net(batch).sum().item()
        return total


def switch_on(always: bool):
    if always:
        torch.autograd.enable_grad()  # GRD402
    return torch.ones(2, requires_grad=True).sum()


def generate(model, prompt, grad=False):
    torch.no_grad() if not grad else torch.enable_grad()  # GRD402
    return model(prompt)


def old_spelling(model, batch):
    torch.autograd.grad_mode.no_grad()  # GRD402
    return model(batch)


def switched(flag: bool):
    torch.set_grad_enabled(False)  # ok: changes the mode when it is called
    result = torch.ones(2) * 2
    torch.set_grad_enabled(mode=flag)  # ok: and back, by whatever was asked
    torch._C._set_grad_enabled(True)  # ok: does what it says
    return result


def kept(flag):
    mode = torch.no_grad() if flag else contextlib.nullcontext()
    with mode:
        print(torch.is_grad_enabled())  # ok: the mode was kept and entered


def entered_by_hand():
    torch.no_grad().__enter__()  # ok: entered, if never left
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())  # ok: entered by the stack
        stack.callback(print, "done")  # ok: no mode at all


def wrapped(function):
    fast = torch.no_grad()(function)
    torch.inference_mode()(function)(1)  # ok: decorates, and is called
    return fast


class no_tracking:
    """A context manager of one's own, with a side effect when it is made."""

    def __init__(self, why):
        print("tracking off", why)

    def __enter__(self):
        return self

    def __exit__(self, *details):
        return None


def own_manager():
    no_tracking("inference")  # ok: not one of torch's


def named_and_not_made(model: torch.nn.Linear, x):
    torch.no_grad  # todo GRD402
    return model(x)
