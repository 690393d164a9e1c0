# an element of what unseen code gives may be the tensor in the tuple that it was handed.
import torch

same = eval("lambda one: one")


def widen(kept, like):
    for one in same(kept):
        one.resize_as_(like)
    reveal(kept[0])


widen((torch.rand(2),), torch.rand(2, 3))
