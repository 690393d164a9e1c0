# harmful: what is likely decides no branch and is no value: whatever unseen code does, what is certain holds.
import torch
from torch import nn

ask = eval("lambda one: one.requires_grad_()")
freeze_all = eval("lambda one: [p.requires_grad_(False) for p in one.parameters()]")
plain = torch.ones(2)
ask(plain)
if plain.requires_grad:
    made = plain * 2
else:
    made = torch.ones(1)
reveal(made, plain)
net = nn.Linear(2, 2)
handle = freeze_all
handle(net)
if net.weight.requires_grad:
    out = net(torch.ones(2)).sum()
else:
    out = torch.ones(1, requires_grad=True)
reveal(out, net.weight)
asked = torch.ones(2, requires_grad=True)
stop = eval("lambda one: one.requires_grad_(False)")
stop(asked)
copied = asked.clone()
copied.requires_grad_()
(copied * 2).sum().backward()
gradient = copied.grad
reveal(gradient, copied)
leaf = torch.ones(2, requires_grad=True)
fill = eval("lambda one: setattr(one, 'grad', torch.zeros(2))", {"torch": torch})
fill(leaf)
if leaf.grad is None:
    held = torch.ones(1)
else:
    held = torch.ones(2)
reveal(held, leaf)
loss = torch.ones(1)
ask(loss)
if loss.requires_grad:
    loss.backward()
reveal(loss)
