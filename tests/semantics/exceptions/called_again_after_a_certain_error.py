# What is come to behind a line that raises, and once more on a path that does not, is told as the second finds it.
import torch


def step():
    theta = torch.ones(3, requires_grad=True)
    loss = (theta * 2 - 1).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        theta -= 0.1 * theta.grad


try:
    with torch.set_grad_enabled(False):
        step()
except Exception as error:
    print(error)
step()
