# What a custom function gives requires grad if what nobody knows did.
import torch
import torch.nn as nn

averaged = torch.optim.swa_utils.AveragedModel(nn.Linear(2, 2))


class Squash(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        return x.detach().tanh()


squashed = Squash.apply(averaged.module.weight, 2.0)
reveal(squashed)
