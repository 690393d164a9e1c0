"""A recorded write makes truth values require grad, and what converts nothing gives that very tensor."""

import torch

mask = torch.ones(2, 2, dtype=torch.bool)
value = torch.rand((), requires_grad=True)
written = torch.ones(2, 2, dtype=torch.bool).masked_fill_(mask, value)
same = written.to()
also = written.to(torch.bool)
cast = written.bool()
whole = written.contiguous()
like = written.type_as(mask)
apart = written.detach()
counted = written.to(torch.long)
