"""Cases for GRD618: optimizers whose parameters are cut off from the loss, and cuts that are right."""

import torch
import torch.nn.functional as F
from torch import nn, optim


class Model(nn.Module):
    def __init__(self, freeze=True):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.head = nn.Linear(8, 2)
        self.freeze = freeze

    def forward(self, x):
        if self.freeze:
            with torch.no_grad():
                features = self.backbone(x)  # GRD411
        else:
            features = self.backbone(x)
        return self.head(features)


def probe():
    model = Model()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        F.cross_entropy(model(torch.rand(5, 4)), torch.zeros(5).long()).backward()
        optimizer.step()


def right_probe():
    model = Model()
    optimizer = optim.SGD(model.head.parameters(), lr=0.1)
    for _ in range(3):
        model.zero_grad()
        F.cross_entropy(model(torch.rand(5, 4)), torch.zeros(5).long()).backward()
        optimizer.step(None)  # ok: only the head is trained


def finetune():
    model = Model(freeze=False)
    optimizers = [optim.Adam(model.parameters(), lr=0.1)]
    loss = F.cross_entropy(model(torch.rand(5, 4)), torch.zeros(5).long())
    loss.backward()
    optimizers[0].step()  # ok: everything is in the graph


def gan():
    d, g = nn.Linear(2, 1), nn.Linear(3, 2)
    steps = {"d": optim.SGD(d.parameters(), lr=0.1), "g": optim.SGD(g.parameters(), lr=0.1)}
    for _ in range(2):
        fake = g(torch.rand(4, 3)).detach()  # GRD618
        steps["d"].zero_grad()
        F.softplus(d(fake)).mean().backward()
        steps["d"].step()  # ok: its own loss, the generator is not in it
        steps["g"].zero_grad()
        F.softplus(-d(fake)).mean().backward()
        for name in ("g",):
            steps[name].step()


def right_gan():
    d, g = nn.Linear(2, 1), nn.Linear(3, 2)
    of_d, of_g = optim.SGD(d.parameters(), lr=0.1), optim.SGD(g.parameters(), lr=0.1)
    for _ in range(2):
        fake = g(torch.rand(4, 3))
        of_d.zero_grad()
        F.softplus(d(fake.detach())).mean().backward()
        (of_d).step()  # ok: detached where it should be
        of_g.zero_grad()
        F.softplus(-d(fake)).mean().backward()
        of_g.step(closure=None)  # ok: the generator's loss has its graph


def frozen():
    backbone, head = nn.Linear(4, 3).requires_grad_(False), nn.Linear(3, 1)
    optimizer = optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.1)
    with torch.no_grad():
        features = backbone(torch.ones(1, 4))
    head(features).sum().backward()
    return optimizer.step()  # ok: said to be frozen


def in_turns():
    backbone, head = nn.Linear(4, 3), nn.Linear(3, 1)
    optimizer = optim.SGD(list(backbone.parameters()) + list(head.parameters()), lr=0.1)
    for epoch in range(4):
        features = backbone(torch.ones(1, 4))
        if epoch < 2:
            features = features.detach()
        optimizer.zero_grad()
        head(features).sum().backward()
        optimizer.step(), epoch  # ok: trained in later epochs


def unused_part():
    used, spare = nn.Linear(2, 1), nn.Linear(2, 1)
    optimizer = optim.SGD([{"params": used.parameters()}, {"params": spare.parameters()}], lr=0.1)
    target = used(torch.ones(1, 2)).detach() + 1
    (used(torch.ones(1, 2)) - target).square().sum().backward()
    print(optimizer.step())  # ok: what is not used is not cut off


def by_data():
    encoder, decoder = nn.Linear(4, 2), nn.Linear(2, 4)
    parameters = [p for part in (encoder, decoder) for p in part.parameters()]
    optimizer = optim.AdamW(parameters, weight_decay=0.0)
    x = torch.rand(3, 4)
    F.mse_loss(decoder(encoder(x).data), x).backward()  # GRD618
    assert optimizer.step() is None


def optimizers_by_name():
    nets = {"maker": nn.Linear(2, 2), "judge": nn.Linear(2, 1)}
    optimizers = {name: optim.SGD(net.parameters(), lr=0.1) for name, net in nets.items() if name != "nobody"}
    by_key = {name: optim.SGD(nets[name].parameters(), lr=0.1) for name in ("maker", "judge")}
    judged = nets["judge"](nets["maker"](torch.ones(3, 2)).detach())  # GRD618
    judged.mean().backward()
    by_key["judge"].step()  # ok: it has the parameters of one network
    optimizers["judge"].zero_grad(), by_key["maker"].step()


probe()
right_probe()
finetune()


