# A differentiable optimizer records its steps, and takes what is no leaf.
import random

import torch

start = torch.rand(2, requires_grad=True)
weight = start.clone()
weight.retain_grad()
steps = torch.optim.SGD([weight], lr=0.1, differentiable=True)
(weight * 2).sum().backward(retain_graph=True)
steps.step()
after = weight * 3
after.sum().backward()
first = start.grad
steps.zero_grad()

plain = torch.rand(2)
plain.grad = torch.rand(2)
rate = torch.tensor(0.1, requires_grad=True)
learned = torch.optim.SGD([plain], lr=rate, differentiable=True)
with torch.no_grad():
    learned.step()
done = plain * 2
done.sum().backward()
told = rate.grad

whole = torch.rand(2, requires_grad=True)
kept = torch.optim.SGD([whole], lr=0.1, differentiable=False)
whole.sum().backward()
kept.step()

chosen = random.random() < 2
pushed = torch.rand(2)
pushed.grad = torch.rand(2)
other = torch.optim.SGD([pushed], lr=torch.tensor(0.1, requires_grad=True), differentiable=chosen)
other.step()
moved = pushed * 2
leaf = torch.rand(2, requires_grad=True)
computed = leaf * 2
computed.retain_grad()
computed.sum().backward(retain_graph=True)
third = torch.optim.SGD([computed], lr=0.1, differentiable=chosen)
third.step()
more = computed * 2
