"""Cases for GRD617: gradients for a network that this step does not train, and losses that are meant for both."""

import argparse
import copy

import torch
import torch.nn.functional as F
from elsewhere import summarize
from torch import nn, optim
from torch.utils.data import DataLoader


class GAN:
    def __init__(self, lr):
        self.d = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(), nn.Linear(8, 1))
        self.g = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        self.of_d = optim.Adam(self.d.parameters(), lr=lr)
        self.of_g = optim.Adam(self.g.parameters(), lr=lr)

    def step(self, real):
        fake = self.g(torch.randn(8, 4))
        self.of_d.zero_grad()
        loss = F.softplus(-self.d(real)).mean() + F.softplus(self.d(fake)).mean()  # GRD617
        loss.backward()
        self.of_d.step()
        self.of_g.zero_grad()
        F.softplus(-self.d(self.g(torch.randn(8, 4)))).mean().backward()  # ok: through the discriminator by necessity
        self.of_g.step()

    def right_step(self, real):
        fake = self.g(torch.randn(8, 4))
        self.of_d.zero_grad()
        loss = F.softplus(-self.d(real)).mean() + F.softplus(self.d(fake.detach())).mean()
        (loss / 2).backward()  # ok: detached
        self.of_d.step()
        self.of_g.zero_grad()
        loss = F.softplus(-self.d(fake)).mean()
        torch.autograd.backward(loss)  # ok: the generator's own loss
        self.of_g.step()


def fit():
    gan = GAN(1e-3)
    for _ in range(2):
        gan.step(torch.rand(8, 2))


def right_fit():
    gan = GAN(1e-3)
    for _ in range(2):
        gan.right_step(torch.rand(8, 2))


def relativistic():
    d, g = nn.Linear(2, 1), nn.Linear(3, 2)
    of_d, of_g = optim.SGD(d.parameters(), 0.1), optim.SGD(g.parameters(), 0.1)
    for _ in range(2):
        fake, real = g(torch.rand(4, 3)), torch.rand(4, 2)
        of_d.zero_grad(set_to_none=True)
        F.softplus(d(fake.detach()) - d(real)).mean().backward(retain_graph=True)  # GRD504
        of_d.step()
        of_g.zero_grad(set_to_none=True)
        F.softplus(d(real) - d(fake)).mean().backward()  # ok: both sides go through the discriminator
        of_g.step()


def jointly():
    encoder, head = nn.Linear(4, 3), nn.Linear(3, 1)
    one, two = optim.SGD(encoder.parameters(), lr=0.1), optim.SGD(head.parameters(), lr=0.01)
    for _ in range(3):
        one.zero_grad()
        two.zero_grad()
        head(encoder(torch.ones(2, 4))).square().mean().backward()  # ok: both step
        two.step()
        one.step()


def critic_with_weights(lr=0.1):
    critic, actor = nn.Linear(3, 1), nn.Linear(2, 1)
    of_critic = optim.RMSprop(critic.parameters(), lr=lr)
    of_actor = optim.RMSprop(actor.parameters(), lr=lr)
    state = torch.rand(5, 2)
    for _ in range(4):
        action = torch.tanh(actor(state))
        value = critic(torch.cat([state, action], 1))  # GRD617
        of_critic.zero_grad()
        (value - 1).abs().mean().backward()
        of_critic.step()
        of_actor.zero_grad()
        (-critic(torch.cat([state, torch.tanh(actor(state))], 1))).sum().backward(None)  # ok: through the critic
        of_actor.step()


def under_no_grad():
    online, target = nn.Linear(2, 1), nn.Linear(2, 1)
    optimizer = optim.SGD(online.parameters(), lr=0.1)
    for _ in range(2):
        with torch.no_grad():
            wanted = target(torch.ones(1, 2))
        optimizer.zero_grad()
        F.mse_loss(online(torch.ones(1, 2)), wanted).backward()  # ok: without gradients
        optimizer.step()


