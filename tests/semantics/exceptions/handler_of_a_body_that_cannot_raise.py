# What certainly went well was taken to have been refused perhaps: what the handler does was told of what follows.
import torch

leaf = torch.randn(2, 2, requires_grad=True)
loss = leaf.square().sum()
try:
    loss.backward()
    print("went well")
except RuntimeError as error:
    leaf = None
    print(error)
reveal(leaf)

other = torch.randn(2, 2, requires_grad=True)
twice = (other * 2).mean()
for _ in range(2):
    try:
        twice.backward()
        reveal(other)
    except RuntimeError:
        other.grad = None
    reveal(other)

cut = torch.randn(2, 2)
try:
    cut.sum().backward()
    cut = None
except RuntimeError:
    reveal(cut)
reveal(cut)

hooked = torch.randn(2, 2, requires_grad=True)


def stops(gradient):
    raise RuntimeError("stopped")


hooked.register_hook(stops)
try:
    hooked.sum().backward()
except RuntimeError:
    reveal(hooked)
reveal(hooked)


class Leaving:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        reveal(trace)


try:
    moved = torch.rand(2, 2).double()
except RuntimeError as error:
    print(error)
with Leaving():
    reveal(moved)
