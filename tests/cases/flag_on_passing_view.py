"""Cases for GRD117: flags that go with a handle that nobody keeps."""

import torch
import torch.nn as nn


class Tagger(nn.Module):
    def __init__(self, vectors, adapter, tuned):
        super().__init__()
        self.words = nn.Embedding(100, 8)
        self.words.weight.data.copy_(vectors)
        if not tuned:
            self.words.weight.data.requires_grad = False  # GRD117
        self.tags = nn.Linear(8, 3)
        self.tags.bias.requires_grad, self.count = False, 3  # ok: the parameter itself
        self.scale = torch.ones(8).data  # GRD802
        self.scale.requires_grad = True  # ok: kept by the module
        self.adapter = adapter

    def freeze(self):
        self.tags.weight.detach().requires_grad = not True  # GRD117
        self.adapter.weight.detach().requires_grad_(False)  # GRD117
        for weight in self.words.parameters():
            weight.data[:2].requires_grad_(False)  # GRD117

    def forward(self, x):
        return self.tags(self.adapter(self.words(x) * self.scale))


def only_the_last(network: nn.Module, start: str):
    for name, weight in network.named_parameters():
        weight.data.requires_grad = name.startswith(start)  # ok: nobody knows what is asked
        if "bias" in name:
            weight.data.requires_grad_(False)  # GRD117
        else:
            weight.requires_grad_(False)  # ok: of the parameter


def penalty(critic: nn.Module, real: torch.Tensor, fake: torch.Tensor):
    mixed = real.lerp(fake, 0.5)
    mixed.detach().requires_grad = True  # GRD117
    score = critic(mixed)
    leaf = mixed.detach().requires_grad_()  # ok: kept under a name
    return torch.autograd.grad(score.sum(), mixed, create_graph=True), leaf


def handles(image: torch.Tensor):
    first = image.data
    first.requires_grad = True  # ok: it has a name
    both = [image.detach(), image.data[0]]
    both[0].requires_grad_(True)  # ok: it lies in a list
    first.data.requires_grad, again = True, first  # ok: what it comes from has the flag
    image.data[0].view(-1).requires_grad_(True)  # GRD117
    return both


def attacked(net: nn.Module, x: torch.Tensor, steps: int):
    noise = torch.zeros_like(x)
    for _ in range(steps):
        noise.detach().requires_grad_(True)  # GRD117
        noise.grad = None
        noise = (noise + 0.1).clamp(-1, 1)
        net((x + noise).detach().requires_grad_(True)).sum().backward()  # ok: handed on
    return noise


table = nn.EmbeddingBag(10, 3)
table.weight.data.squeeze(0).requires_grad = False  # GRD117
weights = dict(table.named_parameters())
weights["weight"].data.requires_grad = False  # GRD117
weights["weight"].requires_grad = False  # ok: the parameter by its name
copied = table.weight.detach().requires_grad_(False)  # ok: given back, and kept
