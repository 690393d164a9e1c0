"""Cases for GRD503: graphs differentiated again, and graphs that only look like it."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def nothing_saved():
    bias = torch.zeros(3, requires_grad=True)
    shifted = (bias + 1).sum()
    shifted.backward()
    shifted.backward()  # ok: sums save nothing, the gradient is added once more


class MultiTask(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, width), nn.ReLU(inplace=True))
        self.depth = nn.Linear(width, 1)
        self.seg = nn.Linear(width, 3)

    def forward(self, x):
        features = self.trunk(x)
        return self.depth(features), self.seg(features)


class Trainer:
    def __init__(self):
        self.model = MultiTask()
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def separately(self, x, depth_target, seg_target):
        depth, seg = self.model(x)
        depth_loss = F.l1_loss(depth, depth_target)
        seg_loss = F.cross_entropy(seg, seg_target)
        self.optimizer.zero_grad()
        depth_loss.backward()
        seg_loss.backward(retain_graph=True)  # GRD503
        self.optimizer.step()

    def kept(self, x, depth_target, seg_target):
        depth, seg = self.model(x)
        F.l1_loss(depth, depth_target).backward(retain_graph=True)
        (2 * F.cross_entropy(seg, seg_target)).backward()  # ok: the first one keeps the graph

    def one_after_the_other(self, x):
        for _ in range(2):
            depth, _ = self.model(x)
            depth.mean().backward()  # ok: a new forward pass each time

    def for_each_loss(self, x):
        losses = [out.mean() for out in self.model(x)]
        for loss in losses:
            (loss / 2).backward()  # GRD503


def alternating(steps=10):
    netG, netD = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    optD, optG = torch.optim.Adam(netD.parameters()), torch.optim.Adam(netG.parameters())
    for _ in range(steps):
        fake = netG(torch.randn(4, 2)).sigmoid()
        lossD = netD(fake).mean()  # GRD617
        optD.zero_grad()
        (0.5 * lossD).backward()
        optD.step()
        optG.zero_grad()
        lossG = -netD(fake).mean()
        lossG.backward(torch.tensor(1.0))  # GRD503
        optG.step()


def alternating_detached(steps=10):
    netG, netD = nn.Linear(2, 2), nn.Linear(2, 1)
    for _ in range(steps):
        fake = netG(torch.randn(4, 2)).sigmoid()
        netD(fake.detach()).mean().backward()
        (-netD(fake).mean()).backward()  # ok: the first one stopped at the detached samples


def gradient_penalty(critic: nn.Module, real: torch.Tensor):
    mixed = real.detach().requires_grad_(True)
    score = critic(mixed).sum()
    (grad,) = torch.autograd.grad(score, mixed, create_graph=True)
    (score + grad.pow(2).sum()).backward()  # ok: create_graph keeps the graph


def saliency():
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    image = torch.ones(1, 4, requires_grad=True)
    logits = model(image)
    first = torch.autograd.grad(logits[0, 0], image)
    second = torch.autograd.grad(logits[0, 1], image)  # GRD503
    return first, second


def parts_apart():
    left, right = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    a, b = left.exp(), right.exp()
    a.sum().backward()
    (a.detach() * b).sum().backward()  # ok: the freed part is cut off
    joined = (left.exp() + right.exp()).sum()
    torch.autograd.grad(left.exp().sum(), left)
    torch.autograd.backward(joined)  # ok: recorded anew


def shared_weights(model: nn.Linear, batches):
    weight = F.softmax(model.weight, dim=0)
    for batch in batches:
        loss = (batch * weight).sum()
        loss.div(2).backward()  # GRD503


def in_a_closure():
    model = nn.Linear(3, 1)
    optimizer = torch.optim.LBFGS(model.parameters())
    target = model(torch.ones(2, 3)).detach().exp()

    def closure():
        optimizer.zero_grad()
        loss = F.mse_loss(model(torch.ones(2, 3)), target)
        loss.backward(inputs=list(model.parameters()))  # ok: each call of the closure records its own graph
        return loss

    optimizer.step(closure)


def losses_of_a_loop(model: nn.Linear, batches: list):
    losses = []
    for batch in (torch.ones(2, 3), torch.zeros(2, 3)):
        losses.append(model(batch).mean())
    loss = torch.stack(losses).mean()
    loss.backward()
    print(loss.item())
    torch.autograd.backward([loss])  # GRD503
    others = sum(weight.pow(2).sum() for weight in [torch.ones(2, requires_grad=True)])
    others.backward(inputs=[model.weight])
    (others * 3).backward()  # ok: the first went but to the weight, which lies elsewhere


def fitted_by_a_closure(x, y):
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    opt = torch.optim.LBFGS(net.parameters(), lr=0.5)
    hidden = net[1](net[0](x))

    def closure_on_features():
        opt.zero_grad()
        error = F.huber_loss(net[2](hidden), y)
        error.backward(create_graph=False)  # GRD503
        return error

    def closure_on_data():
        opt.zero_grad()
        error = F.huber_loss(net(x), y)
        error.backward(None, False)  # ok: computed anew in each run
        return error

    opt.step(closure_on_data if y is None else closure_on_features)
    return closure_on_data


def two_heads_of_one_layer(batches):
    body, first, second = nn.Linear(4, 3), nn.Linear(3, 1), nn.Linear(3, 2)
    optimizer = torch.optim.SGD([*body.parameters(), *first.parameters(), *second.parameters()], lr=0.1)
    for x, y, z in batches:
        optimizer.zero_grad()
        hidden = body(x)
        F.mse_loss(first(hidden), y).backward()
        F.l1_loss(second(hidden), z).backward()  # GRD503
        optimizer.step()


def two_passes_of_one_layer(batches):
    body, first, second = nn.Linear(4, 3), nn.Linear(3, 1), nn.Linear(3, 2)
    for x, y, z in batches:
        F.mse_loss(first(body(x)), y).backward()
        F.l1_loss(second(body(x)), z).backward()  # ok: each goes through the layer by itself
