# todo: a loop that runs twice takes one branch and then the other; the write would be refused in a third round alone.
import torch

values = torch.rand(2, 2)
scores = torch.rand(2, 2)
rounds = 0
while rounds < 2:
    rounds += 1
    if scores.requires_grad:
        scores.requires_grad_(False)
    elif torch.is_grad_enabled():
        reveal(values.exp_())
        values.requires_grad = True
        scores.requires_grad_()
