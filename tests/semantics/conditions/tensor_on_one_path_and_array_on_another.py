# What torch refuses of a tensor is not refused of an array that may stand in its place.
import torch

a = torch.ones(2, requires_grad=True)
h = a * 2
try:
    v = h.view(2)
    h = h.detach().numpy() if v.sum() > 0 else h
except Exception as error:
    print(error)
try:
    h = torch.as_tensor(h) if a.grad is not None else h
    print("went well")
except RuntimeError as error:
    print(error)
try:
    h = (h * 2) if a.grad is None else h
    print(h)
except Exception as error:
    print(error)
try:
    h = h.numpy()
    print(h)
except Exception as error:
    print(error)
w = torch.ones(2, requires_grad=True)
one = w.detach()
try:
    one = w * 1
    one = one.numpy()
except Exception as error:
    print(error)
try:
    one = torch.autograd.grad(w.sum(), w)[0]
except Exception as error:
    print(error)
try:
    one = one.numpy()
except Exception as error:
    print(error)
