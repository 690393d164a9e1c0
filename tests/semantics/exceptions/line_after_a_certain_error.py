# What torch refuses of a line ends its path: the line behind it was never come by with gradients off.
import torch


def train():
    weight = torch.randn(3, requires_grad=True)
    hidden = weight * 2
    hidden.retain_grad()
    hidden.sum().backward()


try:
    with torch.no_grad():
        train()
except Exception as error:
    print(error)
train()
