# A full backward hook puts a node of its own behind what a module returns, a leaf too.
import torch
from torch import nn


class Wrapping(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)

    def forward(self, batch):
        return nn.Parameter(self.first(batch))


module = Wrapping()
module.register_full_backward_hook(lambda module, inputs, outputs: None)
result = module(torch.ones(1, 2))
reveal(result)
with torch.no_grad():
    reveal(module(torch.ones(1, 2)))
