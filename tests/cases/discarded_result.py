"""Cases for GRD607: results of tensor methods that are dropped, and statements that do something."""

import time

import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F


class Trainer:
    def __init__(self, model: nn.Module, device):
        self.model = model
        self.model.to(device)  # ok: modules are moved in place
        self.device = device
        self.mean = torch.zeros(3)
        self.mean.to(device, non_blocking=True)  # GRD607

    def clip(self, bound):
        for p in self.model.parameters():
            if p.grad is not None:
                p.grad.data.clamp(-bound, bound)  # GRD607
                p.grad.clamp_(-bound, bound)  # ok: in place

    def step(self, batch: torch.Tensor, target: torch.Tensor):
        batch.cuda()  # GRD607
        target.view(-1, 1)  # GRD607
        self.model.half().float()  # ok: the module itself is cast
        return target


class Boxes:
    """An object of one's own whose methods are called like those of tensors."""

    def __init__(self, xyxy):
        self.xyxy = xyxy

    def to(self, device):
        self.xyxy = self.xyxy.to(device)
        return self

    def clamp(self, low, high):
        self.xyxy.clamp_(low, high)


def moved(path):
    boxes = Boxes(torch.zeros(2, 4))
    boxes.to("cpu")  # ok: its own method, which keeps the result
    boxes.clamp(0, 1)  # ok: works in place
    return boxes


def usable(device):
    try:
        torch.Tensor(0).to(device=device)  # ok: tried out, and nobody else holds what is moved
    except Exception:
        return "cpu"
    torch.zeros(1).cuda()  # ok: wakes the device
    return device


def noise_in_range(shape, low: float, high: float):
    noise = torch.rand(shape)
    noise.view(-1, 4)[:, 0].clamp(low, max=high)  # GRD607
    return noise


def residual(x: torch.Tensor, skip: torch.Tensor):
    out = torch.relu(x)
    out.add(skip)  # GRD607
    out.squeeze(0).add_(skip)  # ok: a view is written
    return out


def average(model: nn.Module, ema: nn.Module, decay=0.99):
    for p, q in zip(ema.parameters(), model.parameters()):
        p.data.mul(decay).add(q.data, alpha=1 - decay)  # GRD607


def unrolled(states: list[tuple[torch.Tensor, torch.Tensor]]):
    for state in states:
        state[0].detach()  # GRD607
    states[0][1].requires_grad_()  # ok: an underscore changes the tensor itself
    return states


class Similarity(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor(10.0))

    def forward(self, scores: torch.Tensor, out: torch.Tensor):
        torch.clamp(self.w, 1e-6)  # GRD607
        torch.mul(scores, 2, out=out)  # ok: written into what is given
        torch.relu_(scores[0])  # ok: an underscore writes in place, by function too
        return scores * self.w + out


def timed(a: torch.Tensor, b: torch.Tensor):
    start = time.time()
    a.sum().item()  # ok: waits for the device
    (a + b).cpu()  # ok: waits for the device
    return time.time() - start


def masked(scores: torch.Tensor, mask: torch.Tensor):
    scores.masked_fill(mask == 0, float("-inf"))  # GRD607
    scores.masked_fill_(mask == 0, -1e9)  # ok: with the underscore
    return scores.softmax(-1)


def test_shapes():
    with pytest.raises(RuntimeError):
        torch.zeros(2, 3).view(5)  # ok: the program waits for an error here


class Words(nn.Module):
    def __init__(self, vectors: torch.Tensor, frozen: bool):
        super().__init__()
        self.words = nn.Embedding(*vectors.shape)
        self.words.from_pretrained(vectors, freeze=frozen)  # GRD607
        self.bags = nn.EmbeddingBag.from_pretrained(vectors)
        self.words.weight.data.copy_(vectors)  # ok: written in place
        self.words.load_state_dict({"weight": vectors})  # ok: loads into the layer that is there


def scored(network, batch, targets):
    network.eval()
    scores = network(batch)
    scores.to(targets.device)  # ok: what a network gives may be an object that moves itself
    scores.squeeze(1)  # GRD607
    F.softmax(scores, dim=-1)  # GRD607
    F.relu(scores, inplace=True)  # ok: written in place
    return F.cross_entropy(scores, targets)


def batches_of_several(loader, net: nn.Module, device):
    for images, labels in loader:
        images.to(device, torch.float)  # GRD607
        labels.cuda(non_blocking=True)  # GRD607
        (images + 1).cpu()  # ok: waits for the device
        F.cross_entropy(net(images), labels).backward()


def batches_unpacked_later(train_loader, net: nn.Module):
    for number, batch in enumerate(train_loader):
        inputs, targets = batch
        inputs.to(dtype=torch.float32)  # GRD607
        (net(inputs.cuda()) - targets).pow(2).mean().backward()


def batches_compared_with_what_comes_out(loader, net: nn.Module):
    for signals in loader:
        signals.type(torch.FloatTensor, non_blocking=True)  # GRD607
        F.mse_loss(net(signals), signals).backward()


def batches_of_graphs(loader, net: nn.Module):
    for graph in loader:
        graph.to("cuda", non_blocking=True)  # ok: an object that a library makes of a batch may move itself
        F.cross_entropy(net(graph), graph.y).backward()


def batches_of_words(loader, net: nn.Module):
    for batch in loader:
        batch.to(**{"device": "cuda"})  # ok: a dict that moves what is in it
        net(**batch).loss.backward()


class Activated(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleDict({"first": nn.BatchNorm1d(3)})
        self.acts = nn.ModuleList([nn.LeakyReLU(0.1), nn.LeakyReLU(0.1, inplace=True)])
        self.within = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True))

    def forward(self, x):
        y = self.within(x)
        self.norms["first"](y)  # GRD607
        self.acts[0](x), self.acts[1](y)  # GRD607
        self.acts[1](y)  # ok: written in place
        self.within(x[:1])  # ok: what the program makes of layers may be called for its hooks
        F.normalize(x, dim=1)  # GRD607
        return x

    def seen_by_hooks(self, x):
        self.acts[0](x + 1)  # ok: outside a forward a layer may be called for its hooks
        return x


def several_at_once(optimizer: torch.optim.Optimizer, x: torch.Tensor, y: torch.Tensor):
    x.double(), y.half()  # GRD607
    x.sum().item(), y.cpu()  # ok: waits for the device
    x.mul_(2), y.requires_grad_()  # ok: both are written
    for group in optimizer.param_groups:
        [p.grad.clamp(-1, 1) for p in group["params"]]  # GRD607
        [p.grad.clamp_(max=1) for p in group["params"] if p.grad is not None]  # ok: in place
    return x, y


def batches_gone_over(loader, net: nn.Module):
    for batch in loader:
        for part in batch:
            part.to("cuda", torch.half)  # GRD607
        [part.bfloat16() for part in batch]  # GRD607
        x, y = batch
        F.cross_entropy(net(x), y).backward()


def batches_by_key(loader, net: nn.Module):
    for number, batch in enumerate(loader):
        batch["image"].to("cuda", non_blocking=number > 0)  # GRD607
        F.cross_entropy(net(batch["image"].cuda()), batch["label"].cuda()).backward()


def sets_of_batches(loaders, net: nn.Module):
    for batch in loaders["train"]:
        batch.half(), batch.to("cpu")  # ok: an object that a library makes of a batch may cast itself
        net(batch).loss.backward()