def by_module():
    d, g = nn.Linear(2, 1), nn.Linear(3, 2)
    of_d, of_g = optim.SGD(d.parameters(), 0.1), optim.SGD(g.parameters(), 0.1)
    d.zero_grad()
    losses = {"d": d(g(torch.rand(4, 3))).mean()}  # GRD617
    losses["d"].backward()
    of_d.step()
    g.zero_grad()
    losses["g"] = -d(g(torch.rand(4, 3))).mean()
    losses["g"].backward(inputs=list(g.parameters()))  # ok: asks for the generator alone
    of_g.step()


class Distilled:
    def __init__(self):
        self.pupil, self.teacher = nn.Linear(4, 3), nn.Linear(4, 3)
        self.teacher.eval()
        self.steps = optim.AdamW(self.pupil.parameters())

    def learn(self, x, label):
        hint = self.teacher(x).softmax(-1)
        out = self.pupil(x)
        self.steps.zero_grad()
        loss = F.cross_entropy(out, label) + F.kl_div(out.log_softmax(-1), hint, reduction="batchmean")
        loss.sum().backward()  # GRD617
        self.steps.step()


class Perceptual:
    def __init__(self):
        self.made, self.seen = torch.rand(1, 4, requires_grad=True), nn.Linear(4, 3).eval()
        self.steps = optim.Adam([self.made])

    def fit(self, wanted):
        for _ in range(3):
            self.steps.zero_grad()
            (self.seen(self.made) - self.seen(wanted)).square().sum().backward()  # ok: on the way to what is stepped
            self.steps.step()


def frozen_by_flag():
    pupil, teacher = nn.Linear(2, 3), nn.Linear(2, 3)
    teacher.requires_grad_(False)
    steps = optim.SGD(pupil.parameters(), 0.2)
    for x in (torch.ones(2), torch.zeros(2)):
        steps.zero_grad()
        (teacher(x) - pupil(x)).exp().sum().backward()  # ok: the teacher asks for nothing
        steps.step()


def frozen_by_code_that_is_not_shown(freeze):
    pupil, teacher = nn.Linear(5, 3), nn.Linear(5, 3)
    freeze(teacher)
    steps = optim.SGD(pupil.parameters(), 0.2)
    for x in torch.rand(3, 5):
        steps.zero_grad()
        F.l1_loss(pupil(x), teacher(x)).backward()  # ok: it may have been frozen
        steps.step()


def moved_by_hand(rate=0.01):
    first, second = nn.Linear(2, 2, bias=False), nn.Linear(2, 1)
    steps = optim.SGD(second.parameters(), 0.1)
    for _ in range(2):
        steps.zero_grad(), first.zero_grad()
        second(first(torch.ones(1, 2))).square().sum().backward()  # ok: the first is stepped by hand
        steps.step()
        with torch.no_grad():
            first.weight -= rate * first.weight.grad


def attacked(rate=0.1):
    net, other = nn.Linear(3, 1).eval(), nn.Linear(3, 1)
    steps = optim.SGD(other.parameters(), 0.1)
    for x in torch.rand(2, 4, 3):
        x = x.clone().requires_grad_()
        steps.zero_grad()
        (net(x).mean() + other(x).mean()).backward()  # ok: gradients go through the network to its input
        steps.step()
        print(x.grad + rate)



class Judged:
    """A network that is trained by what another says of it."""

    def __init__(self, path, frozen=False):
        self.maker, self.judge = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 3), nn.ReLU())
        self.judge.load_state_dict(torch.load(path))
        self.judge.eval()
        self.steps = optim.Adam(self.maker.parameters())

    def learn(self, noise):
        self.steps.zero_grad()
        (-self.judge(self.maker(noise)).logsumexp(1).mean()).backward()  # GRD617
        self.steps.step()


class JudgedByWhatIsFrozen:
    def __init__(self, path):
        self.maker, self.judge = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 3), nn.Tanh())
        self.judge.load_state_dict(torch.load(path))
        for one in self.judge.eval().parameters():
            one.requires_grad = False
        self.steps = optim.Adam(self.maker.parameters())

    def learn(self, noise):
        self.steps.zero_grad()
        self.judge(self.maker(noise)).square().mean().neg().backward()  # ok: it is frozen
        self.steps.step()


