"""Parts that a module registers by name: register_parameter, register_buffer, add_module, setattr with made-up names."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, wide=True):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
        self.register_buffer("mean", torch.zeros(2))
        self.register_buffer("scratch", torch.zeros(2, dtype=torch.int64), persistent=False)
        self.register_parameter("scale", nn.Parameter(torch.ones(2)))
        self.register_parameter("shift", None)
        self.add_module("extra", nn.Linear(2, 2))
        setattr(self, "third", nn.Linear(2, 2))
        for index in range(2):
            setattr(self, f"block{index}", nn.Linear(2, 2))
            self.add_module("more%d" % index, nn.Tanh())
        self.maybe = nn.Linear(2, 2) if wide else nn.Identity()
        self.absent = None
        self.hidden = [nn.Linear(2, 2)]
        self.plain = torch.ones(2)

    def forward(self, x):
        x = self.inner(x) * self.scale + self.mean
        for index in range(2):
            layer = getattr(self, f"block{index}")
            reveal(layer)  # Module[torch.nn.Linear, mode=train]
            x = getattr(self, "more" + str(index))(layer(x))
        if self.absent is not None:
            x = self.absent(x)
        return self.maybe(x)


net = Net()
reveal(net.mean)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(net.scale)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(net.shift)  # None
reveal(net.extra)  # Module[torch.nn.Linear, mode=train]
reveal(net.third)  # Module[torch.nn.Linear, mode=train]
reveal(net.block0)  # Module[torch.nn.Linear, mode=train]
reveal(net(torch.ones(2, 2)))  # Tensor[float, requires_grad=yes, leaf=no]
third = getattr(net, "third")
reveal(third)  # Module[torch.nn.Linear, mode=train]
fourth = getattr(net, "fourth", None)
reveal(fourth)  # None
reveal(net.get_submodule("inner.0"))  # Module[torch.nn.Linear, mode=train]
reveal(net.get_parameter("inner.0.weight"))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(net.get_buffer("mean"))  # Tensor[float, requires_grad=no, leaf=yes]
for name, buffer in net.named_buffers():
    reveal(name)  # 'mean' or 'scratch'
    reveal(buffer)  # Tensor[integer|float, requires_grad=no, leaf=yes]
for scale in net.parameters(recurse=False):
    reveal(scale)  # Tensor[float, requires_grad=yes, leaf=yes]
saved = net.state_dict()
reveal(saved["mean"])  # Tensor[float, requires_grad=no, leaf=yes]
reveal(saved["inner.0.weight"])  # Tensor[float, requires_grad=no, leaf=yes]
reveal("scratch" in saved)  # False
for child in net.children():
    reveal(child)  # Module[?, mode=train]
net.inner.requires_grad_(False)
reveal(net.get_parameter("inner.0.weight"))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(net.third.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
trainable = [part for part in net.parameters() if part.requires_grad]
reveal(trainable[0])  # Tensor[float, requires_grad=yes, leaf=yes]
for part in net.modules():
    if isinstance(part, nn.Linear):
        reveal(part)  # Module[torch.nn.Linear, mode=train]
        reveal(part.weight)  # Tensor[float, requires_grad=no|yes, leaf=yes]
net.eval()
reveal(net.training)  # False
reveal(net.inner[1].training)  # False
del net.extra
