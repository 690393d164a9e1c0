"""An optimizer that is given one of the parameters that only one handle stands for uses the gradient of that one."""

import torch

layer = torch.nn.TransformerDecoderLayer(2, 1, 2)
for _ in range(2):
    optimizer = torch.optim.SGD([layer.linear1.weight], lr=0.1)
    optimizer.step()
    print(layer.linear1.bias)
    layer.linear1.bias.sum().backward()
optimizer.zero_grad()
print(layer.linear1.bias)
