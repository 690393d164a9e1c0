"""A class derived from nn.Module runs its own `forward`; frozen parts give what requires no grad by itself."""

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, width, frozen=False):
        super().__init__()
        self.body = nn.Linear(8, width)
        self.head = nn.Linear(width, 2)
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("steps", torch.zeros(1))
        if frozen:
            for parameter in self.body.parameters():
                parameter.requires_grad = False

    def forward(self, x):
        hidden = torch.relu(self.body(x))
        return self.head(hidden) * self.scale


images = torch.rand(4, 8)
model = Classifier(4)
reveal(model.body.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(model.scale)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(model.steps)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(model(images))  # Tensor[float, requires_grad=yes, leaf=no]

frozen = Classifier(4, frozen=True)
reveal(frozen.body.weight)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(frozen.head.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(frozen.body(images))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(frozen(images))  # Tensor[float, requires_grad=yes, leaf=no]

frozen.requires_grad_(False)
reveal(frozen.head.weight)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(frozen(images))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(frozen(images.clone().requires_grad_()))  # Tensor[float, requires_grad=yes, leaf=no]
frozen.train(False)
reveal(frozen)  # Module[?, mode=eval]
