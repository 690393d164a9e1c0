# What happens to one of several that are known together may not have happened to what another is viewed by.
import torch

start = torch.rand(2, 2)
weight = torch.rand(2, 2, requires_grad=True)
many = [each * 2 for each in [start, start]]
first, second = many[1][0], many[1][1]
many[0].requires_grad_()
reveal(many[0], many[1], first, second)

many = [each * 2 for each in [start, start]]
first, second = many[1][0], many[1][1]
asked = many[1].view_as(many[1])
asked.requires_grad_()
many[0].mul_(weight)
reveal(many[0], many[1], first, second, asked)
second.mul_(weight[0])
reveal(many[0], many[1], first, second, asked)
