# Behind a line that torch refuses the path went on, and met the handler's as if both could be.
import torch

w = torch.ones(2, requires_grad=True)
y = w * 2
try:
    y.requires_grad = False
    first = w.exp()
except RuntimeError:
    first = w
try:
    y.requires_grad = True
    second = w.exp()
except RuntimeError:
    second = w
count = torch.tensor([1])
try:
    count.requires_grad_()
    third = w.exp()
except RuntimeError:
    third = w
reveal(first, second, third)
y.requires_grad_()
reveal(y)
