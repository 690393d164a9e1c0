# todo: what unseen code gives may be a module under a new name, with parameters: `parameters()` gives those as well.
from torch import nn

made = eval("lambda value: __import__('torch').nn.Linear(3, 3)")
model = nn.Linear(2, 1, bias=False)
model.extra = made(model)
for p in model.parameters():
    reveal(p)
