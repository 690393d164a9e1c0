# What a backward is asked for retains its gradient, even where the backward is refused.
import torch

weight = torch.ones(2, requires_grad=True)
loss = (weight * 2).sum()
other = weight * 3
try:
    loss.backward(inputs=[other])
    print("went well")
except RuntimeError as error:
    print(error)
reveal(other)
one, two = torch.ones(2, requires_grad=True), torch.ones(3)
try:
    torch.utils.swap_tensors(one, two)
    print("went well")
except RuntimeError as error:
    print(error)
reveal(one, two)
