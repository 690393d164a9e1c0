# Asked for the bias alone, autograd frees nothing that the weights of a layer need: it is added by another operation.
import torch

layer = torch.nn.Bilinear(2, 2, 2)
out = layer(torch.rand(2, 2), torch.rand(2, 2))
torch.autograd.grad((layer.bias * out).sum(), layer.bias)
out.sum().backward()
