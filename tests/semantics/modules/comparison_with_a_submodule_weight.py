# What a part of a module holds may be a tensor, and so what a comparison with it gives.
import torch

loss = torch.nn.AdaptiveLogSoftmaxWithLoss(2, 4, [2])
positive = loss.head.weight > 0
reveal(positive, loss.head.weight == 1.0)
