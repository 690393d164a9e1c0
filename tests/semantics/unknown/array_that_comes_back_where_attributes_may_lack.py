# what is asked of a thing where a handler waits for it to lack that does not show what unseen code gave.
import numpy
import torch

same = eval("lambda one: one")


def plain(given):
    values = same(given)
    reveal(values)
    try:
        return values.detach().cpu()
    except (TypeError, AttributeError):
        return torch.from_numpy(values)


plain(numpy.zeros(2))
