# A final block is come by with what a write leaves that may be refused, and with what any error leaves.
import random

import torch

loss = torch.nn.BCEWithLogitsLoss()(torch.rand(2, 2), torch.rand(2, 2))
while random.random() < 0.4:
    loss.requires_grad = True
try:
    loss += 1.0
finally:
    reveal(loss)
