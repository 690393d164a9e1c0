# todo: one tensor stands for all parameters of a module of unseen code: a backward of one fills the others as well.
import torch

same = eval("lambda one: one")
net = same(torch.nn.Linear(2, 1))
params = list(net.parameters())
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(3, 2)).mean().backward()
opt.step()
reveal(params[0])
params[1].sum().backward()
reveal(params[0])
