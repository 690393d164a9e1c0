# `zip(*rows)` of rows that are not known one by one mixed what they hold first with what they hold second.
import torch

weight = torch.ones(2, requires_grad=True)
rows = []
for number in range(3):
    rows.append((torch.ones(2) * number, weight * number, number))
plain, scaled, numbers = zip(*rows, strict=True)
seen, kept = torch.stack(plain), torch.stack(scaled)
reveal(seen, kept)
firsts, seconds = map(torch.stack, zip(*[(torch.ones(2), weight * 2) for _ in rows], strict=True))
reveal(firsts, seconds)
(kept.sum() + seconds.sum()).backward()
