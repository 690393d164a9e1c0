# what unseen code gives may be what it was handed, which `resize_` gives another size.
import torch

same = eval("lambda one: one")

grown = torch.rand(2)
given = same(grown)
given.resize_(4)
reveal(grown)
