# `x.dtype` and `x.is_floating_point()` told nothing, and a cast to what a tensor is was not known to be the tensor.
import copy
import random

import torch
import torch.nn as nn

first = torch.rand(2, 2, requires_grad=True)
half = first.type(torch.float16 if torch.rand(2).is_floating_point() else torch.rand(2).dtype)
whole = first.to(torch.float32 if torch.is_complex(torch.rand(2)) else torch.ones(2).dtype)
reveal(half, whole, first.to(half.dtype), half.to(first.dtype), first.to(half), half.to(first))
reveal(first.to(torch.float32, copy=True), first.to(torch.float32, False, True), first.type(torch.float32))
reveal(first.to("cpu", torch.float32), first.to("cpu"), first.to(dtype=torch.float64), first.to(torch.rand(2)))
try:
    copy.deepcopy(half)
    print("went well")
except RuntimeError:
    print("refused")

whole_numbers = torch.arange(4)
reveal(whole_numbers.to(torch.float32), first.to(whole_numbers.dtype), whole_numbers.is_floating_point())
layer = nn.Linear(2, 2)
if random.random() < 0.5:
    layer.double()
reveal(layer.weight.to(torch.float32), layer.weight.dtype, first.to(layer.weight.dtype), layer.weight.to(first.dtype))
pictures = torch.rand(2, 3, 4, 5, requires_grad=True)
reveal(pictures.to(torch.float32, memory_format=torch.channels_last))
reveal(first.softmax(-1, dtype=torch.float32), first.sum(dtype=first.dtype), first.dtype == torch.float32)
if first.dtype != torch.float32:
    first = torch.arange(2)
reveal(first)