class JudgedByWhatIsCleared:
    def __init__(self):
        self.maker, self.judge = nn.Linear(4, 6), nn.Linear(6, 3).eval()
        self.steps = optim.Adam(self.maker.parameters())

    def learn(self, noise):
        self.steps.zero_grad()
        self.judge.zero_grad()
        self.judge(self.maker(noise)).abs().mean().backward()  # ok: who clears what it leaves knows of it
        self.steps.step()


def lagging_networks(size, batches):
    nets, slow_nets = [], []
    for _ in range(size):
        nets.append(nn.Linear(3, 2))
        slow_nets.append(nn.Linear(3, 2))
    steps = [optim.SGD(net.parameters(), lr=0.1) for net in nets]
    for net, slow, step in zip(nets, slow_nets, steps):
        for x in batches:
            goal = slow(x).max(1).values
            gap = (net(x).mean(1) - goal).square().mean()
            step.zero_grad()
            (gap + 0.1).backward()  # GRD617
            step.step()


def several_of_a_list(size, batches):
    nets = [nn.Linear(3, 2) for _ in range(size)]
    steps = [optim.SGD(net.parameters(), lr=0.1) for net in nets]
    for x in batches:
        loss = sum(net(x).square().mean() for net in nets)
        (loss * 3).backward()  # ok: each has an optimizer
        for step in steps:
            step.step()
            step.zero_grad()


class Learner(nn.Module):
    """It holds all networks and is never called itself."""

    def __init__(self):
        super().__init__()
        self.critic, self.target_critic = nn.Linear(5, 1), nn.Linear(5, 1)
        self.actor = nn.Linear(4, 1)
        self.target_critic.load_state_dict(self.critic.state_dict())
        self.of_critic = optim.Adam(self.critic.parameters(), lr=1e-3)
        self.of_actor = optim.Adam(self.actor.parameters(), lr=1e-3)

    def update(self, now, then, gain):
        wanted = gain + 0.9 * self.target_critic(then)
        self.of_critic.zero_grad()
        nn.functional.smooth_l1_loss(self.critic(now), wanted).backward()  # GRD617
        self.of_critic.step()
        chosen = torch.cat([now[:, :4], self.actor(now[:, :4])], 1)
        self.of_actor.zero_grad()
        self.critic(chosen).mean().neg().backward()  # ok: the critic is passed through, and has its own optimizer
        self.of_actor.step()

    def right_update(self, now, then, gain):
        wanted = gain + 0.9 * self.target_critic(then).detach()  # GRD401
        loss = nn.functional.huber_loss(self.critic(now), wanted)
        self.of_critic.zero_grad()
        (loss * 2).backward()  # ok: the target is cut off
        self.of_critic.step()


class Tuned(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk, self.head = nn.Linear(4, 4), nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.trunk(x).relu())


def tuned_at_the_head(batches):
    net = Tuned()
    steps = optim.SGD(net.head.parameters(), lr=0.1)
    for x in batches:
        steps.zero_grad()
        net(x).logsumexp(1).mean().backward()  # ok: a part of one network is tuned
        steps.step()


def optimizer_from_elsewhere(steps, batches):
    pupil, teacher = nn.Linear(4, 3), nn.Linear(4, 3)
    for x in batches:
        steps.zero_grad()
        (pupil(x) - teacher(x)).abs().amax().sqrt().backward()  # ok: nobody knows what the optimizer holds
        steps.step()


if __name__ == "__main__":
    args = argparse.ArgumentParser().parse_args()
    fit()
    right_fit()


def table_of_its_own_goals(rounds):
    table = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = optim.Adam(table.parameters(), lr=1e-3)
    for _ in range(rounds):
        now, following, gain = torch.randn(6, 4), torch.randn(6, 4), torch.randn(6)
        pick = torch.randint(3, (6, 1))
        goal = gain + 0.95 * table(following).max(1).values
        loss = F.smooth_l1_loss(table(now).gather(1, pick).squeeze(1), goal)  # GRD617
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def difference_in_time(rounds):
    table = nn.Linear(4, 3)
    optimizer = optim.SGD(table.parameters(), lr=0.1)
    for _ in range(rounds):
        gain, done = torch.randn(6), torch.zeros(6)
        gap = gain + 0.9 * (1 - done) * table(torch.randn(6, 4)).amax(1) - table(torch.randn(6, 4))[:, 0]  # GRD617
        optimizer.zero_grad()
        gap.square().mean().backward()
        optimizer.step()


