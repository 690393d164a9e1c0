# `any` and `all` of eight bits without a sign give such, of other whole numbers a truth value.
import torch

bytes_ = torch.rand(2, 2).byte()
longs = torch.rand(2, 2).long()
reveal(bytes_.any(), bytes_.all(1), longs.any(), torch.all(bytes_))
