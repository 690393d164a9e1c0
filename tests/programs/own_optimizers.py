"""Optimizers whose class the program writes: their groups, their own step, and what they inherit."""

import torch
from torch import nn


class Plain(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))
        self.count = 0

    @torch.no_grad()
    def step(self, closure=None):
        reveal(self)  # Optimizer[Plain]
        self.count += 1
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                reveal(parameter)  # Tensor[float, requires_grad=yes, leaf=yes]
                state = self.state[parameter]
                state["seen"] = True
                parameter.add_(parameter.grad, alpha=-group["lr"])


class Louder(torch.optim.SGD):
    def step(self, closure=None):
        return super().step(closure)


class Renamed(torch.optim.Adam):
    pass


model = nn.Linear(2, 1)
inputs = torch.ones(4, 2)
for optimizer in (Plain(model.parameters()), Louder(model.parameters(), lr=0.1), Renamed(model.parameters())):
    optimizer.zero_grad()
    model(inputs).sum().backward()
    reveal(model.weight, "grad")  # fresh
    optimizer.step()
    reveal(model.weight, "grad")  # used

plain = Plain(model.parameters(), lr=0.5)
reveal(plain.count)  # 0
plain.zero_grad()
model(inputs).sum().backward()
reveal(plain, "stepped")  # no
plain.step()
reveal(plain, "stepped")  # yes
reveal(model.weight, "grad")  # used
plain.zero_grad()
reveal(model.weight, "grad")  # none

louder = Louder(model.parameters(), lr=0.1)
model(inputs).sum().backward()
louder.step()
reveal(model.weight, "grad")  # used
renamed = Renamed(model.parameters())
renamed.zero_grad()
model(inputs).sum().backward()
reveal(model.weight, "grad")  # fresh
renamed.step()
reveal(model.weight, "grad")  # used
reveal(renamed)  # Optimizer[Renamed]
