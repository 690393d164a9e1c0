# What an unseen module gives may be a tuple: its element is the same tensor every time it is asked for.
import torch

output = torch.nn.AdaptiveLogSoftmaxWithLoss(2, 4, [2])(torch.rand(2, 2), torch.tensor([0, 1]))
output[1].retain_grad()
reveal(output[1])
