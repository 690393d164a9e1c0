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

kept = torch.nn.Linear(2, 2)
parametrize.register_parametrization(kept, "weight", torch.nn.Tanh())
kept(torch.ones(2)).sum().backward()
parametrize.remove_parametrizations(kept, "weight", leave_parametrized=False)
reveal(kept.weight, kept.weight.grad)

known = torch.nn.Linear(2, 2)
weight, optimizer = known.weight, torch.optim.SGD(known.parameters(), lr=0.1)
known(torch.ones(2)).sum().backward()
prune.l1_unstructured(known, name="weight", amount=0.5)
reveal(known.weight_orig, known.weight_orig.grad)
optimizer.zero_grad()
known(torch.ones(2)).sum().backward()
reveal(weight, weight.grad)
