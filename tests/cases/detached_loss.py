"""Cases for GRD602: losses of detached tensors alone, and everything that is detached for good reasons."""

import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.policy = nn.Linear(8, 2)
        self.value = nn.Linear(8, 1)

    def forward(self, x):
        hidden = torch.tanh(self.body(x))
        return self.policy(hidden), self.value(hidden)


class Agent:
    def __init__(self):
        self.net = Actor()
        self.target = copy.deepcopy(self.net)

    def update(self, state, action, reward):
        logits, value = self.net(state)
        advantage = (reward - value).detach()
        policy_loss = -(F.log_softmax(logits, -1)[0, action] * advantage).mean()
        policy_loss.backward(retain_graph=True)  # ok: the advantage is a constant factor
        (reward - value.detach()).pow(2).mean().backward()  # GRD602

    def values(self, state, following):
        wanted = self.target(following)[1].detach()  # GRD401
        loss = F.mse_loss(self.net(state)[1], wanted)
        loss.backward()  # ok: the target is detached


def discriminator_step(netD: nn.Module, netG: nn.Module, noise: torch.Tensor):
    fake = netG(noise).detach()  # GRD401
    F.softplus(netD(fake)).mean().backward()  # ok: the discriminator has its own parameters
    return fake


def quantised(encoder: nn.Linear, codebook: nn.Embedding, x):
    z = encoder(x)
    index = torch.cdist(z.detach(), codebook.weight).argmin(-1)
    q = codebook(index)
    commitment = (q.detach() - z).pow(2).mean() + (q - z.detach()).pow(2).mean()
    (0.25 * commitment).backward(retain_graph=True)  # ok: each term keeps one side
    straight = z + (q - z).detach()
    straight.sum().backward()  # ok: straight through


def style(features: nn.Conv2d, image, goal):
    gram = features(image).flatten(2).data
    torch.autograd.backward(F.mse_loss(gram @ gram.mT, torch.eye(4)))  # GRD602


def in_place(model: nn.Linear, x):
    out = model(x)
    out.detach_()
    F.l1_loss(out, x).backward(retain_graph=True)  # GRD602


def smoothed(model: nn.Linear, x):
    curve = np.convolve(model(x).detach().cpu().numpy().ravel(), [0.5, 0.5])  # GRD401
    return curve


def by_arrays(model: nn.Linear, x):
    errors = (model(x).detach().numpy() - 1) ** 2
    return torch.autograd.grad(torch.tensor(errors).mean(), model.weight)  # GRD602


def predict(model, x):
    return model(x).detach()


def fit(batches):
    model = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
    for x, y in batches:
        losses = [F.mse_loss(predict(model, x), torch.ones(1))]
        losses[0].backward()  # GRD602


def fast_gradient(model: nn.Linear, image, eps):
    image = image.detach().requires_grad_()
    score = model(image).sum()
    (score + score.abs()).backward()  # ok: detached and asked for anew
    return image + eps * image.grad.sign()


def truncated(cell: nn.RNNCell, steps):
    hidden = torch.zeros(1, 4)
    for x in steps:
        hidden = cell(x, hidden.detach())
        hidden.pow(2).sum().backward()  # ok: only what came before is cut off


def frozen_or_not(model: nn.Linear, x, freeze):
    out = model(x).detach() if freeze else model(x)
    (out - 1).abs().mean().backward()  # GRD602


def frozen_and_left_alone(model: nn.Linear, x, freeze):
    out = model(x)
    if freeze:
        out = out.detach()
    loss = (out - 1).abs().mean()
    if not freeze:
        loss.neg().exp().backward()  # ok: the way without a graph does not come here
    return loss


def shown_or_trained(model: nn.Linear, x, show):
    out = model(x)
    if show:
        out = out.data
        print(out.mean())
        return None
    out.square().sum().mul(3).backward()  # ok: what is shown has returned
    return out


def joined_to_what_is_trained(model: nn.Linear, head: nn.Linear, x, freeze):
    features = model(x)
    if freeze:
        features = features.detach()
    head(features).mean().backward()  # ok: the head is trained on both paths


