# todo: of what nobody knows `resize_` and `set_` are methods like others, which leave the size of what was handed over.
import torch

same = eval("lambda one: one")

grown = torch.rand(2)
given = same(grown)
given.resize_(4)
reveal(grown)
