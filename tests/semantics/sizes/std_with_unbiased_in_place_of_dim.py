# `True` in the place of `dim` says that a deviation is unbiased; it was taken for the second dimension.
import torch

rows = torch.rand(2, 3, requires_grad=True)
for_all, mean = torch.std_mean(rows, True)
reveal(for_all, mean)
reveal(*torch.var_mean(rows, 0))
reveal(rows.std(True), rows.var(0), torch.std(rows, 1, keepdim=True))
reveal(*torch.aminmax(rows), *torch.aminmax(rows, dim=0))
