# what unseen code gives may be what it was handed, which `set_` puts into other memory: a write to that is one to it.
import torch

same = eval("lambda one: one")

moved = torch.rand(2)
other = torch.rand(3)
same(moved).set_(other)
reveal(moved)
other.zero_()
reveal(moved)
