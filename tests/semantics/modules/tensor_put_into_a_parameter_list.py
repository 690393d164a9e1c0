# What is put into a list of parameters becomes one; it was told as if the list refused it.
import torch
from torch import nn

held = nn.ParameterList([nn.Parameter(torch.ones(2))])
held[0] = held[0] * 2
reveal(held[0])
named = nn.ParameterDict({"scale": nn.Parameter(torch.ones(2))})
named["scale"] = named["scale"].exp()
reveal(named["scale"])
held[0].sum().backward()
reveal(held[0])
