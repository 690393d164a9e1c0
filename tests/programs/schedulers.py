"""Schedulers: they know their optimizer, change numbers in its groups and touch no tensor."""

import torch
from torch import nn
from torch.optim import lr_scheduler

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = lr_scheduler.StepLR(optimizer, step_size=2)
plateau = lr_scheduler.ReduceLROnPlateau(optimizer)
rates = lr_scheduler.LambdaLR(optimizer, lr_lambda=lambda epoch: 0.5**epoch)
reveal(optimizer, "stepped")  # no
for epoch in range(2):
    for batch in range(2):
        optimizer.zero_grad()
        loss = model(torch.ones(1, 2)).sum()
        loss.backward()
        reveal(model.weight, "grad")  # fresh
        optimizer.step()
        reveal(optimizer, "stepped")  # yes
    scheduler.step()
    plateau.step(loss.item())
    rates.step()
    reveal(model.weight, "grad")  # used
reveal(model.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(scheduler.get_last_lr()[0])  # number[integer|float]
reveal(scheduler.last_epoch)  # number[integer]
for group in scheduler.optimizer.param_groups:
    reveal(group["lr"])  # number[integer|float]
    group["lr"] = 0.01
    reveal(group["lr"])  # 0.01
    for parameter in group["params"]:
        reveal(parameter)  # Tensor[float, requires_grad=yes, leaf=yes]
        reveal(parameter, "grad")  # used
        parameter.grad = None
        reveal(parameter, "grad")  # none
warm = lr_scheduler.SequentialLR(
    optimizer, [lr_scheduler.ConstantLR(optimizer), lr_scheduler.CosineAnnealingLR(optimizer, 10)], [2]
)
warm.step()
chained = lr_scheduler.ChainedScheduler([lr_scheduler.ExponentialLR(optimizer, 0.9), scheduler])
chained.step()
reveal(chained.optimizer)  # Optimizer[SGD]
reveal(optimizer.param_groups[0]["momentum"])  # number[integer|float]

head = nn.Linear(1, 1)
grouped = torch.optim.AdamW([{"params": model.parameters(), "lr": 0.1}, {"params": head.parameters()}], lr=0.01)
head(model(torch.ones(1, 2))).sum().backward()
grouped.step()
reveal(head.weight, "grad")  # used
reveal(model.weight, "grad")  # used
reveal(len(grouped.param_groups))  # 2
extra = torch.ones(1, requires_grad=True)
grouped.add_param_group({"params": [extra]})
(extra * 2).sum().backward()
grouped.step()
reveal(extra, "grad")  # used
grouped.zero_grad()
reveal(extra, "grad")  # none
reveal(extra.grad)  # None
saved = grouped.state_dict()
grouped.load_state_dict(saved)
reveal(extra)  # Tensor[float, requires_grad=yes, leaf=yes]
