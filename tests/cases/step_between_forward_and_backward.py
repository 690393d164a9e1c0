"""Cases for GRD305: weights stepped while a graph that saved them waits for its backward."""

import argparse

import torch
from torch import nn, optim


class GAN:
    def __init__(self, args):
        self.netG = nn.Sequential(nn.Linear(args.z, 16), nn.ReLU(True), nn.Linear(16, 2))
        self.netD = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 1))
        self.optG = optim.Adam(self.netG.parameters(), lr=args.lr)
        self.optD = optim.Adam(self.netD.parameters(), lr=args.lr)
        self.criterion = nn.BCEWithLogitsLoss()

    def tutorial_step(self, real):
        self.netD.zero_grad()
        fake = self.netG(torch.randn(8, 4))
        errD = self.criterion(self.netD(fake.detach()), torch.zeros(8, 1))
        errD.backward()  # ok: nothing was stepped yet
        self.optD.step()
        self.netG.zero_grad()
        self.criterion(self.netD(fake), torch.ones(8, 1)).backward()  # ok: judged anew after the step
        self.optG.step()

    def hasty_step(self, real):
        fake = self.netG(torch.randn(8, 4))
        judged = self.netD(fake)  # GRD617
        errD = self.criterion(judged, torch.zeros(8, 1))
        errG = self.criterion(judged, torch.ones(8, 1))
        self.optD.zero_grad()
        errD.backward(retain_graph=True)
        self.optD.step()
        self.optG.zero_grad()
        torch.autograd.backward(errG)  # GRD305
        self.optG.step()

    def patient_step(self, real):
        self.optD.zero_grad()
        self.optG.zero_grad()
        judged = self.netD(self.netG(torch.randn(8, 4)))
        self.criterion(judged, torch.zeros(8, 1)).backward(retain_graph=True)
        self.criterion(judged, torch.ones(8, 1)).mul(2).backward()  # ok: both before any step
        self.optD.step()
        self.optG.step()


def bottom_layer():
    layer = nn.Linear(3, 1)
    optimizer = optim.SGD(layer.parameters(), lr=0.1)
    out = layer(torch.ones(2, 3))
    out.sum().backward(retain_graph=True)
    optimizer.step()
    out.mean().backward()  # ok: its input requires no grad, so the layer did not save its weight


def disjoint(steps: int):
    actor, critic = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 3)), nn.Linear(3, 1)
    of_critic = optim.RMSprop(critic.parameters())
    for _ in range(steps):
        action = actor(torch.ones(1, 3))
        entropy = action.softmax(-1).mean()
        of_critic.zero_grad()
        critic(action.detach()).sum().backward()
        of_critic.step()
        (0.01 * entropy).backward()  # ok: the critic's weights are not in this graph


def actor_critic_on_two_layers():
    shared = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 8))
    policy, value = nn.Linear(8, 2), nn.Linear(8, 1)
    optimizer = optim.Adam([*shared.parameters(), *policy.parameters(), *value.parameters()], lr=1e-3)
    for episode in range(10):
        features = shared(torch.ones(1, 3))
        value_loss = value(features).pow(2).mean()
        policy_loss = policy(features).logsumexp(-1).mean()
        optimizer.zero_grad()
        value_loss.backward(retain_graph=True)
        optimizer.step()
        optimizer.zero_grad()
        (policy_loss - 0.01).backward()  # GRD305
        optimizer.step()


def actor_critic_on_one_layer():
    shared = nn.Sequential(nn.Linear(3, 8), nn.Tanh())
    policy, value = nn.Linear(8, 2), nn.Linear(8, 1)
    optimizer = optim.Adam([*shared.parameters(), *policy.parameters(), *value.parameters()], lr=1e-3)
    for episode in range(10):
        features = shared(torch.ones(1, 3))
        value_loss = value(features).pow(2).mean()
        policy_loss = policy(features).logsumexp(-1).mean()
        optimizer.zero_grad()
        value_loss.backward(retain_graph=True)
        optimizer.step()
        optimizer.zero_grad()
        policy_loss.sub(0.01).backward()  # ok: the policy had no gradient, so the step passed over it
        optimizer.step()


def scaled():
    model = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
    scaler, optimizer = torch.amp.GradScaler("cpu"), optim.SGD(model.parameters(), lr=0.1)
    out = model(torch.ones(1, 2)).sum()
    scaler.scale(out).backward(retain_graph=True)
    scaler.step(optimizer)
    scaler.update()
    out.backward(torch.ones(()))  # ok: the scaler may have skipped the step


def penalty(model: nn.Linear, x: torch.Tensor):
    hidden = nn.Linear(4, 4)
    optimizer = optim.SGD(hidden.parameters(), lr=0.1)
    x = x.detach().requires_grad_(True)
    out = hidden(x).sum()
    out.backward(retain_graph=True)
    optimizer.step()
    (grad,) = torch.autograd.grad(out, x)  # GRD305
    return grad


def each_its_own(models):
    pair = [nn.Linear(2, 2), nn.Linear(2, 2)]
    optimizers = [optim.SGD(net.parameters(), lr=0.1) for net in pair]
    for net, optimizer in zip(pair, optimizers):
        loss = net(torch.ones(1, 2)).sum()
        optimizer.zero_grad()
        (loss / 2).backward()  # ok: a new forward pass each time
        optimizer.step()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--z", type=int, default=4)
    parser.add_argument("--lr", type=float, default=2e-4)
    gan = GAN(parser.parse_args())
    gan.tutorial_step(torch.ones(8, 2))
    gan.hasty_step(torch.ones(8, 2))
    gan.patient_step(torch.ones(8, 2))


def stepped_by_another(rounds: int):
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    of_second = optim.SGD(second.parameters(), lr=0.1)
    for _ in range(rounds):
        first.zero_grad(), of_second.zero_grad()
        seen = first(torch.ones(3, 2)).tanh()
        second(torch.ones(1, 2)).norm().backward()
        of_second.step()
        torch.autograd.backward(seen, torch.ones(3, 2))  # ok: the weights that it saved were not stepped


stepped_by_another(2)
