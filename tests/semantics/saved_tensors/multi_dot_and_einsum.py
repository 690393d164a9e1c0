# What takes several matrices saves each of them for the others.
import torch

weight, constant = torch.rand(2, 2, requires_grad=True), torch.rand(2, 2)
scaled = weight * 2
alone = torch.linalg.multi_dot([scaled, constant, constant])
scaled += 1
alone.sum().backward()
scaled = weight.exp() + 1
traced = torch.einsum("ii->", scaled)
scaled += 1
traced.backward()
both = torch.linalg.multi_dot([weight, weight + 1])
weight.data = weight.data + 1
both.sum().backward()
cubes = torch.rand(2, 2, 2) + weight
mixed = torch.einsum("ikj,jkl->il", cubes, torch.rand(2, 2, 2))
reveal(scaled, traced, both, mixed)
cubes += 1
mixed.sum().backward()
both.sum().backward()
