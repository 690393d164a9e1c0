# A logical operation in place was taken for one that autograd records.
import copy

import torch

weight = torch.randn(2, 2, requires_grad=True)
mask = weight.logical_or_(weight)
reveal(weight, mask)
weight.logical_not_()
weight.logical_and_(torch.rand(2, 2, requires_grad=True))
twin = copy.deepcopy(weight)
reveal(weight, twin)
weight.requires_grad_(False)
reveal(weight)
result = torch.randn(2, 2, requires_grad=True) * 2
result.logical_xor_(result)
reveal(result)
