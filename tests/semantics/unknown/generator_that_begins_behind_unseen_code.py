# todo: a generator is followed to its first yield where it is made, and not where it is first asked.
import torch

ask = eval("lambda one: one.requires_grad_()")
weight = torch.ones(3)


def squares(values):
    reveal(values[0].requires_grad)
    for value in values:
        yield value.square()


waiting = squares([weight])
ask(weight)
for square in waiting:
    print(square)
