# A gradient that two updates use is cleared behind the second.
import torch

weight = torch.ones(3, requires_grad=True)
for _ in range(3):
    loss = (weight * 2 - 1).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        weight -= 0.1 * weight.grad
        weight -= 0.1 * weight.grad
