"""`requires_grad` is asked of leaves by a factory, by assignment and by `requires_grad_()`, which gives its owner."""

import torch

by_assignment = torch.zeros(2)
reveal(by_assignment)  # Tensor[float, requires_grad=no, leaf=yes]
by_assignment.requires_grad = True
reveal(by_assignment)  # Tensor[float, requires_grad=yes, leaf=yes]
by_method = torch.zeros(2).requires_grad_()
reveal(by_method)  # Tensor[float, requires_grad=yes, leaf=yes]
same = by_method.requires_grad_(False)
reveal(same)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(by_method)  # Tensor[float, requires_grad=no, leaf=yes]

wanted = bool(len("yes"))
by_value = torch.zeros(2, requires_grad=wanted)
# vague: the condition is a value that gradlint does not compute
reveal(by_value)  # Tensor[float, requires_grad=?, leaf=yes]
by_value.requires_grad_(False)
reveal(by_value)  # Tensor[float, requires_grad=no, leaf=yes]

product = torch.ones(2, requires_grad=True) * 2
product.requires_grad_()
reveal(product)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(product.requires_grad)  # True
reveal(product.is_leaf)  # False
reveal(by_value.requires_grad)  # False


def one_of_two(choice):
    left, right = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    chosen = left if choice else right
    chosen.requires_grad = False
    reveal(left)  # Tensor[float, requires_grad=no|yes, leaf=yes]
    reveal(right)  # Tensor[float, requires_grad=no|yes, leaf=yes]


one_of_two(True)
one_of_two(False)


def of_unseen_callers(x, y):
    x.requires_grad_()
    reveal(x)  # Tensor[?, requires_grad=yes, leaf=?]
    reveal(x.exp())  # Tensor[?, requires_grad=yes, leaf=no]
    if y.dim() > 1:
        y.requires_grad = True
    reveal(y)  # Tensor[?, requires_grad=yes|?, leaf=?]
    with torch.no_grad():
        part = x[:1]
    part.requires_grad_()
    reveal(part)  # Tensor[?, requires_grad=yes, leaf=yes]


for asked in (torch.ones(2), torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True) * 2):
    globals()["of_unseen_callers"](asked, asked.detach())
    globals()["of_unseen_callers"](asked, asked.detach().unsqueeze(0))
