"""Cases for GRD707: clipping scaled gradients, and the many ways to have them unscaled."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from elsewhere import unscale_everything, watch
from torch.cuda.amp import GradScaler, autocast
from torch.nn.utils import clip_grad_norm_


def fit(loader: torch.utils.data.DataLoader):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = GradScaler()
    for epoch in range(3):
        for features, labels in loader:
            optimizer.zero_grad(set_to_none=True)
            with autocast():
                loss = F.cross_entropy(model(features), labels)
            scaler.scale(loss).backward()
            clip_grad_norm_(model.parameters(), 1.0)  # GRD707
            scaler.step(optimizer)
            scaler.update()


def fit_if_asked(batches: list[torch.Tensor], amp=True):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler("cuda", enabled=amp)
    for batch in batches:
        optimizer.zero_grad()
        scaler.scale(model(batch).sum()).backward()
        torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)  # GRD707
        scaler.step(optimizer)
        scaler.update()


class Trainer:
    def __init__(self, args):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cpu") if args.amp else None

    def update(self, batch):
        loss = self.model(batch).sum()
        self.optimizer.zero_grad()
        if self.scaler is not None:
            self.scaler.scale(loss).backward()
            self.scaler.unscale_(self.optimizer)
            clip_grad_norm_(self.model.parameters(), max_norm=1.0)  # ok: unscaled in this branch
            self.scaler.step(self.optimizer)
            self.scaler.update()
        else:
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)  # ok: no scaler in this branch
            self.optimizer.step()


class Careless:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cpu")

    def clip(self):
        return nn.utils.clip_grad_norm_(self.model.parameters(), max_norm=5)  # GRD707

    def update(self, batch):
        self.optimizer.zero_grad()
        self.scaler.scale(self.model(batch).sum()).backward()
        self.clip()
        self.scaler.step(self.optimizer)
        self.scaler.update()


def unscaled_in_a_helper(batches: list[torch.Tensor]):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = GradScaler()

    def finish(optimizer, norm):
        scaler.unscale_(optimizer)
        total = nn.utils.clip_grad_norm_(model.parameters(), norm)  # ok: unscaled a line before
        scaler.step(optimizer)
        scaler.update()
        return total

    for batch in batches:
        optimizer.zero_grad()
        scaler.scale(model(batch).sum()).backward()
        finish(optimizer, 1.0)
        optimizer.zero_grad()
        scaler.scale(model(batch).mean()).backward()
        unscale_everything(scaler, optimizer)
        [clip_grad_norm_(model.parameters(), 1.0)]  # ok: nobody knows what the helper does
        scaler.step(optimizer)
        scaler.update()


def under_one_condition(batches: list[torch.Tensor], amp: bool):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = GradScaler()
    for batch in batches:
        optimizer.zero_grad()
        loss = model(batch).sum()
        (scaler.scale(loss) if amp else loss).backward()
        if amp:
            scaler.unscale_(optimizer)
        norm = clip_grad_norm_(model.parameters(), 1.0)  # ok: unscaled where it was scaled
        if amp:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()
    return norm


def switched_off(batches: list[torch.Tensor]):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = GradScaler(enabled=False)
    for batch in batches:
        optimizer.zero_grad()
        scaler.scale(model(batch).sum()).backward()
        print(clip_grad_norm_(model.parameters(), 1.0))  # ok: this scaler does nothing
        scaler.step(optimizer)
        scaler.update()


def divided_by_hand(batches: list[torch.Tensor]):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = GradScaler()
    for batch in batches:
        optimizer.zero_grad()
        scaler.scale(model(batch).sum()).backward()
        torch.nn.utils.clip_grad.clip_grad_norm_(model.parameters(), 1.0 * scaler.get_scale())  # todo ok
        scaler.step(optimizer)
        scaler.update()


def both_networks(batches: list[torch.Tensor]):
    generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
    for_g, for_d = torch.optim.Adam(generator.parameters()), torch.optim.Adam(critic.parameters())
    scaler = torch.amp.GradScaler("cpu")
    for real in batches:
        for_d.zero_grad()
        scaler.scale(critic(real).mean()).backward()
        scaler.unscale_(for_d)
        x = clip_grad_norm_(critic.parameters(), max_norm=1.0)  # ok: its own optimizer is unscaled
        scaler.step(for_d)
        for_g.zero_grad()
        scaler.scale(critic(generator(real)).mean()).backward()
        y = clip_grad_norm_(generator.parameters(), 1.0).item()  # GRD707
        scaler.step(for_g)
        scaler.update()
    return x, y


def measured_only(batches: list[torch.Tensor]):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = GradScaler()
    for batch in batches:
        scaler.scale(model(batch).sum()).backward()
        print("norm", clip_grad_norm_(model.parameters(), 10.0))  # ok: no scaler steps, so nothing unscales later
    return optimizer


def a_model_that_is_handed_over(net, loader, descent):
    growing = GradScaler()
    for x, y in loader:
        descent.zero_grad()
        growing.scale(F.cross_entropy(net(x), y)).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=5, norm_type=1)  # GRD707
        growing.step(descent)
        growing.update()


def unscaled_where_it_is_handed_over(net, loader, descent, growing: GradScaler = None):
    net.train()
    for x, y in loader:
        descent.zero_grad()
        loss = F.cross_entropy(net(x), y)
        if growing is None:
            loss.backward()
        else:
            growing.scale(loss).backward()
            growing.unscale_(descent)
        print(clip_grad_norm_(net.parameters(), max_norm=2.0))  # ok: in their own unit either way
        if growing is None:
            descent.step()
        else:
            growing.step(descent)
            growing.update()


def several_optimizers_in_a_list(net, loader, descents, growing: GradScaler):
    net.train()
    for x, y in loader:
        for descent in descents:
            descent.zero_grad()
        growing.scale(F.cross_entropy(net(x), y)).backward()
        total = clip_grad_norm_(net.parameters(), 5.0, error_if_nonfinite=False)  # todo GRD707
        for descent in descents:
            growing.step(descent)
        growing.update()
    return total


def clipped_behind_the_step(net: nn.Module, x, y):
    scaler = GradScaler()
    descent = torch.optim.SGD(net.parameters(), lr=0.1)
    watch(descent)
    scaler.scale(F.cross_entropy(net(x), y)).backward()
    scaler.step(descent)
    print(clip_grad_norm_([*net.parameters()], max_norm=0.5))  # ok: the step has unscaled them
    scaler.update()
