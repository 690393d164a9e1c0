"""A parameter may stand in an optimizer only once.

## Why it happens

`model.parameters()` runs over everything inside `model`, its head included. A group of its own for the
head, next to one for the whole model, names the head's parameters a second time, and so does a list
put together from a model and one of its parts. The optimizer could not tell which learning rate is
meant. (A weight that is shared by two layers is no such case: within one `parameters()` it is given
once.)

## What it costs

In two groups: the constructor raises `ValueError`. Twice in one group: a warning that this will be an
error, and each step moves the parameter twice.

## When it is right to ignore it

Never known to be.
"""

from __future__ import annotations

from gradlint.events import OptimizerBuilt
from gradlint.rule import Findings, Raises, Rule, Warns

rule = Rule(
    "GRD714",
    "duplicate-optimizer-parameter",
    "the optimizer is given {count} more than once",
    help="leave the parameters of the part out of those of the whole",
    tokens=("optim",),
)
consequence = Raises(ValueError, "some parameters appear in more than one parameter group")
IN_ONE_GROUP = Warns("optimizer contains a parameter group with duplicate parameters")


@rule.on(OptimizerBuilt)
def check(event: OptimizerBuilt) -> Findings:
    found = event.in_two_groups or event.duplicated
    if found:
        count = f"{len(found)} parameters" if len(found) > 1 else "a parameter"
        draft = rule.at(event.node, count=count).marked(found[0].causes, made="one of them is made here")
        yield draft if event.in_two_groups else draft.doing("wrong result")


@rule.bad
def group_for_the_head():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    groups = [{"params": model.parameters()}, {"params": model[1].parameters(), "lr": 1.0}]
    optimizer = torch.optim.SGD(groups, lr=0.1)  # GRD714
    return optimizer


@rule.good(cures=group_for_the_head)
def group_for_each_part():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    groups = [{"params": model[0].parameters()}, {"params": model[1].parameters(), "lr": 1.0}]
    optimizer = torch.optim.SGD(groups, lr=0.1)
    return optimizer


@rule.bad(shows=IN_ONE_GROUP)
def whole_and_part_in_one_list():
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Linear(4, 4)
            self.head = nn.Linear(4, 1)

    net = Net()
    optimizer = torch.optim.Adam(list(net.parameters()) + list(net.head.parameters()))  # GRD714
    return optimizer


@rule.good(cures=whole_and_part_in_one_list)
def both_parts_in_one_list():
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Linear(4, 4)
            self.head = nn.Linear(4, 1)

    net = Net()
    optimizer = torch.optim.Adam(list(net.encoder.parameters()) + list(net.head.parameters()))
    return optimizer
