# harmful: a tensor, its base and its views that are written with what unseen code had are as doubtful as that.
import torch

stop = eval("lambda one: one.requires_grad_(False)")
ask = eval("lambda one: one.requires_grad_()")
weight, plain = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)
stop(weight)
ask(plain)

alone = torch.zeros(2, 2)
alone.mul_(weight)
reveal(alone)
base = torch.zeros(2, 2)
row, other = base[0], base.view(-1)
row += weight[0]
reveal(base, row, other)
filled = torch.zeros(2, 2)
filled[0] = weight[1]
reveal(filled)
written = torch.zeros(2, 2)
written.add_(plain)
reveal(written)
several = torch.ones(2, 2)
several.addcmul_(torch.ones(2, 2), weight)
reveal(several)
quiet = torch.ones(2, 2)
with torch.no_grad():
    quiet.add_(plain)
reveal(quiet)
made = torch.ones(2, 2, requires_grad=True).exp()
made.mul_(weight)
reveal(made)
