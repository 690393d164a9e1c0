# A list of one that a caller makes for a function has no second element, whose graph would be freed by then.
import torch


def run(losses):
    for loss in losses:
        loss.backward()


w = torch.rand(2, requires_grad=True)
run([w.exp().sum()])
run([w.exp().sum()])


def of_several(losses):
    for loss in losses:
        loss.backward()


same = w.exp().sum()
of_several([same, same])
