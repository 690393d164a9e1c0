# What unseen code gives may be the tensor it was handed: other memory that is given to the one is that of the other.
import torch

same = eval("lambda one: one")


def replaced(value):
    value = same(value)
    value.data = torch.rand(2, 2)


one = torch.DoubleTensor([1])
replaced(one)
reveal(one)

apart = torch.rand(2)
other = same(torch.rand(2))
other.data = torch.rand(3)
reveal(apart)
