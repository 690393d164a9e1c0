# todo: while a loop goes over all parameters, those that it has not reached yet are taken for changed.
import torch

layers = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
for parameter in layers.parameters():
    parameter.requires_grad = False
    reveal(layers[1].bias)
steps = {"weight": torch.randn(3, 3), "count": torch.randn(3)}
for tensor in steps.values():
    tensor.requires_grad = True
    reveal(steps["count"])
