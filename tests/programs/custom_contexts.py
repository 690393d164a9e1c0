"""Context managers of the program switch modes as torch's own do, and are left by `return` and by errors too."""

import contextlib

import torch

weight = torch.ones(3, requires_grad=True)


class Quiet:
    def __enter__(self):
        self.before = torch.is_grad_enabled()
        torch.set_grad_enabled(False)
        return self

    def __exit__(self, *error):
        torch.set_grad_enabled(self.before)


@contextlib.contextmanager
def frozen(tensor, *, thaw=True):
    tensor.requires_grad_(False)
    try:
        yield tensor
    finally:
        tensor.requires_grad_(thaw)


def product_when_frozen():
    with frozen(weight):
        return weight * 2


with Quiet():
    reveal(weight * 2)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(product_when_frozen())  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]
with frozen(weight) as held, torch.enable_grad():
    reveal(held * 2)  # Tensor[float, requires_grad=no, leaf=yes]
try:
    with frozen(weight):
        raise ValueError
except ValueError:
    # vague: the error may come before the manager is entered
    reveal(weight)  # Tensor[float, requires_grad=no|yes, leaf=yes]
for _ in range(2):
    with frozen(weight):
        break
reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]
with contextlib.ExitStack() as stack:
    stack.enter_context(torch.no_grad())
    reveal(weight * 2)  # Tensor[float, requires_grad=no, leaf=yes]
with contextlib.nullcontext():
    reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]
