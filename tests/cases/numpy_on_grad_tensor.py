"""Cases for GRD615: tensors that require grad on their way to NumPy, and those that may go."""

import numpy as np
import pytest
import torch
from torch import nn


class Recorder:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
        self.scale = nn.Parameter(torch.ones(2))
        self.seen = np.zeros((0, 2))

    def features(self, x):
        return self.net(x).cpu().numpy()  # GRD615

    def log(self, writer, step):
        for name, p in self.net.named_parameters():
            writer.add_histogram(name, p.numpy(), step)  # GRD615
            writer.add_histogram(name, p.data.cpu().numpy(), step)  # ok: `.data` is detached

    @torch.no_grad()
    def embed(self, loader):
        out = []
        for x in loader:
            out.append((self.net(x) * self.scale).numpy())  # ok: gradients are off
        return np.concatenate(out)

    def scales(self):
        return np.asarray(self.scale)  # GRD615

    def forced(self):
        return self.scale.numpy(force=True)  # ok: force detaches


def predicted(model: nn.Linear, x):
    classes = model(x).argmax(1).numpy()  # ok: whole numbers require no grad
    return classes


def plotted(model: nn.Linear, x: torch.Tensor, plt):
    y = model(x)
    plt.plot(x.numpy())  # ok: nobody knows whether the argument requires grad
    plt.plot(y[:, 0].numpy())  # GRD615
    plt.plot(y.detach()[0].numpy())  # ok: detached


def distance(model: nn.Linear, goal):
    return np.square(model.weight.flatten()) - goal  # GRD615


def averaged(losses: list[float], model: nn.Linear):
    stacked = torch.tensor(losses)
    return stacked.mean().numpy(), np.sqrt(stacked)  # ok: numbers


def frozen():
    model = nn.Linear(2, 2).requires_grad_(False)
    return model.bias.numpy(), np.exp(model.bias)  # ok: frozen


class Series:
    """An object of one's own that has a method of this name."""

    def __init__(self, values):
        self.values = nn.Parameter(values)

    def numpy(self):
        return self.values.detach().numpy()  # ok: detached inside


def of_another_kind():
    return Series(torch.ones(3)).numpy()


def test_refused():
    with pytest.raises(RuntimeError):
        torch.ones(1, requires_grad=True).numpy()  # ok: the program waits for the error


def saved(path, layer: nn.Linear):
    np.save(path, layer.bias.numpy(), allow_pickle=False)  # GRD615
    with torch.inference_mode():
        np.save(path, layer(torch.ones(1, 2)).numpy())  # ok: made in inference mode
