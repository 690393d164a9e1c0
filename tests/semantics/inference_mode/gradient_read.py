# A gradient is not made where it is read.
import torch

v2 = torch.randn(2, 2, requires_grad=True)
v2.pow(2).mean().backward()
with torch.inference_mode():
    v9 = v2.grad
    reveal(v9)
