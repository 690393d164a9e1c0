# What a tuple of results calls its parts was taken for methods of it.
import torch

rows = torch.rand(2, 3, requires_grad=True)
most = rows.max(dim=1)
reveal(most.values, most.indices, most[0])
reveal(torch.linalg.svd(rows).S, rows.sort().values, torch.linalg.inv_ex(rows[:, :2]).inverse)
with torch.no_grad():
    reveal(rows.median(0).values)
kept = rows.topk(2).values
kept.detach_()
reveal(kept)
(count,) = [len(most)]
most.values.backward()
