# What is remembered is the same object each time, with all that has become of it.
import functools

import torch


@functools.lru_cache
def cached(size):
    return torch.rand(size, requires_grad=True)


@functools.cache
def number(size):
    return size + 1


class Holder:
    @functools.cached_property
    def weight(self):
        return torch.rand(2, requires_grad=True)

    @property
    def other(self):
        return torch.rand(2, requires_grad=True)


cached(2).sum().backward()
reveal(cached(2), cached(3))
cached(2).requires_grad_(False)
reveal(cached(2))
holder = Holder()
holder.weight.sum().backward()
reveal(holder.weight)
holder.weight.requires_grad_(False)
reveal(holder.weight)
holder.other.requires_grad_(False)
reveal(holder.other)
reveal(torch.rand(number(1)))
