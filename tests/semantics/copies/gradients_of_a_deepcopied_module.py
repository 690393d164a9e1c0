# Parameters are copied without their gradients.
import copy

import torch
from torch import nn

model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.randn(3, 2)).sum().backward()
optimizer.step()
copied = copy.deepcopy(model)
reveal(copied.bias)
