from torch import nn

net = nn.Linear(2, 2)
steps = 0


def use(x):
    return net(x)


def count():
    global steps
    steps = 1


def get():
    return steps