def goals_held_still(rounds):
    table = nn.Linear(4, 3)
    optimizer = optim.SGD(table.parameters(), lr=0.1)
    for _ in range(rounds):
        gain = torch.randn(6)
        goal = gain + 0.9 * table(torch.randn(6, 4)).max(dim=1)[0].detach()  # GRD401
        loss = F.mse_loss(table(torch.randn(6, 4))[:, 1], goal)  # ok: the goal is detached
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def margin_of_scores(rounds):
    scorer = nn.Linear(4, 3)
    optimizer = optim.SGD(scorer.parameters(), lr=0.1)
    for _ in range(rounds):
        scores, label = scorer(torch.randn(6, 4)), torch.randint(3, (6, 1))
        margin = (0.5 + 0.9 * scores.max(1).values - scores.gather(1, label).squeeze(1)).abs()  # ok: no gain
        optimizer.zero_grad()
        margin.mean().backward()
        optimizer.step()


def two_views(rounds):
    net, noise = nn.Linear(4, 3), torch.randn(6, 3)
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    for _ in range(rounds):
        loss = F.mse_loss(net(torch.randn(6, 4)), noise + 0.9 * net(torch.randn(6, 4)))  # ok: both views are trained
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def judged_with_a_live_maker(rounds):
    maker, judge = nn.Linear(2, 6), nn.Linear(6, 1)
    optimizer = optim.Adam(judge.parameters(), lr=1e-3)
    for _ in range(rounds):
        high, low = judge(torch.randn(4, 6)), judge(maker(torch.randn(4, 2)))  # GRD617
        optimizer.zero_grad()
        (F.softplus(-high).mean() + F.softplus(low).mean()).backward()
        optimizer.step()


table_of_its_own_goals(3)
difference_in_time(3)
goals_held_still(3)
margin_of_scores(3)
two_views(3)
judged_with_a_live_maker(3)


def attacked(net, x, y):
    x = x.clone().requires_grad_(True)
    F.cross_entropy(net(x), y).backward()  # GRD617
    return (x + 0.03 * x.grad.sign()).detach()


def attacked_by_rounds(net, x, y, rounds=3):
    for _ in range(rounds):
        x = x.detach().requires_grad_()
        (-F.cross_entropy(net(x), y)).backward()  # GRD617
        x = x - 0.01 * x.grad.sign()
    return x.detach()


def attacked_alone(net, x, y, rounds=3):
    for _ in range(rounds):
        x = x.detach().requires_grad_()
        loss = F.cross_entropy(net(x), y, reduction="sum")
        (slope,) = torch.autograd.grad(loss, x)  # ok: of the input alone
        x = x + 0.01 * slope.sign()
    return x.detach()


def attacked_and_cleared(net, x, y):
    x = x.clone().requires_grad_(True)
    loss = F.cross_entropy(net(x, x), y) * 2
    net.zero_grad()
    loss.mean().neg().neg().backward()  # ok: what it fills is cleared the next time
    return (x + 0.03 * x.grad.sign()).detach()


def evaluated(rounds):
    net, other = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 3)).eval(), nn.Linear(4, 3).eval()
    third = nn.Bilinear(4, 4, 3).eval()
    frozen = nn.Linear(4, 3).eval().requires_grad_(False)
    for _ in range(rounds):
        x, y = torch.rand(8, 4), torch.randint(3, (8,))
        first, second = attacked(net, x, y), attacked_by_rounds(net, x, y)
        third_one, fourth = attacked_alone(other, x, y), attacked_and_cleared(third, x, y)
        start = x.clone().requires_grad_()
        F.nll_loss(frozen(start).log_softmax(1), y).backward()  # ok: frozen
        with torch.no_grad():
            seen = (net(first), net(second), other(third_one), third(fourth, fourth), frozen(start - start.grad))
        print([(one.argmax(1) == y).sum() for one in seen])