def fooled(rounds):
    maker, judge = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)), nn.Linear(2, 1)
    of_maker, of_judge = torch.optim.Adam(maker.parameters()), torch.optim.Adam(judge.parameters())
    for _ in range(rounds):
        made, true = maker(torch.randn(4, 3)), torch.randn(4, 2)
        of_judge.zero_grad()
        (judge(made.detach()).mean() - judge(true).mean()).backward()  # ok: the judge's own loss
        of_judge.step()
        of_maker.zero_grad()
        fooling = -judge(made.detach()).mean()  # GRD618
        total = (made - true).abs().mean() + fooling / 2
        total.backward()
        of_maker.step()


def fooled_by_sums(rounds):
    maker, judge = nn.Linear(3, 2), nn.Linear(2, 1)
    of_maker, of_judge = torch.optim.Adam(maker.parameters()), torch.optim.Adam(judge.parameters())
    for _ in range(rounds):
        made = maker(torch.randn(4, 3))
        total = made.square().mean()
        total = total - judge(made.data).mean()  # GRD618
        of_maker.zero_grad()
        total.backward()
        of_maker.step()
        of_judge.zero_grad()
        judge(made.detach()).mean().backward()  # ok: the judge steps by it
        of_judge.step()


def both_in_one_loss(rounds):
    maker, judge = nn.Linear(3, 2), nn.Linear(2, 1)
    of_maker, of_judge = torch.optim.Adam(maker.parameters()), torch.optim.Adam(judge.parameters())
    for _ in range(rounds):
        made = maker(torch.randn(4, 3))
        probe = judge(made.detach()).square().mean()  # ok: of the judge, which steps by it as well
        of_maker.zero_grad()
        of_judge.zero_grad()
        (made.square().mean() + probe).backward()
        of_maker.step()
        of_judge.step()


def probe_beside(rounds):
    trunk, head, probe = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 1)
    optimizer = torch.optim.SGD([*trunk.parameters(), *head.parameters(), *probe.parameters()], lr=0.1)
    for _ in range(rounds):
        features = trunk(torch.randn(2, 3)).tanh()
        loss = head(features).square().mean() + probe(features.detach()).abs().mean()  # ok: the probe is trained
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


fooled(3)
fooled_by_sums(3)
both_in_one_loss(3)
probe_beside(3)


class Parts(nn.Module):
    """Two heads on one trunk; what each loss weighs is told by its name."""

    def __init__(self):
        super().__init__()
        self.trunk, self.one, self.two = nn.Linear(4, 8), nn.Linear(8, 3), nn.Linear(8, 2)
        self.weights = {"one": 1.0, "two": 0.1}

    def losses(self, x, y):
        h = self.trunk(x).relu()
        with torch.no_grad():
            second = self.two(h).square().mean()  # GRD411
        return {"one": F.cross_entropy(self.one(h), y), "two": second}

    def right_losses(self, x, y):
        h = self.trunk(x).relu()
        with torch.no_grad():
            shown = self.two(h).abs().max()
            goal = self.two(h) * 0.9
        print("two", shown)
        second = F.mse_loss(self.two(h), goal)  # ok: the goal is to stand still
        return {"one": F.cross_entropy(self.one(h), y), "two": second}

    @torch.no_grad()  # GRD618
    def size(self):
        return sum(p.square().sum() for p in self.parameters())


def summed_by_name(rounds, right):
    net = Parts()
    optimizer = optim.Adam(net.parameters())
    for _ in range(rounds):
        x, y = torch.randn(8, 4), torch.randint(3, (8,))
        losses = net.right_losses(x, y) if right else net.losses(x, y)
        loss = sum(net.weights[name] * value for name, value in losses.items())
        optimizer.zero_grad()
        loss.backward()  # ok: all terms but one are trained by
        optimizer.step()


def smaller(rounds):
    net = Parts()
    optimizer = optim.Adam(net.parameters())
    for _ in range(rounds):
        x, y = torch.randn(8, 4), torch.randint(3, (8,))
        loss = sum(net.right_losses(x, y).values())
        loss += 1e-3 * net.size()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def played(agent: nn.Linear, memory):
    optimizer = optim.Adam(agent.parameters())
    rewards = torch.tensor(memory.rewards).float()
    for _ in range(3):
        chances = torch.stack(memory.chances).detach()  # GRD618
        before = torch.stack(memory.before).detach()
        values = agent(torch.rand(4, 2)).squeeze(1)
        gains = rewards - values.detach()
        ratio = (values - before).exp()  # ok: only compared with
        loss = -chances * gains + 0.5 * F.mse_loss(values, rewards) + ratio.mean()
        optimizer.zero_grad()
        loss.mean().backward()
        optimizer.step()


