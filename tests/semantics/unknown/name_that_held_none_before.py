# what the uses of a name show before it is bound anew is taken for what unseen code gives it then: None for None.
import torch

same = eval("lambda one: one")


def done(value):
    value.detach()
    value = None
    value = same(value)
    reveal(value)


done(torch.rand(2))
