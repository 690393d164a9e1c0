"""A package: what its `__init__` hands on, relative imports, stars with and without `__all__`."""

import shapes
import shapes.deep.inner as inner
import torch
from shapes import *
from shapes import deep, square
from shapes.deep import inner as same
from shapes.ready import *

reveal(square(torch.ones(1, requires_grad=True)))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(shapes.flat(torch.ones(1, requires_grad=True)))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(cube(torch.ones(1)))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(inner.start)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(same.start)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(deep.inner.start)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(shapes.deep.inner.start)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(shown)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(_hidden)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(shapes.train)  # function train
