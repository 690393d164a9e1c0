"""Arithmetic gives the wider kind of its operands; division gives floats, comparison gives booleans."""

import torch

whole = torch.arange(3)
real = torch.rand(3, requires_grad=True)
flags = whole > 1

reveal(flags)  # Tensor[bool, requires_grad=no, leaf=yes]
reveal(whole + 1)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(whole + 1.5)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(whole / 2)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(whole // 2)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(flags + flags)  # Tensor[bool, requires_grad=no, leaf=yes]
reveal(flags * whole)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(2 * real + whole)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(1 / real)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(real > 0.5)  # Tensor[bool, requires_grad=no, leaf=yes]
reveal(real * 1j)  # Tensor[complex, requires_grad=yes, leaf=no]
reveal(-real)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(whole**2)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(real**2)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(~flags & flags)  # Tensor[bool, requires_grad=no, leaf=yes]
