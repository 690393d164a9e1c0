"""Cases for GRD403: `with` given the class of a grad mode, and managers that it can enter."""

import contextlib

import torch
import torch.nn as nn
from torch import inference_mode
from torch.autograd import no_grad as nograd


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 1)

    def predict(self, x):
        self.eval()
        with torch.no_grad:  # GRD403
            return self.net(x)

    def predict_all(self, batches):
        with inference_mode, open("log.txt") as log:  # GRD403
            log.write(str([self.net(batch) for batch in batches]))

    def score(self, x):
        with torch.no_grad():  # ok: called
            return self.net(x).mean()


def validate(model, loader):
    for batch in loader:
        with nograd as mode:  # GRD403
            print(model(batch), mode)


def second_order(function, x):
    with torch.enable_grad as grad, x.device:  # GRD403
        return function(x).sum()


def switched(model, train, batch):
    with torch.set_grad_enabled(train):  # ok: called with its argument
        out = model(batch)
    with torch.set_grad_enabled, contextlib.suppress(KeyError):  # GRD403
        out = model(out)
    return out


def grouped(model, batch):
    with contextlib.suppress(ValueError), torch.autograd.no_grad:  # GRD403
        return model(batch)


def chosen_class(model, batch, fast: bool):
    mode = torch.inference_mode if fast else torch.no_grad
    with mode():  # ok: called where it is entered
        return model(batch)


def chosen_instance(model, batch, train=False):
    mode = contextlib.nullcontext() if train else torch.no_grad()
    with mode as entered, contextlib.suppress(KeyError):  # ok: an instance
        return model(batch), entered


@torch.no_grad
def decorated(model, batch):
    with torch.autograd.set_detect_anomaly(True):  # ok: another mode, called; the bare decorator is legal too
        return model(batch)


class Timer(contextlib.ContextDecorator):
    def __enter__(self):
        return self

    def __exit__(self, *details):
        return False


no_grad = Timer()


def timed(model, batch):
    with no_grad:  # ok: an object of this file, whatever its name says
        return model(batch)


def handed_in(model, batch, context):
    with context, torch.inference_mode(False):  # ok: an argument may be an instance
        return model(batch)


def locked(lock, queue):
    with lock.inference_mode, queue.mutex:  # ok: an attribute of something else
        return queue.get()
