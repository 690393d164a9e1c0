# harmful: a function that is called again hands a freed graph to unseen code, which raises before its own backward.
import torch

watch = eval("lambda output: output.mean().backward(retain_graph=True)")
weight = torch.rand(3, requires_grad=True)
output = weight.sigmoid()


def step():
    watch(output)
    output.sum().backward()


step()
step()