def shown_once():
    net = nn.Linear(4, 3).eval()
    x = torch.rand(1, 4, requires_grad=True)
    net(x)[0, 1].backward()  # ok: once
    return x.grad.abs()


evaluated(3)
shown_once()


class Captioned:
    def __init__(self, loader: DataLoader):
        self.painter = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 4))
        self.words = nn.Sequential(nn.Linear(3, 8), nn.Tanh())
        self.words.load_state_dict(torch.load("words.pt"))
        self.optimizer = torch.optim.Adam(self.painter.parameters())
        self.loader = loader

    def fit(self):
        for image, caption in self.loader:
            text = self.words(caption)
            if torch.rand(1) < 0.1:
                text = torch.zeros(8)
            loss = F.l1_loss(self.painter(text), image)  # GRD617
            self.optimizer.zero_grad()
            (0.1 * loss).backward()
            self.optimizer.step()

    def fit_without_recording(self):
        for image, caption in self.loader:
            with torch.no_grad():
                text = self.words(caption)
            if torch.rand(1) < 0.1:
                text = torch.ones(8)
            loss = F.huber_loss(self.painter(text), image)
            self.optimizer.zero_grad()
            loss.mean(0).backward()  # ok: the words were read without gradients
            self.optimizer.step()


class CaptionedTogether:
    def __init__(self, loader: DataLoader):
        self.painter = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 4))
        self.words = nn.Sequential(nn.Linear(3, 8), nn.Tanh())
        self.words.load_state_dict(torch.load("words.pt"))
        self.optimizer = torch.optim.Adam([*self.painter.parameters(), *self.words.parameters()])
        self.loader = loader

    def fit(self):
        for image, caption in self.loader:
            text = self.words(caption)
            if torch.rand(1) < 0.2:
                text = torch.zeros(8)
            loss = F.smooth_l1_loss(self.painter(text), image)
            self.optimizer.zero_grad()
            (loss ** 2).backward()  # ok: both are trained
            self.optimizer.step()


class CaptionedByFrozen:
    def __init__(self, loader: DataLoader):
        self.painter = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 4))
        self.words = nn.Sequential(nn.Linear(3, 8), nn.Tanh())
        self.words.load_state_dict(torch.load("words.pt"))
        self.words.requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.painter.parameters())
        self.loader = loader

    def fit(self):
        for image, caption in self.loader:
            text = self.words(caption)
            if torch.rand(1) < 0.3:
                text = torch.zeros(8)
            loss = F.mse_loss(self.painter(text), image)
            self.optimizer.zero_grad()
            F.elu(loss).backward()  # ok: the words are frozen
            self.optimizer.step()


class OneOfMany:
    """Its action goes among those of others, which all the critic is shown."""

    def __init__(self, place, actor, critic, rate):
        self.place, self.actor, self.critic = place, actor, critic
        self.of_actor = torch.optim.Adam(self.actor.parameters(), rate)
        self.of_critic = torch.optim.Adam(self.critic.parameters(), rate)

    def improve(self, batch):
        chosen = self.actor.choose(batch.seen[self.place], explore=True)
        actions = list(batch.actions)
        actions[self.place] = chosen
        worth = self.critic(batch.seen, actions)
        loss = 1e-3 * self.actor(batch.seen[self.place]).pow(2).mean() - worth.mean()
        self.of_actor.zero_grad()
        (loss * 0.5).backward()  # ok: the way to the actor leads through the critic
        self.of_actor.step()

    def judge(self, batch, wanted):
        loss = F.mse_loss(self.critic(batch.seen, batch.actions), wanted.detach())
        self.of_critic.zero_grad()
        torch.autograd.backward([loss])  # ok: only the critic is in it
        self.of_critic.step()


def frozen_head_is_stepped(batches):
    body, head = nn.Linear(4, 4), nn.Linear(4, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    head.requires_grad_(False)
    for batch in batches:
        head(body(batch)).mean().backward()  # ok: nothing that is stepped is asked for
        optimizer.step()
        summarize(optimizer)


class WithItsOwnOptimizer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, 1)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=1e-3)

    def forward(self, x):
        return self.layer(x)


