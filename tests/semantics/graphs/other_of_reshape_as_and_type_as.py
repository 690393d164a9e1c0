# What only lends its shape is no part of the graph.
import torch

asked = torch.ones(2, 2, dtype=torch.long).cfloat()[[0, 1]]
asked.requires_grad = True
other = torch.randn(2, 2, requires_grad=True)
shaped = other.reshape_as(asked.conj_physical())
typed = other.type_as(asked.exp().real)
(shaped.sum() + typed.sum()).backward()
reveal(asked, other, shaped)
