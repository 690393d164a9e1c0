# What a generator that nobody calls is handed turns out to be a module in a function it calls.
import torch


def switched_off(module):
    for part in module.modules():
        part.training = False


def evaluated(module):
    switched_off(module)
    yield module
    switched_off(module)


net = torch.nn.Dropout()
switched_off(net)
reveal(net)
