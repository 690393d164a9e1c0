# What takes the place of a part of a module is one itself, though nobody knows it: `parameters()` gives more.
from torch import nn

wrapped = eval("lambda value: value")
model = nn.Linear(2, 1)
model.bias = wrapped(model.bias)
for p in model.parameters():
    reveal(p)
    z = p.sum()
reveal(p)

model = nn.Linear(2, 1)
model.weight = wrapped(model.weight)
for p in model.parameters():
    reveal(p)
    z = p.sum()
