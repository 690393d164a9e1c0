# A tensor that is set to another's memory is written with that as an operand, and refused if it is a leaf that learns.
import torch

weight = torch.ones(2, 2, requires_grad=True)
plain = torch.ones(1)
plain.set_(weight)
reveal(plain)
leaf = torch.ones(2, requires_grad=True)
try:
    leaf.set_(weight)
    print("went well")
except RuntimeError as error:
    print(error)
with torch.no_grad():
    leaf.set_(weight)
    other = torch.ones(1).set_(weight)
reveal(leaf, other)
made = torch.ones(1).set_(weight * 2)
reveal(made)
base = torch.ones(3)
view = base[:2]
view.set_(weight)
reveal(view, base)
