# A pattern binds its names before its guard is asked, so they stay bound where the guard fails.
import torch


def guarded(each):
    match each:
        case torch.Tensor() as tensor if tensor.requires_grad:
            pass
        case other:
            pass
    reveal(tensor)


for each in (torch.ones(2, requires_grad=True), torch.zeros(2)):
    guarded(each)
