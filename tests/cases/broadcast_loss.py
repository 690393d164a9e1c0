"""Cases for GRD621: a column of predictions meets a vector of targets, and what is alike and no mistake."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical, Normal


class Critic(nn.Module):
    def __init__(self, width, hidden=64):
        super().__init__()
        self.first = nn.Linear(width, hidden)
        self.last = nn.Linear(hidden, 1)

    def forward(self, states):
        return self.last(F.relu(self.first(states)))


class Flat(Critic):
    def forward(self, states):
        return super().forward(states).squeeze(1)


class Actor(nn.Module):
    def __init__(self, width, actions):
        super().__init__()
        self.scores = nn.Sequential(nn.Linear(width, 64), nn.Tanh(), nn.Linear(64, actions))

    def forward(self, states):
        return self.scores(states)


def discounted(count, gain=0.99):
    total, found = 0.0, []
    for step in range(count):
        total = step + gain * total
        found.append(total)
    return torch.tensor(found)


class ActorCritic:
    def __init__(self, width, actions):
        self.actor, self.critic, self.flat = Actor(width, actions), Critic(width), Flat(width)
        self.criterion = nn.MSELoss()

    def update(self, states, taken):
        returns = discounted(len(states))
        returns = (returns - returns.mean()) / (returns.std() + 1e-8)
        values = self.critic(states)
        advantage = returns - values.detach()  # GRD621
        chosen = Categorical(logits=self.actor(states)).log_prob(taken)
        policy_loss = -(chosen * advantage).mean()
        return policy_loss + self.criterion(values, returns)  # GRD621

    def right(self, states, taken):
        returns = discounted(len(states))
        values = self.flat(states)
        advantage = returns.sub(values.detach())  # ok: both are vectors
        chosen = Categorical(logits=self.actor(states)).log_prob(taken)
        policy_loss = -(chosen * advantage).mean()  # ok: two vectors
        return policy_loss + self.criterion(1.0 * values, returns)  # ok: so are these

    def columns(self, states):
        returns = discounted(len(states)).unsqueeze(-1)
        return self.criterion(self.critic(states), returns)  # ok: both are columns

    def soft(self, states):
        actions = Normal(self.actor(states), 1.0)
        drawn = actions.rsample()
        entropy = actions.log_prob(drawn).sum(1)
        return (0.2 * entropy - self.critic(drawn)).mean()  # GRD621

    def online(self, state, taken):
        chosen = Categorical(logits=self.actor(state)).log_prob(taken)
        return torch.mean(chosen - self.critic(state))  # ok: it may be of one state, which is no batch

    def episode(self, start, step):
        values, state = [], start
        while not step.done():
            values.append(self.critic(state))
            state = step(state)
        returns, values = discounted(len(values)), torch.cat(values)
        return (returns - values).abs().mean()  # ok: these may be values of single states

    def kept(self, states):
        actions = Normal(self.actor(states), 1.0)
        drawn = actions.rsample()
        entropy = actions.log_prob(drawn).sum(-1, keepdim=True)
        return (0.2 * entropy).sub(self.critic(drawn)).mean()  # ok: the sum keeps its dimension

    def target(self, states, gains, taken):
        with torch.no_grad():
            actions = Normal(self.actor(states), 1.0)
            goal = torch.min(self.critic(states), self.flat(taken))  # GRD621
        return (actions.log_prob(taken).sum(1) * goal.mean()).mean()

    def clipped(self, states, taken, before: torch.Tensor):
        weights = discounted(len(states))
        chosen = Categorical(logits=self.actor(states)).log_prob(taken)
        ratio = (chosen.unsqueeze(1) - before.view(-1, 1)).exp()
        return -(ratio * weights).mean()  # GRD621

    def deep(self, states, taken, goals):
        picked = self.actor(states).gather(1, taken)
        with torch.no_grad():
            best = self.actor(goals).max(1)[0]
        return F.smooth_l1_loss(picked, 0.9 * best)  # GRD621

    def deep_and_right(self, states, taken, goals):
        picked = self.actor(states).gather(1, taken)
        with torch.no_grad():
            best = self.actor(goals).max(1)[0]
        return F.smooth_l1_loss(picked.squeeze(1), 0.9 * best)  # ok: the picked ones are a vector


def regression(rows):
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters())
    targets = torch.FloatTensor([0.5 * step for step in range(rows)])
    x = torch.rand(rows, 4)
    for epoch in range(10):
        optimizer.zero_grad()
        loss = F.l1_loss(model(x), targets)  # GRD621
        loss.backward()
        optimizer.step()


def columns_of_a_table():
    model = nn.Linear(3, 1)
    table = torch.rand(8, 4)
    fitted = model(table[:, :3])
    loss = ((fitted - table[:, 3]) ** 2).mean()  # GRD621
    return loss + ((fitted - table[:, 3:]) ** 2).mean()  # ok: a slice keeps the dimension


def a_single_row():
    model = nn.Linear(3, 1)
    return nn.HuberLoss()(model(torch.rand(1, 3)), torch.tensor([1.0]))  # ok: one prediction, one target


def between_all(model: nn.Linear, rows):
    places = nn.Linear(4, 1)(rows).squeeze(-1)
    distances = places.unsqueeze(1) - places  # ok: the column is made for it
    others = places[:, None] * places  # ok: so it is here
    return distances.pow(2).mean() + others.mean()


def quantiles(rows):
    levels = torch.tensor([0.1, 0.5, 0.9])
    error = nn.Linear(4, 1)(rows)
    return torch.max(levels * error, (levels - 1) * error).mean()  # ok: three levels for each row


def smoothed(rows, count):
    scores = nn.Linear(4, 1)(rows)
    real = torch.ones(count)
    return F.mse_loss(scores, real)  # ok: all targets are one number


class Kernel(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.centers = nn.Parameter(torch.rand(count))
        self.place = nn.Linear(4, 1)

    def forward(self, x):
        return torch.exp(-((self.place(x) - self.centers) ** 2))  # ok: each place meets all centers


def positions(length, width):
    place = torch.arange(length).unsqueeze(1).float()
    rate = torch.exp(torch.arange(0, width, 2) * -0.1)
    return torch.sin(place * rate)  # ok: nothing is trained


class Remembered:
    """Gains that nobody shows, summed from the end: each sum is a number."""

    def __init__(self, width: int, rate: float):
        self.worth = nn.Sequential(nn.Linear(width, 8), nn.Tanh(), nn.Linear(8, 1))
        self.optimizer = torch.optim.Adam(self.worth.parameters(), lr=rate)

    def returns(self, memory, share: float):
        total, found = 0, []
        for gain, is_last in zip(reversed(memory.gains), reversed(memory.ends), strict=True):
            total = gain + share * (0 if is_last else total)
            found.insert(0, total)
        return found

    def update(self, memory, share: float):
        goals = torch.tensor(self.returns(memory, share)).float()
        goals = (goals - goals.mean()) / (goals.std() + 1e-5)
        worth = self.worth(torch.stack(memory.states).detach())
        loss = (goals - worth).square().mean()  # GRD621
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def update_flat(self, memory, share: float):
        goals = torch.FloatTensor(self.returns(memory, share))
        worth = self.worth(torch.stack(memory.states)).squeeze(-1)
        loss = F.mse_loss(worth, goals, reduction="sum")  # ok: two vectors
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def update_from_rows(self, memory):
        goals = torch.tensor([one.goal for one in memory])
        worth = self.worth(torch.stack([one.state for one in memory]))
        loss = F.l1_loss(input=worth, target=goals)  # ok: each goal may be a list of one
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def update_by_steps(self, memory, share: float):
        run, sums = 0.0, []
        for gain in memory.gains:
            run = share * run + gain
            sums.append([run])
        loss = F.huber_loss(self.worth(torch.stack(memory.states)), torch.tensor(sums))  # ok: a column of lists
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def from_the_rows_of_an_array(differences, gain, share):
    rows = differences.detach().numpy()
    total, sums = 0.0, []
    for row in rows[::-1]:
        total = gain * share * total + row
        sums.append(total)
    sums.reverse()
    return torch.tensor(sums, dtype=torch.float)


def advantages(critic: Critic, states: torch.Tensor, scores: nn.Linear, gain, share):
    ratio = scores(states).gather(1, torch.zeros(len(states), 1, dtype=torch.int64))
    goals = from_the_rows_of_an_array(critic(states), gain, share)  # GRD401
    return (ratio * goals).mean()  # ok: each row of a column is a list of one
