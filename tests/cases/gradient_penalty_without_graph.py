"""Cases for GRD612: penalties on gradients without a graph, and gradients that need none."""

import torch
import torch.nn.functional as F
from torch import autograd, nn


class WGAN:
    def __init__(self):
        self.critic = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
        self.generator = nn.Linear(4, 2)
        self.optimizer = torch.optim.Adam(self.critic.parameters())

    def penalty(self, real: torch.Tensor, fake: torch.Tensor):
        alpha = torch.rand(real.size(0), 1)
        mixed = (alpha * real + (1 - alpha) * fake).detach().requires_grad_(True)
        scores = self.critic(mixed)
        grads = autograd.grad(outputs=scores, inputs=mixed, grad_outputs=torch.ones_like(scores))[0]  # GRD612
        return ((grads.norm(2, dim=1) - 1) ** 2).mean()

    def step(self, real: torch.Tensor):
        fake = self.generator(torch.randn(real.size(0), 4)).detach()  # GRD401
        loss = self.critic(fake).mean() - self.critic(real).mean() + 10.0 * self.penalty(real, fake)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def regularised(self, real: torch.Tensor):
        real = real.clone().requires_grad_()
        out = self.critic(real)
        (g,) = autograd.grad(out.sum(), real, create_graph=True)
        loss = out.mean() + g.square().sum(1).mean()  # ok: with a graph
        loss.backward()

    def asked(self, real, graph):
        real = real.detach().requires_grad_()
        out = self.critic(real)
        g = autograd.grad(out.sum(), [real], create_graph=graph)[0]
        (out.sum() + g.abs().mean()).backward()  # ok: as the caller says


def only_the_penalty(net: nn.Linear):
    x = torch.rand(3, 2, requires_grad=True)
    g = autograd.grad(net(x).tanh().sum(), x)[0]  # GRD612
    g.norm().backward()


def adaptive_weight(first: torch.Tensor, second: torch.Tensor, last: nn.Parameter):
    a = autograd.grad(first, last, retain_graph=True)[0]
    b = autograd.grad(second, last, retain_graph=True)[0]
    weight = (a.norm() / (b.norm() + 1e-4)).clamp(0, 1e4)
    (first + weight * second).backward()  # ok: a weight between two losses


def fast_gradient(model: nn.Linear, x: torch.Tensor, y, eps=0.1):
    x = x.detach().requires_grad_()
    (g,) = autograd.grad(F.cross_entropy(model(x), y), x)
    moved = x + eps * g.sign()  # ok: a step
    F.cross_entropy(model(moved), y).backward()


def logged(net: nn.Linear, x):
    x = torch.rand(3, 2, requires_grad=True)
    loss = net(x).pow(2).mean()
    g = autograd.grad(loss, net.weight, retain_graph=True)[0]
    total = loss + g.norm()  # ok: only shown
    print(total.item())
    loss.backward()


def inner_step(net: nn.Linear, x, y):
    loss = F.mse_loss(net(x), y)
    (g,) = autograd.grad(loss, [net.weight])
    fast = net.weight - 0.1 * g  # ok: first-order inner step
    F.mse_loss(x @ fast.t(), y).backward()


def on_purpose(net: nn.Linear):
    x = torch.rand(3, 2, requires_grad=True)
    out = net(x).exp().sum()
    g = autograd.grad(out, x, retain_graph=True)[0]
    (out + g.sum().detach()).backward()  # ok: said to be constant


def in_a_loop(net: nn.Sequential, batches):
    for _ in range(3):
        x = torch.rand(3, 2, requires_grad=True)
        out = net(x).sigmoid().sum()
        grads = autograd.grad(out, x, retain_graph=True)  # GRD612
        loss = out
        loss = loss + sum(g.pow(2).sum() for g in grads)
        loss.backward()


def orthogonal(net: nn.Linear, x: torch.Tensor):
    x = x.detach().requires_grad_()
    value = net(x).square().mean()
    slope = torch.autograd.grad(value, x, only_inputs=True, retain_graph=True)[0]  # GRD612
    excess = torch.relu(slope.norm(dim=-1) - 1).mean()
    value -= excess
    value.backward()


gan = WGAN()
gan.step(torch.rand(8, 2))


