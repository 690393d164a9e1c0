"""Factories make leaves of the kind their elements or their dtype say."""

import numpy
import torch

reveal(torch.zeros(3))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(torch.tensor(1))  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(torch.tensor([1, 2.5]))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(torch.tensor([True, False]))  # Tensor[bool, requires_grad=no, leaf=yes]
reveal(torch.tensor(1 + 2j))  # Tensor[complex, requires_grad=no, leaf=yes]
reveal(torch.arange(5))  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(torch.arange(0, 1, 0.1, requires_grad=True))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(torch.ones(2, dtype=torch.long))  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(torch.full((2,), 3))  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(torch.full((2,), 3.0, requires_grad=True))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(torch.randint(0, 9, (4,)))  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(torch.zeros_like(torch.ones(2, requires_grad=True)))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(torch.ones(2, requires_grad=True).new_zeros(2))  # Tensor[float, requires_grad=no, leaf=yes]
# vague: what NumPy makes is not followed
reveal(torch.from_numpy(numpy.zeros(3)))  # Tensor[?, requires_grad=no, leaf=yes]
reveal(torch.as_tensor([1.0, 2.0]))  # Tensor[float, requires_grad=no, leaf=yes]