class OfWorth:
    def __init__(self):
        self.worth, self.slow_worth = WithItsOwnOptimizer(4), WithItsOwnOptimizer(4)

    def learn(self, now, then, gained):
        wanted = gained + 0.9 * self.slow_worth(then)
        error = F.smooth_l1_loss(self.worth(now), wanted)
        self.worth.optimizer.zero_grad()
        (2 * error).backward()  # GRD617
        self.worth.optimizer.step()


class Both:
    def __init__(self):
        self.first, self.second = WithItsOwnOptimizer(5), WithItsOwnOptimizer(5)

    def learn(self, now, gained):
        error = F.huber_loss(self.first(now) + self.second(now), gained)
        self.first.optimizer.zero_grad()
        self.second.optimizer.zero_grad()
        error.mul(3).backward()  # ok: both are stepped
        self.first.optimizer.step()
        self.second.optimizer.step()


class Scribe(nn.Module):
    def __init__(self):
        super().__init__()
        self.pen = nn.GRUCell(3, 3)

    def relaxed(self, steps: int):
        word, lines = torch.zeros(2, 3), torch.zeros(steps, 2, 3)
        for step in range(steps):
            word = self.pen(word).softmax(1)
            lines[step] = word
        return lines


def critic_of_what_is_written(steps: int):
    scribe, critic = Scribe(), nn.Linear(3, 1)
    for_scribe, for_critic = optim.SGD(scribe.parameters(), 0.1), optim.SGD(critic.parameters(), 0.1)
    for _ in range(9):
        lines = scribe.relaxed(steps)
        for_critic.zero_grad()
        judged = critic(lines).sigmoid()  # GRD617

        more = critic(torch.ones(2, 3))
        wrong = judged.log().mean() - more.mean()
        torch.autograd.backward(wrong)
        for_critic.step()
        for_scribe.zero_grad()
        critic(scribe.relaxed(steps)).mean().neg().backward()  # ok: the way to the scribe leads through the critic
        for_scribe.step()


class PenalisedBetweenBatches:
    """The penalty is computed by a method, and the generator is trained later in the same iteration."""

    def __init__(self, loader):
        self.maker, self.judge = nn.Linear(4, 4), nn.Linear(4, 1)
        self.loader = loader

    def penalty(self, real, fake):
        between = 0.5 * real + 0.5 * fake
        slope = torch.autograd.grad(self.judge(between).sum(), between, create_graph=True)[0]  # GRD617
        return (slope.norm(2, dim=1) - 1).pow(2).mean()

    def train(self):
        of_maker = torch.optim.Adam(self.maker.parameters())
        of_judge = torch.optim.Adam(self.judge.parameters())
        for number, x in enumerate(self.loader):
            fake = self.maker(x)
            of_judge.zero_grad()
            loss = self.judge(fake.detach()).mean() - self.judge(x).mean() + self.penalty(x, fake)
            loss.backward()
            of_judge.step()
            if number % 2 == 0:
                fake = self.maker(x)
                judged = self.judge(fake)  # ok: the maker is trained by it
                of_maker.zero_grad()
                (-judged.mean()).backward()
                of_maker.step()


PenalisedBetweenBatches([torch.randn(3, 4) for _ in range(4)]).train()


def judged_twice(rounds: int):
    """Two optimizers step for one loss; that of the maker steps for another."""
    maker, far, near = nn.Linear(2, 2), nn.Linear(2, 1), nn.Linear(2, 1)
    of_maker = torch.optim.Adam(maker.parameters())
    of_far, of_near = torch.optim.Adam(far.parameters()), torch.optim.Adam(near.parameters())
    for _ in range(rounds):
        made = maker(torch.randn(3, 2))
        both = far(made).square().mean() + near(made).exp().mean()  # GRD617
        of_far.zero_grad(), of_near.zero_grad()
        both.backward()
        of_far.step()
        of_near.step()
        of_maker.zero_grad()
        (far(maker(torch.randn(3, 2))) - 1).square().mean().backward()  # ok: the maker is stepped
        of_maker.step()


