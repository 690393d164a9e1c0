# An adaptive softmax was taken to give what nobody knows, where it gives an output for each target and their loss.
import torch
from torch import nn

adaptive = nn.AdaptiveLogSoftmaxWithLoss(2, 4, [2])
rows, target = torch.rand(3, 2), torch.tensor([0, 1, 1])
outcome = adaptive(rows, target)
reveal(outcome.output, outcome.loss)
output, loss = outcome
loss.backward()
for parameter in adaptive.parameters():
    reveal(parameter)
for parameter in adaptive.parameters():
    parameter.requires_grad_(False)
output, loss = adaptive(rows, target)
reveal(output, loss)
asked = rows.clone().requires_grad_()
output, loss = adaptive(asked, target)
reveal(output, loss)
adaptive.tail.requires_grad_(True)
output, loss = adaptive(rows, target)
reveal(output, loss)
output, loss = adaptive(rows[0], target[0])
reveal(output, loss)
adaptive(asked, target).output.backward()
