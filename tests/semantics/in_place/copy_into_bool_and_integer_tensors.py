# What is copied into truth values or whole numbers is not recorded; what is compared in place there is.
import torch

weight = torch.rand(2, requires_grad=True)
flags = torch.ones(2, dtype=torch.bool).copy_(weight)
reveal(flags)
counts = torch.ones(2, dtype=torch.int64)
counts[0] = weight[0]
reveal(counts)
compared = torch.ones(2, dtype=torch.bool).less_equal_(weight)
reveal(compared)
