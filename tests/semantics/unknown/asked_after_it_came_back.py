# What unseen code gave may be the leaf that it was passed: where that one is asked later, its own flag is left open.
import torch

first = eval("lambda *given: given[0]")
model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
back = first(model[1].bias, model[0].weight)
back.requires_grad_()
reveal(back)
model.requires_grad_(False)
reveal(back)

leaf = torch.ones(2, requires_grad=True)
again = first(leaf)
again.requires_grad_(True)
leaf.requires_grad = False
reveal(leaf, again)
again.requires_grad_(True)
reveal(leaf, again)

other = torch.ones(2, requires_grad=True)
again.requires_grad_(True)
other.requires_grad_(False)
reveal(again, other)
