# Of two containers, one of which is changed, each may be as it was.
import random

import torch
import torch.nn as nn


def chance():
    return random.random() < 0.5


w = torch.rand(2, 2, requires_grad=True)
v = torch.rand(2, 2, requires_grad=True)
q = w.detach()


def two():
    return [w, v], [v, w]


a, b = two()
(a if chance() else b).insert(0, q)
a0, b0 = a[0], b[0]
reveal(a0, b0)
a, b = two()
(a if chance() else b).append(q)
a0, b0 = a[-1], b[-1]
reveal(a0, b0)
a, b = two()
(a if chance() else b).pop(0)
reveal(a[0], b[0], a[-1], b[-1])
a0, b0 = a[-1], b[-1]
reveal(a0, b0)
a, b = two()
(a if chance() else b).reverse()
reveal(a[0], b[0], a[-1], b[-1])
a, b = two()
(a if chance() else b).extend([q])
reveal(a[0], b[0], a[-1], b[-1])
a, b = two()
(a if chance() else b)[0:1] = [q]
reveal(a[0], b[0], a[-1], b[-1])
a, b = two()
c = a if chance() else b
c += [q]
reveal(a[0], b[0], a[-1], b[-1])
a, b = two()
del (a if chance() else b)[0]
reveal(a[0], b[0], a[-1], b[-1])
a, b = {"a": w}, {"a": v}
(a if chance() else b).update(a=q)
reveal(a["a"], b["a"])
a, b = {"a": w}, {"a": v}
(a if chance() else b).update({"a": q})
reveal(a["a"], b["a"])
a, b = {"a": w}, {"a": v}
(a if chance() else b).setdefault("b", q)
reveal(a["a"], b["a"])
a, b = {"a": w}, {"a": v}
(a if chance() else b).pop("a")
x = a.get("a", q), b.get("a", q)
reveal(x[0], x[1])
a, b = {"a": w}, {"a": v}
c = a if chance() else b
c |= {"a": q}
reveal(a["a"], b["a"])
a, b = nn.ModuleList([nn.Linear(2, 2)]), nn.ModuleList([nn.Linear(2, 2)])
(a if chance() else b)[0] = nn.Identity()
ya, yb = a[0](q), b[0](q)
reveal(ya, yb)
a, b = nn.ModuleDict({"a": nn.Linear(2, 2)}), nn.ModuleDict({"a": nn.Linear(2, 2)})
(a if chance() else b)["a"] = nn.Identity()
ya, yb = a["a"](q), b["a"](q)
reveal(ya, yb)
a, b = nn.Linear(2, 2), nn.Linear(2, 2)
(a if chance() else b).weight = nn.Parameter(torch.rand(2, 2), requires_grad=False)
reveal(a.weight, b.weight)
ya, yb = a.weight * 1, b.weight * 1
reveal(ya, yb)
a, b = nn.Linear(2, 2), nn.Linear(2, 2)
(a if chance() else b).requires_grad_(False)
reveal(a.weight, b.weight)
(a if chance() else b).weight.grad = torch.ones(2, 2)
reveal(a.weight, b.weight)
(a if chance() else b).eval()
(a if chance() else b).weight.data = torch.ones(2, 2)
reveal(a.weight, b.weight)
(a if chance() else b).register_buffer("z", torch.ones(2))
a, b = nn.ParameterList([nn.Parameter(w), nn.Parameter(v)]), nn.ParameterList([nn.Parameter(v)])
(a if chance() else b)[0] = nn.Parameter(q, requires_grad=False)
ya, yb = a[0] * 1, b[0] * 1
reveal(ya, yb)
(a if chance() else b).append(nn.Parameter(q, requires_grad=False))
ya, yb = a[-1] * 1, b[-1] * 1
reveal(ya, yb)
a, b = nn.Sequential(nn.Linear(2, 2)), nn.Sequential(nn.Linear(2, 2))
(a if chance() else b).append(nn.Flatten())
(a if chance() else b)[0].weight.requires_grad = False
ya, yb = a[0].weight * 1, b[0].weight * 1
reveal(ya, yb)
x, y = torch.rand(2, 2), torch.rand(2, 2)
(x if chance() else y)[0] = w[0]
reveal(x, y)
x, y = torch.rand(2, 2), torch.rand(2, 2)
(x if chance() else y).view(-1)[0] = w[0, 0]
reveal(x, y)
x, y = torch.rand(2, 2), torch.rand(2, 2)
(x if chance() else y).view(2, 2).mul_(w)
reveal(x, y)
x, y = torch.rand(2, 2), torch.rand(2, 2)
z = x if chance() else y
z += w
reveal(x, y)
x, y = torch.rand(2, 2), torch.rand(2, 2)
(x if chance() else y).requires_grad_()
reveal(x, y)
x, y = x * 1, y * 1
reveal(x, y)
x, y = torch.rand(2, 2), torch.rand(2, 2)
(x if chance() else y).t().requires_grad_()
reveal(x, y)
x, y = w * 2, v * 2
(x if chance() else y).retain_grad()
reveal(x, y)
x, y = w * 2, v * 2
(x if chance() else y).detach_()
reveal(x, y)
x, y = w * 2, v * 2
(x if chance() else y).sum().backward()
reveal(x, y)
x, y = torch.rand(2, 2), torch.rand(2, 2)
torch.add(w.detach(), 1, out=x if chance() else y)
reveal(x, y)
o1, o2 = torch.optim.SGD([w], lr=0.1), torch.optim.SGD([v], lr=0.1)
(o1 if chance() else o2).zero_grad()
reveal(w, v)
(w * v).sum().backward()
reveal(w, v)
(o1 if chance() else o2).zero_grad()
reveal(w, v)
(w * v).sum().backward()
reveal(w, v)
(o1 if chance() else o2).step()
reveal(w, v)
(o1 if chance() else o2).add_param_group({"params": [torch.rand(2, requires_grad=True)]})
reveal(w, v)
it1, it2 = iter([w, q]), iter([q, w])
n1 = next(it1 if chance() else it2)
n2 = next(it1)
n3 = next(it2, q)
reveal(n1, n2, n3)


class P:
    pass


a, b = P(), P()
a.x, b.x = w, v
(a if chance() else b).x = q
ya, yb = a.x, b.x
reveal(ya, yb)
a.y, b.y = [w], [v]
(a if chance() else b).y[0] = q
ya, yb = a.y[0], b.y[0]
reveal(ya, yb)
(a if chance() else b).y.append(q)
ya, yb = a.y[-1], b.y[-1]
reveal(ya, yb)
del (a if chance() else b).x
