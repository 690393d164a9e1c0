"""What one of several values does not have is asked of the others: a list has no `dim`, or the line raises."""

import os

import torch

weight = torch.ones(3, requires_grad=True)
result = weight * 2
either = result if os.environ.get("FIRST", "yes") else (result, result)
reveal(either.dim())  # number[integer]
reveal(either.exp())  # Tensor[float, requires_grad=yes, leaf=no]
listed = [result]
listed = listed[0] if os.environ.get("FIRST", "yes") else listed
reveal(listed.sum())  # Tensor[float, requires_grad=yes, leaf=no]
named = {"a": result} if not os.environ.get("FIRST", "yes") else result
reveal(named.detach())  # Tensor[float, requires_grad=no, leaf=yes]
total = result.sum()
state = (total, total)
first = isinstance(state, tuple) and state[0] or state
reveal(first.cos())  # Tensor[float, requires_grad=yes, leaf=no]
