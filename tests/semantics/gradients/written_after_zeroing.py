# What was cleared and then written is there again; what a multiplication leaves of zeros is not.
import torch


def trained():
    made = torch.randn(2, 2, requires_grad=True)
    made.sigmoid().sum().backward()
    made.grad.zero_()
    return made


filled, viewed, grown, scaled, given = trained(), trained(), trained(), trained(), trained()
reveal(filled)
filled.grad.fill_(1)
view = viewed.grad.view(-1)
view.fill_(1)
grown.grad += 1
scaled.grad.mul_(2.0)
given.grad = torch.rand(2, 2)
reveal(filled, viewed, grown, scaled, given)
optimizer = torch.optim.SGD([filled, viewed, grown, given], lr=0.1)
optimizer.zero_grad(set_to_none=False)
reveal(filled, viewed, grown, scaled, given)
given.grad.copy_(torch.ones(2, 2))
filled.grad.copy_(torch.ones(2, 2))
reveal(filled, viewed, grown, scaled, given)
optimizer.step()
reveal(filled, viewed, grown, scaled, given)

# The same where the memory is written behind torch, or is exchanged.
arrayed, exchanged, put, parted = trained(), trained(), trained(), trained()
arrayed.grad.numpy()[:] = 1
exchanged.grad.data = torch.ones(2, 2)
put.grad.set_(torch.ones(2, 2))
torch.nn.utils.vector_to_parameters(torch.ones(4), [parted.grad])
reveal(arrayed, exchanged, put, parted)
