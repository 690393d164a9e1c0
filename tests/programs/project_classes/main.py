"""Classes of other files: bases of modules, mixins, `super()` across files, annotated parameters."""

import layers
import torch
from layers import Block, Frozen
from torch import nn


class Net(Block):
    def __init__(self):
        super().__init__(4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(super().forward(x))


class Still(Frozen, Net):
    pass


net = Net()
reveal(net)  # Module[?, mode=train]
reveal(net.body.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(net(torch.ones(1, 4)))  # Tensor[float, requires_grad=yes, leaf=no]
net.freeze_body()
reveal(net.body.weight)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(net.head.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(net.eval())  # Module[?, mode=eval]

still = Still()
reveal(still(torch.ones(1, 4)))  # Tensor[float, requires_grad=no, leaf=yes]

reveal(Block.scale)  # 2
reveal(isinstance(net, Block))  # True
reveal(isinstance(net, layers.Frozen))  # False

box = layers.Box(torch.ones(2, requires_grad=True))
reveal(box.held)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(box.detached)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(layers.Box.of_ones().held)  # Tensor[float, requires_grad=no, leaf=yes]


def evaluate(model: Block, other: "layers.Block"):
    reveal(model.body.weight)  # Tensor[float, requires_grad=no, leaf=yes]
    reveal(other)  # Module[?, mode=train]


evaluate(net, Net())