def made_and_judged_together(rounds: int):
    maker, far, near = nn.Linear(2, 2), nn.Linear(2, 1), nn.Linear(2, 1)
    steppers = [torch.optim.Adam(one.parameters()) for one in (maker, far, near)]
    for _ in range(rounds):
        for stepper in steppers:
            stepper.zero_grad()
        both = far(maker(torch.randn(3, 2))) * near(torch.randn(3, 2))  # ok: all three step
        both.mean().backward()
        for stepper in steppers:
            stepper.step()


judged_twice(2), made_and_judged_together(2)


class WithManyStages:
    """Both optimizers are made again for later stages, so that in the end nobody knows which it is."""

    def __init__(self):
        self.maker, self.judge = nn.Linear(2, 2), nn.Linear(2, 1)
        self.of_maker = torch.optim.Adam(self.maker.parameters(), lr=0.1)
        self.of_judge = torch.optim.Adam(self.judge.parameters(), lr=0.1)

    def batch(self, x):
        made = self.maker(x)
        self.of_judge.zero_grad()
        self.judge(made.detach()).relu().mean().backward()
        self.of_judge.step()
        self.of_maker.zero_grad()
        (1 - self.judge(made)).relu().mean().backward(retain_graph=True)  # ok: its optimizer steps
        made.norm().backward()
        self.of_maker.step()

    def train(self, batches, epochs):
        for epoch in range(1, epochs + 1):
            if epoch == 50:
                self.of_maker = torch.optim.Adam(self.maker.parameters(), lr=0.01)
                self.of_judge = torch.optim.Adam(self.judge.parameters(), lr=0.01)
            if epoch == 80:
                self.of_maker = torch.optim.Adam(self.maker.parameters(), lr=0.001)
                self.of_judge = torch.optim.Adam(self.judge.parameters(), lr=0.001)
            if epoch == 90:
                self.of_maker = torch.optim.Adam(self.maker.parameters(), lr=1e-4)
                self.of_judge = torch.optim.Adam(self.judge.parameters(), lr=1e-4)
            if epoch == 95:
                self.of_maker = torch.optim.Adam(self.maker.parameters(), lr=1e-5)
                self.of_judge = torch.optim.Adam(self.judge.parameters(), lr=1e-5)
            for x in batches:
                self.batch(x)


WithManyStages().train([torch.randn(3, 2)], 2)


class PenalisedBesides(PenalisedBetweenBatches):
    """The critic is handed what the generator makes twice; the one in the function that trains it is where to cut."""

    def train(self):
        of_maker = torch.optim.Adam(self.maker.parameters())
        of_judge = torch.optim.Adam(self.judge.parameters())
        for x in self.loader:
            of_judge.zero_grad()
            fake = self.maker(x + 1)
            far = self.judge(fake).mean() - self.judge(x).mean()  # GRD617
            slopes = self.penalty(x, fake)
            (far + 10 * slopes).backward()
            of_judge.step()
            of_maker.zero_grad()
            self.judge(self.maker(x - 1)).mean().neg().backward()  # ok: the maker steps
            of_maker.step()


PenalisedBesides([torch.randn(3, 4) for _ in range(2)]).train()


class Sees(nn.Module):
    """A network that comes with weights, or without."""

    def __init__(self, weights=None):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 8), nn.Tanh())
        self.weights = weights

    def forward(self, x):
        return self.layers(x)


class AsItLooks(nn.Module):
    """A loss by what a trained network sees."""

    def __init__(self):
        super().__init__()
        self.sees = Sees(weights="of others")

    def forward(self, made, wanted):
        with torch.no_grad():
            goal = self.sees(wanted)
        return F.mse_loss(self.sees(made), goal)


def made_to_look_alike(batches):
    maker, looks = nn.Linear(4, 2), AsItLooks()
    optimizer = optim.Adam(maker.parameters(), lr=0.01)
    for noise, wanted in batches:
        optimizer.zero_grad()
        loss = looks(maker(noise), wanted)
        loss.backward()  # GRD617
        optimizer.step()


