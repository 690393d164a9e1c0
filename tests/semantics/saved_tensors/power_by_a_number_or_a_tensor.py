# What a power by a number gives is not saved, nor is what a number is divided by; by a tensor they are.
import torch

given = torch.rand(2, 2, requires_grad=True) * 1
square = given**2
square += 1.0
square.sum().backward(retain_graph=True)
inverse = 2.0 / given
with torch.no_grad():
    given.add_(1.0)
inverse.sum().backward()
other = torch.rand(2, 2, requires_grad=True)
power = (other * 1) ** torch.full((2, 2), 2.0)
power += 1.0
try:
    power.sum().backward()
except RuntimeError as error:
    print(error)
reveal(square, inverse, power)
