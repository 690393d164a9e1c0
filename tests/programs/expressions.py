"""Conditional, boolean and chained expressions, lambdas, f-strings and slices give what their parts give."""

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)


def chosen(flag):
    reveal(weight if flag else plain)  # Tensor[float, requires_grad=no|yes, leaf=yes]
    # vague: a tensor or a number is shown as unknown
    reveal(flag and weight)  # unknown
    reveal(None or weight)  # Tensor[float, requires_grad=yes, leaf=yes]
    reveal((plain, weight)[flag])  # Tensor[float, requires_grad=no|yes, leaf=yes]
    reveal({True: weight, False: plain}[flag])  # Tensor[float, requires_grad=no|yes, leaf=yes]


chosen(True)
chosen(False)
reveal((weight > 0) & (plain < 1))  # Tensor[bool, requires_grad=no, leaf=yes]
reveal(weight[..., None, :2])  # Tensor[float, requires_grad=yes, leaf=no]
reveal(weight[[0, 1]])  # Tensor[float, requires_grad=yes, leaf=no]
reveal(weight[weight > 0])  # Tensor[float, requires_grad=yes, leaf=no]
reveal(1 < 2 < 3)  # number[bool]
reveal(not weight.requires_grad)  # False
reveal((lambda x, scale=weight: x * scale)(plain))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(len([weight]))  # 1
text = f"{weight.sum().item():.{2}f} {[t for t in (weight,)]!r}"
reveal(weight @ weight)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(-weight if weight.requires_grad else plain)  # Tensor[float, requires_grad=yes, leaf=no]
