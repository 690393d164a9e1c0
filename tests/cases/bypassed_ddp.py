"""Cases for GRD913: `.module` of a wrapper, in training and elsewhere."""

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 4), nn.Linear(4, 2)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


class Trainer:
    def __init__(self, rank, lr=0.1):
        torch.manual_seed(rank)
        self.model = DDP(Net(), device_ids=[rank])
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr)

    def step(self, x, y):
        loss = nn.functional.cross_entropy(self.model.module(x), y)  # GRD913
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return self.model.module(x).argmax(1)  # GRD401

    def save(self, path):
        torch.save(self.model.module.state_dict(), path)

    @torch.no_grad()
    def evaluate(self, batches):
        self.model.eval()
        return [self.model.module(x) for x in batches]  # ok: gradients are off


def through_the_wrapper(x, y):
    model = DDP(Net())
    optimizer = torch.optim.Adam(model.module.parameters())
    out = model(x)  # ok: called as a whole
    extra = model.module.body(x).pow(2).mean()  # ok: a part, used beside the whole
    (nn.functional.mse_loss(out, y) + extra).backward()
    optimizer.step()
    model.eval()
    scores = model.module(x * 2)  # ok: in eval mode, as for a saliency map
    scores.sum().backward()


def by_forward(x):
    model = DDP(Net())
    loss = model.module.forward(x).sum()  # GRD913
    loss.backward()


def on_several_devices_of_one_process(x):
    model = nn.DataParallel(Net())
    loss = model.module(x).sum()  # ok: one process, whose gradients are all there are
    loss.backward()


class Wrapper(nn.Module):
    """Its `module` is a plain attribute."""

    def __init__(self):
        super().__init__()
        self.module = Net()

    def forward(self, x):
        return self.module(x)  # ok: that is its own forward


def wrapped_by_hand(batches):
    model = Wrapper()
    for x in batches:
        model.module(x).mean().backward()  # ok: no DistributedDataParallel
    net = DDP(model)
    inner = net.module
    for x in batches:
        total = sum(part.pow(2).sum() for part in [net.module(x), net.module(-x)])  # GRD913
        total.backward()
    return inner


if __name__ == "__main__":
    dist.init_process_group("gloo")
    trainer = Trainer(dist.get_rank())
    for _ in range(3):
        trainer.step(torch.ones(2, 4), torch.zeros(2, dtype=torch.long))
