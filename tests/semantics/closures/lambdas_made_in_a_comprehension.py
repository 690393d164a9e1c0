"""Functions made in a comprehension see its variable as it is in the end; a name nobody binds may be anything."""

# ruff: noqa: B023

import torch

leaf = torch.rand(2, requires_grad=True)
plain = torch.rand(2)
scaled = [lambda value: value * factor for factor in (plain, leaf)]
first = scaled[0](plain)
factor = plain
again = scaled[1](plain)
named = {name: (lambda value: value * weight) for name, weight in {"a": plain, "b": leaf}.items()}
chosen = named["a"](plain)


def made():
    return [lambda: [one for _ in range(2)][0] for one in (plain, leaf)]


one = plain
given = made()[0]()
later = tuple((lambda: part) for part in (plain, leaf))
part = later[0]()
asked = [ask() for ask in ((lambda: each) for each in (plain, leaf))]
each = asked[0]
globals()["unseen"] = leaf
product = plain * unseen
