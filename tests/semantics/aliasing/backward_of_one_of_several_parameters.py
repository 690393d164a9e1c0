# A backward through one of several parameters that one handle stands for fills that one.
import torch

adaptive = torch.nn.AdaptiveLogSoftmaxWithLoss(2, 4, [2])
weights = list(adaptive.parameters())
weights[0].sum().backward()
reveal(weights[0], weights[2])
layer = torch.nn.TransformerDecoderLayer(2, 1, 2)
layer.linear1.bias.backward(torch.ones_like(layer.linear1.bias))
reveal(layer.linear1.weight, layer.linear1.bias)
