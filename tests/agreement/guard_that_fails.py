# todo: a pattern binds its names before its guard is asked, so they stay bound where the guard fails.
import torch


def guarded(each):
    match each:
        case torch.Tensor() as tensor if tensor.requires_grad:
            pass
        case other:
            pass
    reveal(tensor)


guarded(torch.ones(2, requires_grad=True))
guarded(torch.zeros(2))
