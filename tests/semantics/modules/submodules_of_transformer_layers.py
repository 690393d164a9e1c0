# A part of a layer holds the parameters of the layer.
import torch

layer = torch.nn.TransformerEncoderLayer(2, 1, 2)
layer.linear1.weight.grad = torch.ones_like(layer.linear1.weight)
for parameter in layer.parameters():
    reveal(parameter)
layer.self_attn.out_proj.bias.requires_grad_(False)
for parameter in layer.parameters():
    reveal(parameter)
attention = torch.nn.MultiheadAttention(2, 1)
reveal(attention.out_proj.weight, attention.in_proj_weight, attention.out_proj.bias)
attention.out_proj.weight.requires_grad_(False)
reveal(attention.out_proj.weight, attention.in_proj_weight, attention.out_proj.bias)
attention.out_proj.bias.sum().backward()
reveal(attention.out_proj.weight, attention.in_proj_weight, attention.out_proj.bias)
