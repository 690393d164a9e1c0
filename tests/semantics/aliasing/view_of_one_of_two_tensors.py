# A view of one of two tensors, and what is written through it.
import random

import torch


def chance():
    return random.random() < 0.5


w = torch.rand(2, 2, requires_grad=True)
for _ in range(4):
    x, y = torch.rand(2, 2), torch.rand(2, 2)
    v = (x if chance() else y).view(-1)
    x.mul_(w)
    a, b, c = x * 1, y * 1, v * 1
    reveal(a, b, c)
    x, y = torch.rand(2, 2), torch.rand(2, 2)
    v = (x if chance() else y).view(-1)
    u = v[0]
    v.mul_(w.view(-1))
    a, b, c, d = x * 1, y * 1, v * 1, u * 1
    reveal(a, b, c, d)
    x = torch.rand(2, 2)
    v = x.reshape(-1) if chance() else x.t().reshape(-1)
    v.mul_(w.view(-1))
    a, b = x * 1, v * 1
    reveal(a, b)
    x = torch.rand(2, 2)
    v = x.t().contiguous()
    x.mul_(w)
    a, b = x * 1, v * 1
    reveal(a, b)
    x = torch.rand(2, 2)
    v = x if chance() else x[0]
    v.mul_(w[0])
    a, b = x * 1, v * 1
    reveal(a, b)
    lst = [w, w]
    q = lst if chance() else torch.rand(2, 2)
    q[0] = w[0].detach()
    a = lst[0] * 1
    reveal(a)
    d = {"a": w}
    e = d if chance() else None
    if e is not None:
        e["a"] = w.detach()
    f = d["a"] * 1
    reveal(f)
    g = d if chance() else {}
    g["a"] = w.detach()
    f = d["a"] * 1
    reveal(f)
    for h in ([w], [w, w]):
        h.append(w.detach())
        h[0] = w.detach()
    hs = [[w], [w, w]]
    for h in hs:
        h.append(w.detach())
        h[0] = w.detach()
    f, g = hs[0][0] * 1, hs[1][-1] * 1
    reveal(f, g)
    for h in hs:
        if chance():
            continue
        h[0] = w
    f = hs[0][0] * 1
    reveal(f)
    for h in hs:
        h[0] = w
        if chance():
            break
    f, g = hs[0][0] * 1, hs[1][0] * 1
    reveal(f, g)
