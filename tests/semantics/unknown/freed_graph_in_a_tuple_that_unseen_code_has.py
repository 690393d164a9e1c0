# harmful: unseen code that is handed a freed graph in a tuple raises before `autograd.grad` does.
import torch

inform = eval("lambda held: held[0].sum().backward(retain_graph=True)")
weight = torch.ones(2, requires_grad=True)
held = (weight.tanh(),)
epoch = 0
while epoch < 3:
    inform(held)
    torch.autograd.grad(held[0].sum(), weight)
    epoch += 1
