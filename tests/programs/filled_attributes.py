"""What methods put into containers that `__init__` makes is there when another method runs, whoever calls it."""

import torch

weight = torch.ones(3, requires_grad=True)


class Memory:
    def __init__(self):
        self.steps = []
        self.table = {}

    def store(self, value):
        self.steps.append(value.detach())
        self.table["last"] = value * 2

    def replay(self):
        for step in self.steps:
            reveal(step)  # Tensor[?, requires_grad=no, leaf=yes]
        if self.table:
            reveal(self.table["last"])  # Tensor[?, requires_grad=?, leaf=?]


memory = eval("Memory")()
eval("memory.store")(weight)
eval("memory.replay")()
