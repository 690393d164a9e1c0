"""A `with` in a `finally`, which every way out runs: by continue, by return, and by an error that it raises itself."""

import torch

lock = torch.no_grad()


def first_that_requires_grad(tensors, free):
    for tensor in tensors:
        try:
            if not tensor.requires_grad:
                continue
            return tensor * 2
        finally:
            if free is not None:
                if tensor is free:
                    raise RuntimeError("freed")
                with lock:
                    tensor.add_(1)
    return None


weight = torch.ones(2, requires_grad=True)
found = first_that_requires_grad([torch.zeros(2), weight], None)
reveal(found)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]

other = first_that_requires_grad([torch.zeros(2), weight], torch.zeros(1))
reveal(other)  # Tensor[float, requires_grad=yes, leaf=no]

try:
    first_that_requires_grad([weight], weight)
except RuntimeError:
    reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]