def made_to_look_alike_to_one_that_is_frozen(batches):
    maker, looks = nn.Linear(4, 2), AsItLooks()
    looks.requires_grad_(requires_grad=False)
    optimizer = optim.Adam(maker.parameters(), lr=0.01)
    for noise, wanted in batches:
        optimizer.zero_grad()
        looks(maker(noise), wanted).backward()  # ok: frozen, and gradients still pass
        optimizer.step()


def made_with_one_that_learns_as_well(batches):
    maker, looks = nn.Linear(4, 2), AsItLooks()
    optimizer = optim.Adam([*maker.parameters(), *looks.parameters()], lr=0.01)
    for noise, wanted in batches:
        optimizer.zero_grad()
        looks(maker(noise), wanted).sum().backward()  # ok: the optimizer holds both
        optimizer.step()


class Client:
    """One of several whose networks are kept near that of the server while they are trained."""

    def __init__(self, net: nn.Module, data, rate: float, weight: float):
        self.net, self.data, self.rate, self.weight = copy.deepcopy(net), data, rate, weight

    def fit(self, server: nn.Module):
        optimizer = torch.optim.SGD(self.net.parameters(), lr=self.rate)
        for x, y in self.data:
            near = 0.0
            for own, theirs in zip(self.net.parameters(), server.parameters(), strict=True):
                near += torch.norm(own - theirs)  # GRD617
            loss = F.cross_entropy(self.net(x), y) + self.weight * near
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    def fit_near_constants(self, server: nn.Module):
        optimizer = torch.optim.Adam(self.net.parameters(), lr=self.rate)
        for x, y in self.data:
            loss = F.cross_entropy(self.net(x), y)
            for own, theirs in zip(self.net.parameters(), server.parameters(), strict=True):
                loss += self.weight * (own - theirs.data).square().sum()  # ok: a constant
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def kept_near_all_at_once(net: nn.Module, batches):
    before, optimizer = copy.deepcopy(net), torch.optim.SGD(net.parameters(), lr=0.1)
    for x in batches:
        now = torch.cat([p.flatten() for p in net.parameters()])
        then = torch.cat([p.flatten() for p in before.parameters()])
        optimizer.zero_grad()
        near = F.mse_loss(now, then, reduction="sum")  # GRD617
        (net(x).mean() + near).backward()
        optimizer.step()


def kept_near_by_name(net: nn.Module, old: nn.Module, batches, near=1e-3):
    optimizer, goals = torch.optim.SGD(net.parameters(), lr=0.1), dict(old.named_parameters())
    for x in batches:
        loss = net(x).mean()
        for name, p in net.named_parameters():
            loss += near * (p - goals[name]).norm()  # GRD617
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def kept_near_each_other(one: nn.Module, other: nn.Module, batches):
    first = torch.optim.SGD(one.parameters(), lr=0.1)
    second = torch.optim.SGD(other.parameters(), lr=0.1)
    for x in batches:
        loss = (one(x) + other(x)).mean()
        for pair in zip(one.parameters(), other.parameters(), strict=True):
            loss = loss + F.l1_loss(*pair)  # ok: both are trained
        first.zero_grad(), second.zero_grad()
        loss.backward()
        first.step(), second.step()


def kept_near_a_frozen_start(net: nn.Module, batches):
    start, optimizer = copy.deepcopy(net).requires_grad_(False), torch.optim.SGD(net.parameters(), lr=0.1)
    for x in batches:
        loss = net(x).mean()
        for p, q in zip(net.parameters(), start.parameters(), strict=True):
            loss = loss + torch.dist(p, q)  # ok: frozen
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def apart_from_what_is_cleared(net: nn.Module, batches):
    start, optimizer = copy.deepcopy(net), torch.optim.SGD(net.parameters(), lr=0.1)
    for x in batches:
        loss = net(x).mean()
        for p, q in zip(net.parameters(), start.parameters(), strict=True):
            loss = loss - F.mse_loss(p, q)  # ok: somebody clears these gradients
        optimizer.zero_grad()
        start.zero_grad()
        loss.backward()
        optimizer.step()
