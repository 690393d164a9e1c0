"""Files that import each other: what one has so far is what the other finds."""

import first
import torch
from first import Leaf
from second import Branch, grown

leaf = Leaf(torch.ones(1, requires_grad=True))
reveal(leaf.value)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(Branch(leaf.value).doubled())  # Tensor[float, requires_grad=yes, leaf=no]
reveal(leaf.grow().value)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(grown(first.start).value)  # Tensor[float, requires_grad=no, leaf=yes]
