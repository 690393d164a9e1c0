# What is switched on twice is put back as it was both times.
import torch


def probe(x):
    torch.set_grad_enabled(False)
    torch.set_grad_enabled(True)
    torch.set_grad_enabled(True)
    return x


with torch.no_grad():
    probe(torch.ones(1, 2))
