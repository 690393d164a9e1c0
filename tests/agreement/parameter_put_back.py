# What is put back where a parameter was computed from one other is that other, with its gradient.
import torch
from torch.nn.utils import parametrize, prune

pruned = torch.nn.Linear(2, 2)
prune.l1_unstructured(pruned, name="weight", amount=0.5)
pruned(torch.ones(2)).sum().backward()
prune.remove(pruned, "weight")
reveal(pruned.weight, pruned.weight.grad)

bent = torch.nn.Linear(2, 2)
parametrize.register_parametrization(bent, "weight", torch.nn.Tanh())
bent(torch.ones(2)).sum().backward()
parametrize.remove_parametrizations(bent, "weight")
reveal(bent.weight, bent.weight.grad)
