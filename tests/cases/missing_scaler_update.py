"""Cases for GRD709: scalers left behind, scalers stepped past, and updates that stand elsewhere."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from elsewhere import finish
from torch.cuda.amp import GradScaler, autocast


def fit(loader: torch.utils.data.DataLoader):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = GradScaler()
    for features, labels in loader:
        optimizer.zero_grad()
        with autocast():
            loss = F.cross_entropy(model(features), labels)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)  # GRD709
        scaler.step(optimizer)


class Trainer:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cpu")

    def update(self, batch):
        self.optimizer.zero_grad()
        self.scaler.scale(self.model(batch).sum()).backward()
        self.optimizer.step()  # GRD709
        self.scaler.update()

    def update_in_order(self, batch):
        self.optimizer.zero_grad()
        self.scaler.scale(self.model(batch).sum()).backward()
        self.scaler.step(self.optimizer)  # ok: the caller updates
        return batch

    def fit(self, batches: list[torch.Tensor]):
        for batch in batches:
            self.update_in_order(batch)
            self.scaler.update()


def both_networks(batches: list[torch.Tensor]):
    generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
    opts = {"g": torch.optim.Adam(generator.parameters()), "d": torch.optim.Adam(critic.parameters())}
    scaler = torch.amp.GradScaler("cpu")
    for real in batches:
        opts["d"].zero_grad()
        scaler.scale(critic(real).mean()).backward()
        scaler.step(opts["d"])  # ok: one update for both
        opts["g"].zero_grad()
        scaler.scale(critic(generator(real)).mean()).backward()
        scaler.step(optimizer=opts["g"])  # ok: updated right after
        scaler.update()


def accumulating(batches: list[torch.Tensor], every=4):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for index, batch in enumerate(batches):
        scaler.scale(model(batch).mean() / every).backward()
        if (index + 1) % every == 0:
            skipped = scaler.step(optimizer)  # ok: updated under the same condition
            scaler.update()
            optimizer.zero_grad()
    return skipped


def accumulating_without(batches: list[torch.Tensor], every=4):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for index, batch in enumerate(batches):
        scaler.scale(model(batch).mean() / every).backward()
        if (index + 1) % every == 0:
            scaler.step(optimizer), optimizer.zero_grad()  # ok: perhaps it steps only once


def stepped_twice(batch: torch.Tensor):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(model(batch).mean()).backward()
    print(scaler.step(optimizer))  # ok: the first one
    return scaler.step(optimizer)  # GRD709


def switched_off(batches: list[torch.Tensor]):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = GradScaler(enabled=False)
    for batch in batches:
        optimizer.zero_grad()
        loss = model(batch).sum()
        scaler.scale(loss).backward()
        results = [scaler.step(optimizer), loss]  # ok: this scaler does nothing
        optimizer.step(closure=None)  # GRD709
    return results


def unscaled_then_plain(batches: list[torch.Tensor]):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = GradScaler()
    for batch in batches:
        optimizer.zero_grad()
        scaler.scale(model(batch).sum()).backward()
        scaler.unscale_(optimizer)
        done = optimizer.step()  # ok: the gradients are in their own unit again
        scaler.update()
    return done


def finished_elsewhere(batches: list[torch.Tensor]):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = GradScaler()
    for batch in batches:
        optimizer.zero_grad()
        scaler.scale(model(batch).sum()).backward()
        [scaler.step(optimizer)]  # ok: the helper gets the scaler
        finish(scaler)


def under_one_condition(batches: list[torch.Tensor], amp: bool):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for batch in batches:
        loss = model(batch).mean()
        (scaler.scale(loss) if amp else loss).backward()
        result = scaler.step(optimizer) if amp else optimizer.step()  # ok: a plain step where nothing is scaled
        optimizer.zero_grad()
        if amp:
            scaler.update()
    return result


def handed_over(net, loader):
    descent = torch.optim.SGD(net.parameters(), lr=0.1)
    growing = GradScaler()
    for x, y in loader:
        descent.zero_grad()
        growing.scale(F.cross_entropy(net(x), y)).backward()
        print(descent.step())  # GRD709


def several_in_one(scheduled, growing: GradScaler):
    for one in scheduled:
        growing.step(one.descent)  # ok: another optimizer each time
    growing.update()


def accumulated(net: nn.Linear, loader, growing: GradScaler, every=4):
    descent = torch.optim.AdamW(net.parameters())
    for number, (x, y) in enumerate(loader):
        with torch.autocast("cuda"):
            loss = F.mse_loss(net(x), y) / every
        growing.scale(loss).backward()
        growing.unscale_(*[descent])  # GRD709
        norm = nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        if (number + 1) % every == 0:
            growing.step(descent)
            growing.update()
            descent.zero_grad(set_to_none=True)
    return norm


def accumulated_and_unscaled_at_the_end(net: nn.Linear, loader, every=4):
    descent, growing = torch.optim.AdamW(net.parameters()), GradScaler()
    for number, (x, y) in enumerate(loader):
        growing.scale(F.mse_loss(net(x), y) / every).backward()
        last = (number + 1) % every == 0
        if last:
            growing.unscale_(optimizer=descent)  # ok: in the iteration that steps
            nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        if last:
            growing.step(descent)
            growing.update()
            descent.zero_grad()


def looked_at_between(net: nn.Linear, x):
    descent, growing = torch.optim.SGD(net.parameters(), 0.1), GradScaler("cpu")
    growing.scale(net(x).mean()).backward()
    growing.unscale_(descent)
    nn.utils.clip_grad_value_(net.parameters(), 0.5)
    if growing.unscale_(descent) is None:  # GRD709
        growing.step(descent)


def both_step(net: nn.Linear, loader):
    descent, growing = torch.optim.Adam(net.parameters(), 1e-3), GradScaler("cpu")
    for x in loader:
        descent.zero_grad()
        growing.scale(net(x).square().mean()).backward()
        growing.step(descent)
        growing.update()
        descent.step()  # GRD709


def one_for_each_loss(net: nn.Linear, critic: nn.Linear, loader):
    descent, other = torch.optim.Adam(net.parameters()), torch.optim.RMSprop(critic.parameters())
    growing = GradScaler("cpu")
    for x in loader:
        descent.zero_grad()
        other.zero_grad()
        growing.scale(net(x).mean()).backward()
        growing.step(descent)
        critic(x).mean().backward()
        norm = max(critic.weight.norm().item(), other.step() or 0)  # ok: another optimizer, whose gradients are plain
        growing.update()
    return norm