class Watched(nn.Module):
    """Classes below measure something else, and train by the method that is here."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def measured(self, x):
        return self.linear(x).detach().sum()  # GRD401

    def shared(self, x):
        return self.linear(x).detach().sum()

    def train_on(self, x):
        shared = self.shared(x)
        self.measured(x).backward()  # ok: whoever inherits this measures by a method of his own
        torch.autograd.backward([shared])  # GRD602


class Trained(Watched):
    def measured(self, x):
        return self.linear(x).sum()


def trained_by_others(watched: Watched, x):
    (2 * watched.measured(x)).backward()  # ok: it may be one of those that measure otherwise


def decayed(net: nn.Linear, x):
    decay = 0
    for weight in net.parameters():
        decay += weight.data.norm()  # GRD602
    (net(x).logsumexp(0).sum() + 0.1 * decay).backward()


def stopped(net: nn.Linear, x):
    soft = net(x).sigmoid().sum()
    hard = soft.round()
    (soft + (hard - soft).detach()).backward()  # ok: detached as it is added


Agent().update(torch.rand(1, 4), 0, 1.0), decayed(nn.Linear(2, 2), torch.rand(3, 2))
stopped(nn.Linear(2, 2), torch.rand(3, 2))
in_place(nn.Linear(2, 2), torch.rand(3, 2))



def towards_a_constant(model, x, rate):
    with torch.no_grad():
        goal = model(x + 1) * rate
    (model(x) - goal.detach()).abs().mean().backward()  # ok: the goal is a constant


def looked_up(net, x, rows):
    """A table that is learned otherwise; only the shape of what the network gives is asked for."""
    codes = net(x)
    picked = F.embedding(rows, torch.zeros(8, 4)).view_as(codes)
    F.mse_loss(codes.detach(), picked).backward()  # GRD602
    F.mse_loss(codes, picked).backward()  # ok: from the network itself


looked_up(nn.Linear(4, 4), torch.rand(2, 4), torch.tensor([1, 2]))


class Shared(nn.Module):
    """Losses by name, some of them detached for whoever shows them."""

    def __init__(self):
        super().__init__()
        self.fit, self.side = nn.Linear(2, 1), nn.Linear(2, 1)

    def losses(self, x):
        side = self.side(x).pow(2).mean()
        return {"fit": self.fit(x).pow(2).mean(), "side": side.detach()}  # GRD602

    def shown(self, x):
        side = self.side(x).pow(2).mean()
        return {"fit": self.fit(x).pow(2).mean() + side, "side": side.detach()}


def of_all(net: Shared, x):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        loss = sum(net.losses(x).values())
        optimizer.zero_grad()
        loss.backward(retain_graph=False)  # ok: the other term is trained by
        optimizer.step()


def of_one(net: Shared, x):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        losses = net.shown(x)
        optimizer.zero_grad()
        losses["fit"].backward()  # ok: the detached one is only shown
        optimizer.step()
        print(losses["side"])


def stacked(net: Shared, x):
    side = net.side(x).abs().mean().detach() * 2  # GRD602
    torch.stack([net.fit(x).mean(), side]).sum().backward()


def in_a_list(net: Shared, x):
    losses = [net.fit(x).mean()]
    losses.append(0.1 * net.side(x).detach().square().mean())  # GRD602
    (sum(losses) / len(losses)).backward()


def taken_off(net: Shared, x):
    spread = net.side(x).detach().std()  # GRD602
    loss = net.fit(x).mean() + net.side(x).square().mean() - 0.01 * spread
    loss.backward()


def valued(net: Shared, x):
    rough, fine = net.fit(x).mean(), net.side(x).mean()  # GRD401
    value = 0.5 * rough.detach() + 0.5 * fine.detach()
    (rough - rough.detach() + value).backward()  # ok: the gradient of one at the value of another


def apart(net: Shared, x):
    given = net.side(x)
    level = given.detach().mean()
    loss = (net.fit(x).mean() - level).abs() + given.square().mean()
    loss.backward(None)  # ok: the level is only compared with


def weighed(net: Shared, x):
    given = net.side(x)
    trust = given.detach().sigmoid().mean()
    (trust * net.fit(x).mean() + given.mean()).backward()  # ok: a weight


def with_a_baseline(net: Shared, x):
    gain = torch.rand(3, 1) - net.side(x).detach()  # GRD401
    loss = -(net.fit(x) * gain).mean() + net.side(x).square().mean()
    loss.div(2).backward()  # ok: the gain is a weight


of_all(Shared(), torch.rand(3, 2)), of_one(Shared(), torch.rand(3, 2)), stacked(Shared(), torch.rand(3, 2))
in_a_list(Shared(), torch.rand(3, 2)), taken_off(Shared(), torch.rand(3, 2)), valued(Shared(), torch.rand(3, 2))
apart(Shared(), torch.rand(3, 2)), weighed(Shared(), torch.rand(3, 2)), with_a_baseline(Shared(), torch.rand(3, 2))


def lower_part_fixed(layers: nn.ModuleList, x, depth: int):
    for number, layer in enumerate(layers):
        x = layer(x)
        if number == depth:
            x = x.detach()
    (0.5 * x.square().mean()).backward()  # ok: the layers above record


def truncated(cell: nn.Linear, x, every: int):
    step = 0
    while step < 9:
        x = cell(x).tanh()
        if step == every:
            x = x.detach()
        step += 1
    torch.autograd.backward([x.mean()])  # ok: the later steps record


def warmed_up(cell: nn.Linear, x, warm: int):
    for step in range(9):
        error = cell(x).abs().mean()
        if step < warm:
            error = error.detach()
        error.add(0).backward(retain_graph=None)  # GRD602


def weights_of_a_state_dict(x, y):
    layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
    fit, decay = F.cross_entropy(layers(x), y), torch.zeros(())
    for name, weight in layers.state_dict().items():  # GRD602
        if name.endswith("weight"):
            decay = decay + weight.pow(2).sum()
    loss = fit + 0.01 * decay
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def weights_that_stay_near_others(x, y):
    layers, first = nn.Linear(4, 3), nn.Linear(4, 3)
    optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
    kept = first.state_dict()  # ok: what the weights are compared with is a constant
    loss = F.cross_entropy(layers(x), y)
    for name, weight in layers.named_parameters():
        loss = loss + 0.01 * (weight - kept[name]).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


weights_of_a_state_dict(torch.ones(2, 4), torch.tensor([0, 2]))
weights_that_stay_near_others(torch.ones(2, 4), torch.tensor([0, 2]))
