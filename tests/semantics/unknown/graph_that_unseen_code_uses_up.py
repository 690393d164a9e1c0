# harmful: what goes through a freed graph first is unseen code, which raises; the line behind it never comes to it.
import torch

again = eval("lambda one: one.sum().backward(retain_graph=True)")
shared = torch.ones(2, requires_grad=True).exp()
for _ in range(2):
    again(shared)
    shared.sum().backward()
