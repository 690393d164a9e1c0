# The flag of a module is spelled right, and that is another mistake than a misspelled one.
import torch.nn as nn

policy = nn.Linear(2, 2)
for weight in policy.parameters():
    weight.requires_gradient = False
policy.requires_grad = True
policy.requires_grad = True
