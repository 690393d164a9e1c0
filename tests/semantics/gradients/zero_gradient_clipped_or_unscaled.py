# A gradient that is zero by nature was taken for cleared where it was clipped or unscaled.
import torch
import torch.nn as nn

layer = nn.Linear(2, 4)
with torch.no_grad():
    layer.bias.fill_(-100.0)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
for _step in range(3):
    loss = layer(torch.ones(4, 2)).relu().mean()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    reveal(layer.weight)
    nn.utils.clip_grad_value_(layer.parameters(), 1.0)
    reveal(layer.weight)
    nn.utils.clip_grad_norm_([layer.weight, layer.bias], 1.0)
    scaler.step(optimizer)
    scaler.update()
    reveal(layer.weight)
    optimizer.zero_grad()
    reveal(layer.weight)
