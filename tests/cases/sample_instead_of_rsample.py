"""Cases for GRD610: samples that gradients should go through, and samples that are data."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Bernoulli, Categorical, Laplace, Normal, kl_divergence


class VAE(nn.Module):
    def __init__(self, reparametrise=False):
        super().__init__()
        self.encoder = nn.Linear(8, 4)
        self.decoder = nn.Linear(2, 8)

    def posterior(self, x):
        mean, log_scale = self.encoder(x).chunk(2, -1)
        return Normal(mean, log_scale.exp())

    def forward(self, x):
        q = self.posterior(x)
        z = q.sample()  # GRD610
        return self.decoder(z), q

    def right(self, x):
        q = self.posterior(x)
        return self.decoder(q.rsample()), q  # ok: differentiable

    def generate(self, count):
        prior = Normal(torch.zeros(2), 1.0)
        return self.decoder(prior.sample((count,)))  # ok: the prior has no parameters to train


class Trainer:
    def __init__(self):
        self.model = VAE()
        self.policy = nn.Linear(4, 2)
        self.value = nn.Linear(2, 1)

    def step(self, x):
        out, q = self.model(x)
        loss = F.mse_loss(out, x) + kl_divergence(q, Normal(torch.zeros(2), torch.ones(2))).mean()
        loss.backward()

    def reinforce(self, state, reward):
        actions = Categorical(logits=self.policy(state))
        action = actions.sample().long()  # ok: discrete, and scored
        (-actions.log_prob(action) * reward).mean().backward()

    def continuous(self, state, reward):
        pi = Normal(self.policy(state), 0.1)
        action = pi.sample((5,))  # ok: scored by log_prob
        loss = -(pi.log_prob(action).sum(-1) * reward).mean()
        loss.backward()

    def actor(self, state):
        pi = torch.distributions.Normal(loc=self.policy(state), scale=torch.ones(2))
        action = torch.tanh(pi.sample(torch.Size([1])))  # GRD610
        (-self.value(action)).mean().backward()

    @torch.no_grad()
    def act(self, state):
        return Normal(self.policy(state), 1.0).sample()[0]  # ok: gradients are off

    def gated(self, state):
        gate = Bernoulli(torch.sigmoid(self.policy(state))).sample()  # GRD401
        self.value(gate).sum().backward()


def noise(model: nn.Linear, x):
    eps = Laplace(0.0, 1.0).sample(x.shape)  # ok: noise
    (model(x) + eps).pow(2).mean().backward()


def shown(model: nn.Linear, x):
    drawn = Laplace(model(x), 1).sample()  # GRD401
    print(drawn)
    model(x).sum().backward()


def mixed(model: nn.Linear, decoder: nn.Linear, x):
    total = torch.zeros(())
    for row in x:
        total = total + decoder(Laplace(model(row), 0.5).sample()).abs().sum()  # GRD610
    total.backward()


def own_object(sampler, model: nn.Linear, x):
    return model(sampler(x).sample())


trainer = Trainer()
trainer.step(torch.rand(3, 8))
trainer.reinforce(torch.rand(1, 4), 1.0)
