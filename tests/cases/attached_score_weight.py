"""Cases for GRD620: weights of scores that are trained by them, and those that are numbers or part of the model."""

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.distributions import Categorical, Normal


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(3, 8)
        self.policy, self.value = nn.Linear(8, 4), nn.Linear(8, 1)

    def forward(self, state):
        hidden = torch.tanh(self.trunk(state))
        return self.policy(hidden), self.value(hidden).squeeze(-1)


def shared_trunk(rounds):
    net = ActorCritic()
    optimizer = optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(rounds):
        logits, value = net(torch.randn(6, 3))
        choice = Categorical(logits=logits)
        score = choice.log_prob(choice.sample())
        advantage = torch.randn(6) - value
        loss = (-score * advantage).mean() + 0.5 * advantage.pow(2).mean()  # GRD620
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def shared_trunk_right(rounds):
    net = ActorCritic()
    optimizer = optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(rounds):
        logits, value = net(torch.randn(6, 3))
        choice = Categorical(logits=logits)
        score = choice.log_prob(choice.sample())
        advantage = torch.randn(6) - value
        loss = (-score * advantage.detach()).sum() + F.mse_loss(value, torch.randn(6))  # ok: detached
        loss = loss - 0.01 * choice.entropy().mean()  # ok: no score
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def several_scores(rounds):
    policy, critic = nn.Linear(3, 2), nn.Linear(3, 1)
    optimizer = optim.SGD([*policy.parameters(), *critic.parameters()], lr=0.1)
    for _ in range(rounds):
        scores, values = [], []
        for _ in range(4):
            state = torch.randn(3)
            choice = Categorical(logits=policy(state))
            scores.append(choice.log_prob(choice.sample()))
            values.append(critic(state).squeeze())
        gap = torch.randn(4) - torch.stack(values)
        loss = (torch.stack(scores) * gap).neg().mean()  # GRD620
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def ratio_of_scores(state: torch.Tensor, gain: torch.Tensor):
    policy, critic = nn.Linear(3, 2), nn.Linear(3, 1)
    law = Normal(policy(state), torch.ones(2))
    moved = law.sample()
    score = law.log_prob(moved).sum(-1)
    ratio = torch.exp(score - score.detach())
    (-(ratio * (gain - critic(state).squeeze(1))).mean()).backward()  # GRD620
    (-(ratio.detach() * (gain - critic(state).squeeze(1))).mean()).backward()  # ok: the ratio is a number


def of_other_rewards(rounds):
    policy = nn.Linear(3, 2)
    optimizer = optim.SGD(policy.parameters(), lr=0.1)
    for _ in range(rounds):
        choice = Categorical(logits=policy(torch.randn(5, 3)))
        score = choice.log_prob(choice.sample())
        loss = -(score * torch.randn(5)).mean()  # ok: a reward is a number
        loss = loss + 0.1 * (score * score.exp()).mean()  # ok: of the policy alone
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def pathwise(rounds):
    encoder, temper = nn.Linear(3, 2), nn.Linear(3, 2)
    optimizer = optim.SGD([*encoder.parameters(), *temper.parameters()], lr=0.1)
    for _ in range(rounds):
        x = torch.randn(5, 3)
        law = Normal(encoder(x), 1.0)
        loss = (law.log_prob(law.rsample()) * temper(x)).mean()  # ok: gradients go through the sample
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def experts(rounds):
    gate, mean = nn.Linear(3, 2), nn.Linear(3, 2)
    optimizer = optim.SGD([*gate.parameters(), *mean.parameters()], lr=0.1)
    for _ in range(rounds):
        x, y = torch.randn(5, 3), torch.randn(5, 2)
        loss = -(Normal(mean(x), 1.0).log_prob(y) * gate(x).softmax(1)).sum()  # ok: the data are no sample
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def looked_at(state: torch.Tensor):
    policy, critic = nn.Linear(3, 2), nn.Linear(3, 1)
    choice = Categorical(logits=policy(state))  # GRD401
    print((choice.log_prob(choice.sample()) * critic(state).squeeze(1)).mean().item())  # GRD401


class Agent:
    def __init__(self):
        self.actor, self.critic = nn.Linear(3, 2), nn.Linear(3, 1)
        self.of_actor = optim.Adam(self.actor.parameters())
        self.of_critic = optim.Adam(self.critic.parameters())

    def learn(self, state: torch.Tensor, gain: torch.Tensor):
        law = Normal(self.actor(state), 0.5)
        action = law.sample().clamp(-1, 1)
        delta = gain - self.critic(state)
        self.of_actor.zero_grad()
        actor_loss = -(law.log_prob(action) * delta).mean()  # GRD620
        actor_loss.backward(retain_graph=True)
        self.of_actor.step()
        self.of_critic.zero_grad()
        delta.pow(2).mean().backward()
        self.of_critic.step()


shared_trunk(3)
shared_trunk_right(3)
several_scores(2)
of_other_rewards(2)
pathwise(2)
experts(2)
