# An element of what an unseen module gives is the same tensor every time: its sum depends on it.
import torch

output = torch.nn.AdaptiveLogSoftmaxWithLoss(2, 4, [2])(torch.rand(2, 2), torch.tensor([0, 1]))
(gradient,) = torch.autograd.grad(output[0].sum(), [output[0]])
reveal(gradient)
