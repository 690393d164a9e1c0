# torch warns of the first of two early steps of a scheduler, and both are early.
import torch
from torch import nn

policy = nn.Linear(2, 1)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
for _ in range(3):
    scheduler.step()
    scheduler.step()
    optimizer.step()
