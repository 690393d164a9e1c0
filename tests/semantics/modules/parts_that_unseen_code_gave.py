# What unseen code gives in the place of a part is one: it is among the parts, in whatever state, and nothing else is.
import torch
from torch import nn

same = eval("lambda value: value")
other = eval("lambda value: __import__('torch').nn.Sequential(__import__('torch').nn.Linear(2, 2), value)")


class Net(nn.Module):
    def __init__(self, wrap):
        super().__init__()
        self.body = nn.Linear(2, 2)
        self.head = nn.Linear(2, 1)
        self.body = wrap(self.body)

    def forward(self, x):
        return self.head(self.body(x))


net = Net(other)
reveal(net.body, net.head)
for p in net.parameters():
    reveal(p)
for child in net.children():
    reveal(child)
net.requires_grad_(False)
reveal(net.head.weight)

for wrap in (same, other):
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    model[0] = wrap(model[0])
    for part in model:
        reveal(part)
    setattr(model, "1", same(model[1]))
    for _name, p in model.named_parameters():
        reveal(p)
    reveal(model[1])

frozen = nn.Linear(2, 1)
frozen.weight = same(frozen.weight)
frozen.weight.requires_grad_(False)
reveal(frozen.weight, frozen.bias)
sgd = torch.optim.SGD(frozen.parameters(), lr=0.1)
frozen(torch.ones(2)).sum().backward()
sgd.step()
reveal(frozen.weight, frozen.bias)

gone = nn.Linear(2, 1)
gone.bias = eval("lambda value: None")(gone.bias)
for p in gone.parameters():
    reveal(p)

known = nn.Linear(2, 1)
known.note = same(3)
for p in known.parameters():
    reveal(p)
reveal(p)

layers = nn.ModuleList()
for _ in range(3):
    layers.append(same(nn.Linear(2, 2)))
layers.insert(0, same(nn.Linear(2, 1)))
layers.extend([same(nn.ReLU()), nn.Linear(1, 2)])
for p in layers.parameters():
    reveal(p)
for layer in layers:
    reveal(layer)
stack = nn.Sequential(same(nn.Linear(2, 2)), nn.Linear(2, 1))
for p in stack.parameters():
    reveal(p)
stack(torch.ones(2)).sum().backward()
reveal(stack[1].weight, stack[0])

fixed = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
fixed.requires_grad_(False)
fixed[0] = same(fixed[0])
for p in fixed.parameters():
    reveal(p)
read = same(fixed)
read.eval()
for p in read.parameters():
    reveal(p)

criterion = eval("lambda value: value")
named = nn.Linear(2, 1)
for _ in range(2):
    named.weight = criterion(named.weight)
    reveal(named.weight, named.bias)
for p in named.parameters():
    reveal(p)