def spread(agent: nn.Linear, memory, rewards):
    optimizer = optim.Adam(agent.parameters())
    for _ in range(3):
        entropies = torch.cat(memory.entropies, 0).detach().mean()  # GRD618
        values = agent(torch.rand(4, 2)).squeeze(1)
        loss = F.mse_loss(values, rewards) + values.square().mean() - 0.01 * entropies
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def judged_by_place(rounds):
    maker, judge = nn.Conv2d(3, 4, 1), nn.Conv2d(4, 1, 1)
    of_maker, of_judge = optim.Adam(maker.parameters()), optim.Adam(judge.parameters())

    def hot(places):
        return torch.zeros(2, 4, 5, 5).scatter_(1, places, 1)

    for _ in range(rounds):
        x, y = torch.rand(2, 3, 5, 5), torch.rand(2, 4, 5, 5)
        made = maker(x).softmax(1)
        best = made.data.max(1, keepdim=True)[1]  # GRD618
        judged = judge(hot(best))
        of_maker.zero_grad()
        (F.mse_loss(made, y) + 0.1 * judged.square().mean()).backward()
        of_maker.step()
        of_judge.zero_grad()
        best = made.detach().argmax(1, keepdim=True)  # ok: the judge's own loss
        (judge(hot(best)).mean() - judge(y).mean()).backward()
        of_judge.step()


def valued_otherwise(rounds):
    net = nn.Linear(4, 1)
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    for _ in range(rounds):
        x = torch.randn(8, 4)
        first, second = net(x).mean().square(), net(x + 1).mean().square()
        with torch.no_grad():
            shown = net(x - 1).mean()
            weight = first / (first + second)
        loss = first + weight * second  # ok: a weight
        loss = loss - loss.detach() + shown  # ok: has the value of another and its own gradient
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


summed_by_name(3, right=True)
summed_by_name(3, right=False)
smaller(3)
judged_by_place(3)
valued_otherwise(3)


class Sampled(nn.Module):
    """Draws its code from what it computes."""

    def __init__(self):
        super().__init__()
        self.encode, self.decode = nn.Linear(5, 4), nn.Linear(2, 5)

    def forward(self, x):
        mean, spread = self.encode(x).chunk(2, 1)
        return self.decode(torch.distributions.Normal(mean, spread.exp()).sample())  # GRD618

    def with_divergence(self, x):
        mean, spread = self.encode(x).chunk(2, 1)
        drawn = torch.distributions.Laplace(mean, spread.exp())
        away = torch.distributions.kl_divergence(drawn, torch.distributions.Laplace(0.0, 1.0))
        return self.decode(drawn.sample()), away.mean()  # GRD610

    def scored(self, x):
        mean, spread = self.encode(x).chunk(2, 1)
        drawn = torch.distributions.Cauchy(mean, spread.exp())
        code = drawn.sample()  # ok: the score function estimator
        wrong = self.decode(code).square().mean(1)
        return (wrong + wrong.detach() * drawn.log_prob(code).sum(1)).mean()


def reconstruct(rounds):
    one, other, third = Sampled(), Sampled(), Sampled()
    of_one, of_other, of_third = (optim.SGD(net.parameters(), lr=0.1) for net in (one, other, third))
    for _ in range(rounds):
        x = torch.rand(6, 5)
        of_one.zero_grad()
        F.mse_loss(one(x), x).backward()
        of_one.step()
        of_other.zero_grad()
        again, away = other.with_divergence(x)
        (F.mse_loss(again, x) + away).backward()
        of_other.step()
        of_third.zero_grad()
        third.scored(x).backward()
        of_third.step()


def draw_an_action(rounds):
    actor, critic = nn.Linear(4, 2), nn.Linear(6, 1)
    optimizer = optim.Adam([*actor.parameters(), *critic.parameters()], lr=0.1)
    for _ in range(rounds):
        state = torch.rand(3, 4)
        action = torch.distributions.Normal(actor(state), 0.5).sample()  # GRD618
        optimizer.zero_grad()
        (-critic(torch.cat([state, action], 1)).mean()).backward()
        optimizer.step()


reconstruct(3)
draw_an_action(3)


def one_loss_for_two_optimizers(actor: nn.Linear, critic: nn.Linear, states, actions, rewards):
    first, second = optim.Adam(actor.parameters()), optim.Adam(critic.parameters())
    worth = critic(states)  # GRD401
    gains = torch.zeros_like(rewards)
    for at in range(len(rewards)):
        gains[at] = rewards[at] - worth.data[at, 0]
    before = nn.functional.log_softmax(actor(states), 1).gather(1, actions)  # GRD401
    for _ in range(4):
        judged = nn.functional.mse_loss(critic(states)[:, 0], rewards)
        now = nn.functional.log_softmax(actor(states), 1).gather(1, actions)
        ratio = (now - before.detach()).exp()[:, 0]  # ok: the critic weighs what the actor learns
        loss = 0.5 * judged - (ratio * gains).mean()
        second.zero_grad()
        loss.backward(retain_graph=True)  # GRD617
        second.step()
        first.zero_grad()
        loss.backward(retain_graph=False)  # GRD617
        first.step()
