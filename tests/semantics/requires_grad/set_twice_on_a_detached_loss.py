# The second request has no effect, so the first one is what makes a loss a leaf; the second was blamed.
import torch
from torch import nn

model = nn.Linear(2, 1)
objective = model(torch.ones(3, 2)).mean().detach()
objective.requires_grad_()
objective.requires_grad = True
objective.backward()
objective.backward()
