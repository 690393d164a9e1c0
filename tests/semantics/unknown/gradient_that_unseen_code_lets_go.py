# harmful: what .grad held before unseen code had the tensor may be gone, and nothing says that it is not None.
import torch

handle = eval("lambda one: setattr(one, 'grad', None)")
weight = torch.ones(3, requires_grad=True)
weight.sum().backward()
held = weight.grad
handle(weight)
reveal(weight.grad)
