"""Cases for GRD702: gradients cleared before anything used them, and clearings that only seem to come too early."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from elsewhere import balance


def train(loader: torch.utils.data.DataLoader, device):
    model = nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, 10)).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(5):
        model.train()
        for images, labels in loader:
            loss = F.cross_entropy(model(images.to(device)), labels.to(device))
            loss.backward()
            optimizer.zero_grad()
            optimizer.step()  # GRD702


class Trainer:
    def __init__(self, net: nn.Module):
        self.net = nn.Linear(4, 2)
        self.opts = [torch.optim.SGD(self.net.parameters(), lr=0.1)]

    def reset(self):
        for opt in self.opts:
            opt.zero_grad()

    def report(self, result):
        print(result)

    def update(self, batch):
        loss = self.net(batch).sum()
        loss.backward()
        self.reset()
        self.opts[0].step()  # GRD702

    def update_in_order(self, batch):
        self.reset()
        self.net(batch).sum().backward()
        for opt in self.opts:
            self.report(opt.step())  # ok: cleared before backward
        self.reset()


def by_hand_too_early():
    net = nn.Linear(2, 2)
    opt = torch.optim.AdamW(net.parameters())
    net(torch.ones(1, 2)).sum().backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    for parameter in net.parameters():
        parameter.grad = None
    done = opt.step()  # GRD702
    return done


def scaled_too_early(batches: list[torch.Tensor]):
    net = nn.Linear(2, 2)
    opt = torch.optim.AdamW(net.parameters())
    scaler = torch.amp.GradScaler("cpu")
    for batch in batches:
        scaler.scale(net(batch).mean()).backward()
        opt.zero_grad(set_to_none=True)
        scaler.step(opt)  # GRD702
        scaler.update()


def two_networks(batches: list[torch.Tensor]):
    generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
    for_g = torch.optim.Adam(generator.parameters())
    for_d = torch.optim.Adam(critic.parameters())
    for real in batches:
        critic(generator(torch.randn(2, 4))).mean().backward()
        for_d.zero_grad()
        for_g.step(closure=None)  # ok: the gradients of the other network were cleared
        for_g.zero_grad()
        (critic(generator(real).detach()).mean() - critic(real).mean()).backward()  # GRD401
        stepped = [for_d.step()]  # ok: only those of the other network were cleared
    return stepped


def probing_first(batches: list[torch.Tensor]):
    net = nn.Linear(4, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for batch in batches:
        net(batch).mean().backward()
        norms = [p.grad.norm() for p in net.parameters()]
        opt.zero_grad()
        (net(batch).mean() / norms[0].item()).backward()
        opt.step(), print(norms)  # ok: a second backward has filled them again


def cleared_on_one_path(batches: list[torch.Tensor]):
    net = nn.Linear(4, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for batch in batches:
        loss = net(batch).mean()
        loss.backward()
        if not torch.isfinite(loss):
            opt.zero_grad()
        return opt.step()  # ok: cleared only where the loss is not finite


def begun_anew(epochs):
    net = nn.Linear(4, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    opt.zero_grad()
    opt.step() or print("warm")  # ok: nothing was lost before the first backward
    for epoch in range(epochs):
        opt.zero_grad()
        for index in range(8):
            (net(torch.ones(1, 4)).mean() / 4).backward()
            if index % 4 == 3:
                opt.step(None)  # ok: the clearing of the next round comes after it
                opt.zero_grad()


def restored(batch: torch.Tensor):
    net = nn.Linear(4, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net(batch).mean().backward()
    kept = [p.grad.clone() for p in net.parameters()]
    opt.zero_grad()
    for p, grad in zip(net.parameters(), kept):
        p.grad = grad
    opt.step().x if batch is None else opt.step()  # ok: the gradients were put back
    net(batch).mean().backward()  # GRD209
    opt.zero_grad()
    balance(net)
    last = [opt.step()][0]  # ok: nobody knows what the helper does to the network
    return last


def with_a_closure(batch: torch.Tensor):
    net = nn.Linear(4, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)

    def closure():
        opt.zero_grad()
        loss = net(batch).mean()
        loss.backward()
        return loss

    net(batch).mean().backward()
    opt.zero_grad()
    return opt.step(closure)  # ok: the closure fills them


def by_a_criterion_that_is_handed_over(loader, criterion):
    model = nn.Linear(3, 3)
    descents = [torch.optim.Adam(model.parameters())]
    for x, y in loader:
        criterion(model(x), y).backward()
        descents[0].zero_grad()
        descents[0].step(closure=None)  # GRD702


def handed_over(model, optimizer, loader, criterion):
    model.train()
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.zero_grad(set_to_none=True)
        print(loss, optimizer.step())  # GRD702


def silenced(model, optimizer, scheduler):
    model.train()
    optimizer.zero_grad()
    assert optimizer.step() is None  # ok: nothing was differentiated, so that the scheduler does not warn
    scheduler.step()


def put_together(model, optimizer, first, second):
    model.train()
    kept = []
    for batch in (first, second):
        model(batch).mean().backward()
        kept.append([p.grad.clone() for p in model.parameters()])
        optimizer.zero_grad()
    for p, one, other in zip(model.parameters(), *kept):
        p.grad = one + other
    return [optimizer.step()]  # ok: the gradients are put back


def copied_in(model, optimizer, batches, directions):
    model.train()
    for batch in batches:
        model(batch).mean().backward()
        optimizer.zero_grad(set_to_none=False)
        for p, direction in zip(model.parameters(), directions):
            p.grad.copy_(direction)
        yield optimizer.step(), batch  # ok: the gradients are written anew


def added_in(weight, batches, direction):
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for batch in batches:
        (weight * batch).mean().backward()
        weight.grad.zero_()
        weight.grad += direction
        changed = [optimizer.step(), weight]  # ok: there is something again
    return changed


def scaled_only(batches):
    weight = torch.rand(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for batch in batches:
        (weight * batch).mean().backward()
        optimizer.zero_grad(set_to_none=False)
        weight.grad.mul_(0.5)
        yield optimizer.step() or weight  # GRD702
