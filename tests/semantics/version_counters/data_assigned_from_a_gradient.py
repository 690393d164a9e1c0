# A gradient that nothing but its tensor holds is somebody's all the same, and what is given its memory counts alone.
import torch

w = torch.rand(2, 2, requires_grad=True)
x = torch.rand(2, 2)
w.grad = torch.rand(2, 2)
x.data = w.grad
out = w * x
w.grad.add_(1)
try:
    out.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
