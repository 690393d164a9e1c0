"""Cases for GRD510: gradients with a graph that no backward goes through, and those that one does, seen or not."""

import copy

import torch
import torch.nn.functional as F
from elsewhere import judge
from torch import autograd, nn
from torch.func import functional_call


def slopes_of(net, points):
    points = points.detach().requires_grad_(True)
    (slope,) = autograd.grad(net(points).sum(), points, create_graph=True)  # ok: handed to who asked
    return slope


def penalty(critic, real, fake):
    mix = (0.5 * real + 0.5 * fake).detach().requires_grad_(True)
    score = critic(mix)
    (slope,) = autograd.grad(score, mix, torch.ones_like(score), create_graph=True)  # ok: added by one of two callers
    return (slope.flatten(1).norm(dim=1) - 1).square().mean()


def critic_rounds():
    critic = nn.Sequential(nn.Linear(2, 8), nn.SiLU(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(critic.parameters())
    for _ in range(3):
        real, fake = torch.randn(4, 2), torch.randn(4, 2)
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(critic, real, fake)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def critic_rounds_without():
    critic = nn.Sequential(nn.Linear(2, 8), nn.SiLU(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(critic.parameters())
    for _ in range(3):
        real, fake = torch.randn(4, 2), torch.randn(4, 2)
        mix = (0.5 * real + 0.5 * fake).requires_grad_(True)
        (slope,) = autograd.grad([critic(mix).sum()], [mix], create_graph=True, retain_graph=True)  # GRD510
        rough = (slope.norm(dim=1) - 1).square().mean()
        loss = critic(fake).mean() - critic(real).mean()
        loss = loss + 10 * rough.item()  # GRD601
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


critic_rounds()
critic_rounds_without()


class Heat(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, place):
        return self.body(place)


def residual():
    heat = Heat()
    optimizer = torch.optim.Adam(heat.parameters())
    for _ in range(10):
        place = torch.rand(8, 2, requires_grad=True)
        warm = heat(place)
        flow = autograd.grad(warm.sum(), place, create_graph=True)[0]  # ok: the second derivative needs it
        curve = autograd.grad(flow[:, 0].sum(), place, create_graph=True)[0]  # ok: in the loss
        loss = (flow[:, 1] - curve[:, 0]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def residual_of_numbers():
    heat = Heat()
    optimizer = torch.optim.Adam(heat.parameters())
    for _ in range(10):
        place = torch.rand(8, 2, requires_grad=True)
        flow = autograd.grad(heat(place).sum(), place, create_graph=True)[0]  # GRD510
        gap = (flow.detach()[:, 1] - heat(place)[:, 0]).square().mean()
        optimizer.zero_grad()
        gap.backward()
        optimizer.step()


residual()
residual_of_numbers()


def adapted():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        named = dict(net.named_parameters())
        slopes = autograd.grad(net(torch.rand(4, 2)).square().mean(), list(named.values()), create_graph=True)  # ok: functional
        moved = {name: one - 0.1 * slope for (name, one), slope in zip(named.items(), slopes)}
        loss = functional_call(net, moved, (torch.rand(4, 2),)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def adapted_by_loading():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        twin = copy.deepcopy(net)
        named = dict(net.named_parameters())
        cost = net(torch.rand(4, 2)).square().mean()
        slopes = autograd.grad(cost, [*named.values()], create_graph=True)  # GRD510
        twin.load_state_dict({name: one - 0.1 * slope for (name, one), slope in zip(named.items(), slopes)})
        loss = net(torch.rand(4, 2)).square().mean() + twin(torch.rand(4, 2)).square().mean()
        optimizer.zero_grad()
        loss.backward()  # GRD617
        optimizer.step()


adapted()
adapted_by_loading()


class Keeper:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))

    def look(self, x):
        x = x.detach().requires_grad_(True)
        self.slope = autograd.grad(self.net(x).sum(), x, create_graph=True)[0]  # ok: kept for another method
        return x

    def learn(self):
        self.slope.square().sum().backward()

    def tell(self, x: torch.Tensor):
        x = x.detach().requires_grad_(True)
        slope = autograd.grad(outputs=self.net(x).mean(), inputs=x, create_graph=True)[0]  # GRD510
        print(slope.norm().item())

    def ask(self, x: torch.Tensor):
        x = x.detach().requires_grad_(True)
        slope = autograd.grad(self.net(x).sum(), x, create_graph=True)[0]  # ok: nobody sees what becomes of it
        judge(slope)


def plain(net: nn.Module, x: torch.Tensor):
    slope = autograd.grad(net(x).sum(), list(net.parameters()), create_graph=False)  # ok: no graph is asked for
    print(F.relu(slope[0]).sum().item())


def updates_kept_on_parameters(net: nn.Sequential, x: torch.Tensor):
    slopes = autograd.grad(net(x).norm(), [*net.parameters()], create_graph=True)  # ok: set on what another function reads
    for one, slope in zip(net.parameters(), slopes):
        one.update = -0.1 * slope
    return net


def products_with_the_hessian(loss, weights):
    slopes = torch.autograd.grad(loss, weights, create_graph=True)  # ok: the function that is given differentiates them

    def product(vector):
        return torch.autograd.grad(sum((a * b).sum() for a, b in zip(slopes, vector)), weights, retain_graph=True)

    return product


def reader_of_slopes(loss, weights):
    (slope,) = torch.autograd.grad(loss, [weights], create_graph=True)  # ok: whoever calls it may differentiate it
    return {"slope": lambda: slope, "loss": loss.item()}["slope"]


def norm_of_slopes(loss, weights):
    slopes = torch.autograd.grad(outputs=loss, inputs=weights, create_graph=True)  # GRD510

    def norm(values):
        return sum(value.norm().item() for value in values)

    return norm(slopes)
