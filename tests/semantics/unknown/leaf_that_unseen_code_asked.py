# harmful: what a backward goes through is taken for a result of the graph; unseen code may have asked it for gradients.
import torch
from torch import nn

ask = eval("lambda value: value.requires_grad_()")
keep = eval("lambda value: None")
model = nn.Linear(2, 2)
for p in model.parameters():
    p.requires_grad = False
keep(model)
out = model(torch.ones(2, 2))
ask(out)
out.sum().backward()
reveal(out)
