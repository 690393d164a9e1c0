# The fix took one of two clearings to where the optimizer steps, and the other still undid the accumulation.
import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for index, batch in enumerate(torch.eye(2).repeat(4, 1).split(1)):
    optimizer.zero_grad()
    model.zero_grad()
    loss = model(batch).mean() / 2
    loss.backward()
    if (index + 1) % 2 == 0:
        optimizer.step()
