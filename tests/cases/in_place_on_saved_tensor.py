"""Cases for GRD304: values written between their forward and their backward."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def nothing_saved():
    weight = torch.ones(3, requires_grad=True)
    total = weight * 3
    total += 1
    total.sum().backward()  # ok: the product with a number saves nothing that was written


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.norm(self.conv(x))
        out += x
        return self.relu(out)


class Squashed(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.drop = nn.Dropout(0.2, True)

    def forward(self, x):
        return self.drop(torch.softmax(self.linear(x), dim=-1))  # GRD304


def train_blocks(images):
    block, squashed = Block(4), Squashed(4)
    block(images).mean().backward()  # ok: batch norm saves its input, not what relu writes
    loss = squashed(torch.ones(2, 4)).sum()
    loss.backward()
    squashed.drop.inplace = False
    squashed(torch.ones(2, 4)).pow(2).sum().backward()  # ok: no longer in place


class Trainer:
    def __init__(self):
        self.actor = nn.Linear(4, 2)
        self.critic = nn.Linear(4, 1)

    def update(self, states, rewards):
        values = torch.sigmoid(self.critic(states))
        logits = self.actor(states)
        logits[:, 0] -= 1.0
        actor_loss = logits.logsumexp(-1).mean()
        actor_loss.backward(retain_graph=False)  # ok: written before anything saved it
        values.clamp_(min=0.1)  # GRD304
        critic_loss = (values - 1).pow(2).mean()
        return critic_loss.backward()

    def evaluate(self, states):
        scores = self.critic(states).tanh()
        with torch.no_grad():
            scores.mul_(10)  # GRD304
        return (scores.sum() * 2).backward()


def order_of_things(x):
    layer = nn.Linear(3, 3)
    hidden = layer(torch.ones(2, 3))
    loss = F.mse_loss(hidden, torch.zeros(2, 3))
    loss.backward()
    hidden.detach().zero_()
    probabilities = layer(torch.ones(2, 3)).exp()
    kept = probabilities.clone()
    kept /= kept.sum()
    (probabilities.sum() + 1).backward()  # ok: the copy was written
    gate = torch.rand(2, 3)
    out = gate * torch.ones(2, 3)
    gate[0] = 0
    (out * layer(torch.ones(2, 3))).mean().backward()  # ok: gate requires no grad, so the first product is not recorded


def inputs_are_saved(batches):
    model, buffer = nn.Linear(8, 1), torch.zeros(4, 8)
    for _ in range(3):
        buffer.normal_()
        F.smooth_l1_loss(model(buffer), torch.ones(4, 1)).backward()  # ok: filled before it is used
    prediction = model(buffer).mean()
    buffer.fill_(0.0)  # GRD304
    torch.autograd.backward([prediction])


def masked_attention(query, key, causal: bool):
    weight = nn.Parameter(torch.randn(4, 4))
    scores = query @ weight
    if causal:
        scores.masked_fill_(torch.ones(4, dtype=torch.bool), float("-inf"))
    attention = scores.softmax(-1)
    attention.sum().backward(retain_graph=True)  # ok: only the scores were written, softmax saves its result
    rows = attention.unbind(0)
    view = attention.view(-1)
    view.mul_(0.5)  # GRD304
    (grad,) = torch.autograd.grad(attention.sum(), [weight])
    return grad, rows


def taken_apart(first: nn.Linear, second: nn.Linear):
    a, b = first(torch.ones(1, 2)).exp(), second(torch.ones(1, 2)).exp()
    total = (a + b).sum()
    a.add_(1.0)
    by_second = torch.autograd.grad(total, list(second.parameters()))  # ok: the way to these does not read `a`
    return by_second


def perhaps(model: nn.Linear, x, clip=False):
    out = model(x).sigmoid()
    if clip:
        out.clamp_(0.1, 0.9)  # GRD304
    return out.mean().backward()


def limited_where_it_is_only_looked_at(model: nn.Linear, x, train=True):
    out = model(x).sigmoid()
    if not train:
        out.clamp_(0.1, 0.9)
    if train:
        (1 - out).log().sum().neg().backward()  # ok: the other way goes on without it
    return out


def limited_on_the_way_out(model: nn.Linear, x, clip=False):
    out = model(x).exp()
    if clip:
        out.clamp_(max=9.0)
        return out
    (out + out.sqrt()).norm().backward()  # ok: who comes by the write has returned
    return out


def scaled_by_a_setting(model: nn.Linear, x, settings):
    gate = torch.tanh(model(x))
    if settings["scale"] != 1.0:
        gate *= settings["scale"]  # GRD304
    loss = (gate - 1).pow(2).mean()
    loss.div(2).backward(retain_graph=False)
    return loss.item()


def saved_by_what_writes_it():
    weight, factor = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
    squared = weight * 2
    squared.mul_(squared)  # GRD304
    (squared[0] + squared[1]).backward()
    doubled = weight * 2
    doubled.add_(doubled)
    doubled.mean(0).backward()  # ok: a sum saves nothing
    scaled = torch.ones(2)
    scaled.addcmul_(scaled, factor)  # GRD304
    torch.autograd.backward(scaled.sum())
    third = weight * 2
    third.pow_(2)
    torch.autograd.grad(third.sum(), weight)  # ok: what was there before is saved as a copy


def saved_through_handles_that_count_for_themselves(states: torch.Tensor):
    weight, shared, other = nn.Parameter(torch.ones(2)), torch.ones(2), torch.zeros(2)
    product = weight * states.data
    states.add_(1.0)
    product.norm(2).backward()  # ok: torch does not notice, the count of `.data` is another
    again = weight * torch.from_numpy(shared.numpy())
    shared.add_(1.0)
    (again @ weight).backward()  # ok: the same of a tensor made of an array
    other.data = shared
    third = weight * shared
    other.add_(1.0)  # GRD309
    torch.autograd.backward((third.sum(),))  # ok: what was given other memory keeps its own count
    alias = shared.detach()
    fourth = weight * shared
    alias.clamp_(max=0.5)  # GRD304
    fourth.square().sum().backward()


class Sharp(torch.optim.Optimizer):
    def __init__(self, params, rho=0.05):
        super().__init__(params, {"rho": rho})

    @torch.no_grad()
    def climb(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad, alpha=group["rho"])  # GRD304

    @torch.no_grad()
    def mark(self):
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["old"] = p.clone()


def climbs_before_the_second_backward(features: torch.Tensor):
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = Sharp(model.parameters())
    loss = model(features).square().mean()
    loss.backward(retain_graph=True)
    optimizer.mark()
    optimizer.climb()
    loss.backward(gradient=None)


def computes_the_loss_anew(features: torch.Tensor):
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = Sharp(model.parameters())
    model(features).square().mean().backward()
    optimizer.climb()
    model(features).square().mean().backward(gradient=None)  # ok: computed with what was written


def only_marks(features: torch.Tensor):
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = Sharp(model.parameters())
    loss = model(features).square().mean()
    loss.backward(retain_graph=True)
    optimizer.mark()
    loss.mean().backward(inputs=None)  # ok: nothing was written
