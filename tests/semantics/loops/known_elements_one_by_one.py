# A loop over few known objects was one pass for all of them: what it did to the one at hand was certain of none.
import torch
from torch import nn

taps = [torch.zeros(4) for _ in range(3)]
for tap in taps:
    tap.requires_grad_()
reveal(taps[0], taps[1], taps[2])
low, high = nn.Linear(2, 3), nn.Linear(3, 1)
for net in [low, high]:
    for p in net.parameters():
        p.requires_grad_(False)
reveal(low.weight, high.bias)
reveal(high(low(torch.ones(2, 2))))
layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip([2, 5, 3], [5, 3, 1], strict=True))
x = torch.ones(1, 2)
for layer in layers:
    x = layer(x)
    reveal(x)
for position, layer in enumerate(layers, 1):
    layer.requires_grad_(position != 2)
reveal(layers[0].weight, layers[1].weight, layers[2].bias)
made = []
for scale in (torch.ones(1), torch.ones(1, requires_grad=True), torch.ones(1)):
    made.append(scale * 2)
reveal(made[0], made[1], made[2])
made[1].backward()
reveal(made[2])
