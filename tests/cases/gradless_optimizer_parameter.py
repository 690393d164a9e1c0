"""Cases for GRD715: tensors in optimizers that do not require grad."""

import torch
import torch.nn as nn


class Inversion:
    """Textual inversion: one embedding is learned, all else is frozen."""

    def __init__(self, width=8):
        self.model = nn.Linear(width, width).requires_grad_(False)
        self.embedding = torch.randn(1, width)
        self.learned = nn.Parameter(torch.randn(1, width))
        self.optimizer = torch.optim.AdamW([self.embedding], lr=5e-3)  # GRD715
        self.right = torch.optim.AdamW([self.learned], lr=5e-3, amsgrad=True)  # ok: a parameter requires grad by itself

    def step(self):
        self.optimizer.zero_grad()
        self.model(self.learned + self.embedding).pow(2).mean().backward()
        self.optimizer.step()
        self.right.step()


def frozen_backbone():
    net = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 2))
    net[0].requires_grad_(False)
    return torch.optim.SGD(net.parameters(), lr=0.1)  # ok: frozen on purpose


def frozen_for_now():
    scale = nn.Parameter(torch.ones(1), requires_grad=False)
    optimizer = torch.optim.SGD([scale], lr=0.2)  # ok: a parameter that is frozen, perhaps for now
    return optimizer, scale


def asked_later():
    noise = torch.zeros(8)
    optimizer = torch.optim.SGD([noise], lr=0.3)  # ok: asked below
    noise.requires_grad_()
    noise.pow(2).sum().backward()
    optimizer.step()


def own_gradients():
    point = torch.ones(2)
    optimizer = torch.optim.SGD([point], momentum=0.9)  # ok: its gradient is set by hand
    for _ in range(3):
        point.grad = 2 * point
        optimizer.step()


def mixing(temperature: torch.Tensor):
    weights = torch.tensor([0.5, 0.5]).log()
    ok = torch.optim.SGD([temperature])  # ok: what was handed over may require grad
    return ok, torch.optim.Adam([weights, temperature], lr=0.1)  # GRD715


def detached(net: nn.Linear):
    start = net.weight.detach().clone()
    groups = [{"params": [net.bias]}, {"params": start}]
    return torch.optim.RMSprop(groups, lr=0.1)  # GRD715


def latents(count=4):
    codes = [torch.zeros(8, requires_grad=True) for _ in range(count)]
    ok = torch.optim.Adam(codes, lr=0.1)  # ok: made with gradients
    codes = [code.detach() for code in codes]
    for code in codes:
        code.requires_grad = True
    return ok, torch.optim.Adam(codes, lr=0.2)  # ok: each is asked


def one_way(learn: bool):
    bias = torch.zeros(3, requires_grad=learn)
    return torch.optim.Adagrad([bias], lr=0.1)  # ok: may be asked


def registered():
    net = nn.Linear(2, 2)
    net.register_buffer("offset", torch.zeros(2))
    net.shift = torch.zeros(2)
    return torch.optim.SGD([net.weight, net.shift], lr=0.1)  # GRD715


def main():
    frequency, phase = torch.rand(1), torch.rand(1, requires_grad=True)
    optimizer = torch.optim.LBFGS([frequency, phase], max_iter=5)  # GRD715

    def closure():
        optimizer.zero_grad()
        loss = (torch.sin(frequency * 2 + phase) - 1).pow(2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)


if __name__ == "__main__":
    main()


def guessed(scores, noise):
    position = torch.zeros(3)
    position.grad = -(scores[:, None] * noise).mean(0)
    return torch.optim.SGD([position], lr=0.01, momentum=0.9)  # ok: it has its gradient by hand already


class Idle(torch.optim.Optimizer):
    def __init__(self):
        super().__init__([torch.zeros(1)], {})  # ok: there to satisfy the base class, and never stepped

    def step(self, closure=None):
        return None if closure is None else closure()


Idle().step()
