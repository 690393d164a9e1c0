# What is taken between constant bounds was of no known size.
import torch

rows = torch.rand(2, 3, requires_grad=True)
reveal(rows[:, 1], rows[1:, None], rows[0, ::2], rows[..., -2:], rows[0, 1], rows[5:], rows[:1])
table = {(0, 1): rows[0:1, 0:1]}
reveal(table[0, 1])
rows[:, :2].backward()
