# todo: the fix of one of two lines that are alike leaves the other, which the run still shows.
import torch.nn as nn

policy = nn.Linear(2, 2)
for weight in policy.parameters():
    weight.requires_gradient = False
policy.requires_grad = True
policy.requires_grad = True
