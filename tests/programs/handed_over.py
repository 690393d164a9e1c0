"""What drives a training loop is known by annotations and by use where its maker is not shown."""

import torch
from torch import nn
from torch.optim.lr_scheduler import LRScheduler

inputs = torch.ones(4, 2)


def annotated(optimizer: torch.optim.Optimizer, scaler: torch.amp.GradScaler, scheduler: LRScheduler):
    reveal(optimizer)  # Optimizer[SGD]
    reveal(scaler)  # Scaler[enabled=yes]
    scaler.scale(model(inputs).sum()).backward()
    reveal(model.weight, "unit")  # scaled
    scaler.step(optimizer)
    reveal(model.weight, "grad")  # used
    scaler.update()
    scheduler.step()
    optimizer.zero_grad()
    reveal(model.weight, "grad")  # none


model = nn.Linear(2, 1)
trained = torch.optim.SGD(model.parameters(), lr=0.1)
annotated(trained, torch.amp.GradScaler("cpu"), torch.optim.lr_scheduler.StepLR(trained, 1))


class Trainer:
    def __init__(self, net, optimizer, scaler=None):
        self.net = net
        self.optimizer = optimizer
        self.scaler = scaler

    def step(self, batch):
        self.optimizer.zero_grad()
        loss = self.net(batch).sum()
        if self.scaler is None:
            loss.backward()
            reveal(self.net.weight, "unit")  # plain
            self.optimizer.step()
        else:
            self.scaler.scale(loss).backward()
            reveal(self.net.weight, "unit")  # scaled
            self.scaler.unscale_(self.optimizer)
            nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            self.scaler.step(self.optimizer)
            self.scaler.update()
        reveal(self.net.weight, "unit")  # plain
        reveal(self.net.weight, "grad")  # used


for amp in (None, torch.amp.GradScaler("cpu")):
    trainer = Trainer(model, trained, amp)
    for _ in range(2):
        trainer.step(inputs)

weight = torch.ones(2, requires_grad=True)
factor = torch.amp.GradScaler("cpu")
factor.scale(weight.sum()).backward()
reveal(weight, "unit")  # scaled
weight.grad.div_(factor.get_scale())
# vague: what a gradient is divided by is not computed
reveal(weight, "unit")  # scaled|?
