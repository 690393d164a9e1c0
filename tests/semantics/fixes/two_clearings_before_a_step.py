# Of two clearings between a backward and a step the fix took the last away, and the first still threw all away.
import torch
import torch.nn as nn

policy = nn.Linear(2, 1)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
loss = policy(torch.ones(2, 2)).mean()
loss.backward()
optimizer.zero_grad()
optimizer.zero_grad()
optimizer.step()
