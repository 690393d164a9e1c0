# Unseen code that may have written a saved value makes GRD504 say that the line raises.
import torch
from torch import nn

backbone, head = nn.Linear(2, 2), nn.Linear(2, 1)
wrap = eval("lambda value: value")
second = torch.optim.SGD(head.parameters(), lr=0.1)
for _ in range(2):
    y = backbone(torch.ones(3, 2))
    loss = head(y.detach()).mean()
    wrap(y)
    y.sum().backward()
    loss.backward(retain_graph=True)
    second.step()