class Penalised(nn.Module):
    """A critic whose losses are told by name."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))

    def slope(self, x, graph):
        x = x.detach().requires_grad_()
        if graph:
            return autograd.grad(self.net(x).sum(), x, create_graph=True)[0]
        return autograd.grad(self.net(x).sum(), x)[0]  # GRD612

    def losses(self, x, graph):
        return {"score": self.net(x).mean(), "slope": (self.slope(x, graph).norm(dim=1) - 1).square().mean()}


def by_name(critic: Penalised, x):
    weights = {"score": 1.0, "slope": 10.0}
    sum(weights[name] * value for name, value in critic.losses(x, False).items()).backward()  # ok: the slope is named
    sum(weights[name] * value for name, value in critic.losses(x, True).items()).backward()


def one_by_one(critic: Penalised, x):
    losses = [critic.net(x).mean()]
    start = torch.rand(4, 2, requires_grad=True)
    (slope,) = autograd.grad(critic.net(start).sum(), start)  # GRD612
    losses.append(slope.square().sum())
    sum(losses).backward()


def one_after_another(critic: Penalised, x):
    start = torch.rand(4, 2, requires_grad=True)
    slope = torch.autograd.grad(critic.net(start).mean(), [start], create_graph=True)[0]  # ok: with a graph
    losses = [critic.net(x).mean(), slope.square().sum()]
    sum(losses).backward()


def along_the_slope(critic: Penalised, x):
    start = torch.rand(4, 2, requires_grad=True)
    slope = autograd.grad(critic.net(start).mean(), start)[0]  # ok: a step is made along it
    critic.net(start.detach() + 0.1 * slope.sign()).mean().backward()


def weighed_by_slopes(critic: Penalised, x):
    start = torch.rand(4, 2, requires_grad=True)
    steep = autograd.grad(critic.net(start).sum(), start)[0].norm()  # ok: a weight
    (critic.net(x).mean() / steep).backward()


critic, x = Penalised(), torch.rand(4, 2)
by_name(critic, x), one_by_one(critic, x), one_after_another(critic, x), along_the_slope(critic, x)
weighed_by_slopes(critic, x)


class Solver:
    """Solves u' = -u and the like with a network for u."""

    def __init__(self, graph=False):
        self.net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        self.t = torch.linspace(0, 1, 20).view(-1, 1).requires_grad_(True)

    def decay(self):
        u = self.net(self.t)
        u_t = autograd.grad(u, self.t, torch.ones_like(u), retain_graph=True)[0]  # GRD612
        return u_t + u

    def logistic(self):
        u = self.net(self.t)
        u_t = autograd.grad(u.sum(), self.t, retain_graph=True)[0]  # GRD612
        return u_t - 2 * u * (1 - u)

    def with_graph(self):
        u = self.net(self.t)
        (slope,) = autograd.grad(outputs=u.sum(), inputs=[self.t], create_graph=True)  # ok: with a graph
        return slope.add(u)

    def second(self):
        u = self.net(self.t)
        once = autograd.grad(torch.sum(u), self.t, create_graph=True)[0].sum()  # ok: it is differentiated once more
        return torch.autograd.grad([once], [self.t], retain_graph=True)[0] + u  # GRD612

    def fit(self, steps=3):
        for _ in range(steps):
            self.optimizer.zero_grad()
            loss = self.decay().pow(2).mean() + self.logistic().abs().mean() + self.with_graph().pow(2).mean()
            (loss + F.mse_loss(self.second(), torch.zeros(20, 1))).backward()
            self.optimizer.step()


def slope_of(out, x):
    return autograd.grad(out, x, grad_outputs=torch.ones_like(out), retain_graph=True)[0]  # GRD612


def solved_by_a_helper(net, x):
    y = net(x)
    F.mse_loss(slope_of(y, x) - y, torch.zeros_like(y)).backward()


def compared(net, x, steps=3):
    for _ in range(steps):
        y = net(x)
        growth = autograd.grad(inputs=x, outputs=y.sum(), retain_graph=True)[0]  # GRD612
        (nn.MSELoss()(growth, y) + F.l1_loss(net(x[:1]), torch.ones(1, 1))).backward()


def sampled(net, x):
    for _ in range(3):
        x = x.detach().requires_grad_()
        x = x - 0.1 * autograd.grad(net(x).sum(), x)[0]  # ok: a step of a sampler
    net(x).mean().backward()


def learned_inside(net, x):
    weight = net[0].weight
    loss = net(x).mean()
    faster = weight - 0.1 * autograd.grad(loss, weight, retain_graph=True)[0]  # ok: a learner's own step, of first order
    (F.linear(x, faster).mean() + loss).backward()


def shown_beside(net, x):
    y = net(x)
    residual = autograd.grad(y.sum(), x, retain_graph=True)[0] + y  # ok: shown alone
    print(residual.abs().max().item())
    y.mean().backward()


solver, points = Solver(), torch.linspace(0, 1, 5).view(-1, 1).requires_grad_(True)
solver.fit()
solved_by_a_helper(solver.net, points), sampled(solver.net, points), learned_inside(solver.net, points)
shown_beside(solver.net, points), compared(solver.net, points)


class PerSample(nn.Module):
    """Weighs each sample of a batch before the batch is averaged."""

    def forward(self, real, fake, slopes):
        return torch.mean(fake - real + 10 * (slopes.pow(2).sum(1).sqrt() - 1) ** 2)


def step_per_sample(critic: nn.Module, optimizer, real, fake):
    between = (0.5 * real + 0.5 * fake).requires_grad_()
    score = critic(between)
    slopes = torch.autograd.grad(score, between, torch.ones_like(score), retain_graph=True)  # GRD612 GRD504
    optimizer.zero_grad()
    PerSample()(critic(real), critic(fake), slopes[0]).backward()
    optimizer.step()


def step_to_the_steepest(critic: nn.Module, optimizer, real, wanted):
    start = real.clone().requires_grad_()
    (slope,) = torch.autograd.grad(critic(start).sum(), start)  # ok: what is added to is what the critic is given
    optimizer.zero_grad()
    (critic(real + 0.1 * slope.sign()) - wanted).mean().backward()
    optimizer.step()


def step_to_a_slope(critic: nn.Module, optimizer, real):
    start = real.clone().requires_grad_()
    steepness = torch.autograd.grad(critic(start).sum(), start)[0].norm(dim=1)  # ok: what the critic is to tell
    optimizer.zero_grad()
    (critic(real).squeeze(1) - steepness).abs().mean().backward()
    optimizer.step()
