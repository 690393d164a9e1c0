# What drops nothing gives its argument back: with a probability of 0, and outside of training.
import torch
import torch.nn.functional as F

weight = torch.ones(2, 2, requires_grad=True)
dropped = F.dropout(weight)
reveal(dropped)  # Tensor[float, requires_grad=yes, leaf=no]
dropped = F.dropout(weight, 0.3, True)
reveal(dropped)  # Tensor[float, requires_grad=yes, leaf=no]
dropped = F.dropout(weight, training=False)
reveal(dropped)  # Tensor[float, requires_grad=yes, leaf=yes]
dropped = F.dropout(weight, 0.0)
reveal(dropped)  # Tensor[float, requires_grad=yes, leaf=yes]
dropped = F.alpha_dropout(weight)
reveal(dropped)  # Tensor[float, requires_grad=yes, leaf=yes]
dropped = F.alpha_dropout(weight, 0.5, True)
reveal(dropped)  # Tensor[float, requires_grad=yes, leaf=no]
plain = torch.ones(2, 2)
same = F.dropout(plain, 0.0, True, True)
same.requires_grad_()
reveal(plain)  # Tensor[float, requires_grad=yes, leaf=yes]


def perhaps(training: bool):
    dropped = F.dropout(weight, 0.5, training)
    reveal(dropped)  # Tensor[float, requires_grad=yes, leaf=no|yes]
    return dropped


perhaps(len(plain) > 1)
