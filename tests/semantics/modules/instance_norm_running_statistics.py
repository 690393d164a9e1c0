# Running statistics were taken for recorded where they are updated, and for updated where only their values are used.
import torch
import torch.nn.functional as F

images, scale = torch.rand(2, 3, 4, requires_grad=True), torch.ones(3, requires_grad=True)
mean, variance = torch.zeros(3), torch.ones(3)
normal = F.instance_norm(images, mean, variance, mean)
reveal(mean, variance, normal)
normal = F.instance_norm(images, mean, variance, scale)
reveal(mean, variance, normal)
kept = (mean * scale).sum()
F.instance_norm(images, mean, variance, use_input_stats=False).sum().backward()
kept.backward()
with torch.inference_mode():
    made = torch.zeros(3)
normal = F.instance_norm(images.detach(), made, made + 1, use_input_stats=False)
reveal(normal)
