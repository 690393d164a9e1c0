# Groups of which nobody knows how many there are hold tensors that the step uses, and `param_groups` may list several.
import random

import torch

w, v, u = (torch.zeros(2, requires_grad=True) for _ in range(3))
groups = [{"params": [u]}]
for each in [w, v]:
    if random.random() < 0.5:
        groups.append({"params": [each]})
optimizer = torch.optim.SGD(groups, lr=0.1)
(w + v + u).sum().backward()
optimizer.step()
reveal(w, v, u)
count = 0
for _group in optimizer.param_groups:
    count += 1
reveal(count)

held = {name: torch.zeros(2, 2) for name in ("w", "b")}
for name in sorted(held):
    held[name].requires_grad_(name.startswith("w"))
optimizer = torch.optim.SGD([{"params": [each]} for each in held.values() if each.requires_grad], lr=0.1)
(held["w"] + held["b"]).sum().backward()
optimizer.step()
reveal(held["w"], held["b"])
