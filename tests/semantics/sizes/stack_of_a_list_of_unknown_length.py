# What is stacked of a list whose length nobody knows is not as large as if it held the one that is seen.
import torch

rows = torch.rand(3, 2, requires_grad=True)
reveal(torch.stack([row for row in rows]))
reveal(torch.stack(list(rows)))
reveal(torch.cat([row[None] for row in rows]))
turned = rows.permute(1, 0)
reveal(turned)
