# There are many ways to clear a gradient; what goes on from what is there clears none.
import torch


def trained():
    made = torch.rand(2, 2, requires_grad=True)
    made.exp().sum().backward()
    return made


data, detached, viewed, filled, scaled, copied = (trained() for _ in range(6))
data.grad.data.zero_()
detached.grad.detach().zero_()
viewed.grad.view(-1).zero_()
filled.grad.fill_(0)
scaled.grad *= 0
copied.grad.copy_(torch.zeros(2, 2))
reveal(data, detached, viewed, filled, scaled, copied)
exchanged, arrayed, initialised, deleted, masked, part = (trained() for _ in range(6))
exchanged.grad.data = torch.zeros(2, 2)
arrayed.grad.numpy()[:] = 0
torch.nn.init.zeros_(initialised.grad)
del deleted.grad
masked.grad.masked_fill_(masked.grad > 0, 0)
part.grad[:] = 0
reveal(exchanged, arrayed, initialised, deleted, masked, part)
halved, added = trained(), trained()
halved.grad *= 0.5
added.grad.add_(added.detach())
reveal(halved, added)
