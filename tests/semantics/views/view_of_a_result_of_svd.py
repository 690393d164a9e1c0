# A view made without graph of what views hidden memory itself does not require grad when that does.
import torch

weight = torch.rand(2, 2, requires_grad=True)
with torch.no_grad():
    _, _, part = torch.svd(weight)
    view = torch.as_strided(part, (2,), (1,))
    row = part[0]
part.requires_grad_()
reveal(part, view, row)
