# Autograd does not record views of an inference tensor, so no gradient arrives at a weight that is transposed.
import torch

with torch.inference_mode():
    layer = torch.nn.Linear(2, 1)
layer(torch.ones(1, 2)).sum().backward()
reveal(layer.weight)
