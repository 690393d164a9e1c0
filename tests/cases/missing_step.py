"""Cases for GRD704: optimizers that only clear, and those that somebody steps out of sight."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from elsewhere import Runner, finish


def fit(loader: torch.utils.data.DataLoader, epochs=5):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for epoch in range(epochs):
        for features, labels in loader:
            loss = F.cross_entropy(model(features), labels)
            optimizer.zero_grad()
            loss.backward()  # GRD704
        scheduler.step()
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "last.pt")


def forgotten_for_one(batches: list[torch.Tensor]):
    generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
    for_g, for_d = torch.optim.Adam(generator.parameters()), torch.optim.Adam(critic.parameters())
    for real in batches:
        for_d.zero_grad()
        critic(real).mean().backward()  # ok: the critic is stepped
        for_d.step()
        for_g.zero_grad()
        critic(generator(torch.randn(2, 4))).mean().neg().backward()  # GRD704


class Trainer:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def fit(self):
        for _ in range(10):
            loss = self.model(torch.randn(2, 4)).sum()
            self.optimizer.zero_grad()
            (loss / 2).backward()  # GRD704


Trainer().fit()


class InTwoMethods:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def accumulate(self, batches: list[torch.Tensor]):
        self.optimizer.zero_grad()
        for batch in batches:
            (self.model(batch).sum() / len(batches)).backward()  # ok: another method steps

    def apply(self):
        self.optimizer.step()


def stepped_by_a_helper(batches: list[torch.Tensor]):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        torch.sum(model(batch)).backward()  # ok: the helper gets the optimizer
        finish(optimizer)


def stepped_by_a_runner(batches: list[torch.Tensor]):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    runner = Runner(model, optimizers=[optimizer])
    for batch in batches:
        optimizer.zero_grad()
        loss = runner.loss(batch) + model(batch).sum()
        loss.backward(retain_graph=False)  # ok: the runner has the optimizer
        runner.advance()


def stepped_by_a_scaler(batches: list[torch.Tensor]):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for batch in batches:
        optimizer.zero_grad()
        scaler.scale(model(batch).sum()).backward()  # ok: the scaler steps it
        scaler.step(optimizer)
        scaler.update()


def stepped_while_differentiating():
    model = nn.Linear(4, 2)
    optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in model.parameters()}

    def step(parameter):
        optimizers[parameter].step()
        optimizers[parameter].zero_grad()

    for p in model.parameters():
        p.register_post_accumulate_grad_hook(step)
    for _ in range(10):
        torch.mean(model(torch.ones(1, 4))).backward()  # ok: a hook steps as soon as a gradient is there


def sizes_of_gradients(batches: list[torch.Tensor]):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    sizes = []
    for batch in batches:
        optimizer.zero_grad()
        model(batch).pow(2).sum().backward()  # ok: the gradients are what is wanted
        sizes.append(sum(p.grad.norm().item() for p in model.parameters()))
    return sizes


def steps_by_hand(batches: list[torch.Tensor], rate=0.1):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    for batch in batches:
        model(batch).abs().sum().backward()  # ok: the program steps itself
        with torch.no_grad():
            for p in model.parameters():
                p.sub_(p.grad, alpha=rate)
        optimizer.zero_grad()


def once():
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    model(torch.ones(1, 4))[0, 0].backward()  # ok: no loop, one look at a backward


def prepared(model: nn.Linear, batches: list[torch.Tensor]):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        model(batch).log_softmax(-1).min().backward()  # ok: the caller gets the optimizer
    return model, optimizer


def handed_over(net, loader):
    descent = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        descent.zero_grad()
        F.smooth_l1_loss(net(x), y).backward()  # GRD704


def worst_shift(batches: list[torch.Tensor], rounds: int):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters())
    shift = torch.zeros(1, 4, requires_grad=True)
    for batch in batches:
        for _ in range(rounds):
            optimizer.zero_grad()
            F.mse_loss(model(batch + shift), torch.ones(1, 2)).backward()  # ok: the gradient of the input is wanted
            with torch.no_grad():
                shift += 0.01 * shift.grad.sign()
            shift.grad = None
    return shift


def saliency(batches: list[torch.Tensor]):
    model, maps = nn.Linear(4, 2), []
    optimizer = torch.optim.Adam(model.parameters())
    for _ in batches:
        image = torch.rand(1, 4).requires_grad_()
        optimizer.zero_grad()
        (model(image) ** 2).amax().backward()  # ok: and here
        maps.append(image.grad.abs())
    return maps


def unread_input(batches: list[torch.Tensor]):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in batches:
        image = torch.rand(1, 4).requires_grad_()
        optimizer.zero_grad()
        (model(image) - 1).std().backward()  # GRD704
