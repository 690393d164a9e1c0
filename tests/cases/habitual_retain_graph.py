"""Cases for GRD504: a file whose only backward keeps its graph for nothing."""

import argparse

import torch
from torch import nn, optim


class Trainer:
    def __init__(self, args):
        self.model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
        self.optimizer = optim.Adam(self.model.parameters(), lr=args.lr)

    def loss(self, x):
        return self.model(x).pow(2).mean()

    def fit(self, loader):
        for x in loader:
            self.optimizer.zero_grad()
            self.loss(torch.ones(2, 4)).backward(retain_graph=True)  # GRD504
            self.optimizer.step()


class Agent:
    def __init__(self):
        self.actor, self.critic = nn.Linear(3, 2), nn.Linear(3, 1)
        self.steps = optim.SGD([*self.actor.parameters(), *self.critic.parameters()], lr=0.1)

    def learn(self, state, wanted):
        self.steps.zero_grad()
        (self.critic(state) - wanted).square().sum().backward(retain_graph=True)  # GRD504
        self.actor(state).exp().sum().backward()  # ok: a graph of its own
        self.steps.step()


class Judged:
    def set_input(self, x):
        self.net, self.seen = nn.Linear(3, 2), x
        self.drawn = self.net(self.seen)

    def first(self):
        self.drawn.abs().sum().backward(retain_graph=True)  # ok: another method comes back

    def second(self):
        self.drawn.square().sum().backward()  # ok: frees it


def once(model: nn.Linear, x):
    model(x).exp().mean().backward(retain_graph=True)  # GRD504


def plain(model: nn.Linear, x):
    model(x).mean().backward()  # ok: frees its graph
    model(x).sum().backward(retain_graph=False)  # ok: said so


def handed_on(model: nn.Linear, x, again):
    loss = model(x).abs().mean()
    loss.backward(retain_graph=True)  # ok: unknown code gets the loss
    again(loss)


def second_order(model: nn.Linear, x):
    x = x.detach().requires_grad_()
    torch.autograd.grad(model(x).sum(), x, create_graph=True)  # GRD510
    torch.autograd.grad(model(x).norm(), [x], retain_graph=True)  # GRD504


def option(model: nn.Linear, x, args):
    model(x).tanh().sum().backward(retain_graph=args.keep)  # ok: nobody knows


def probed(model: nn.Linear, x):
    out = model(x).sigmoid().sum()
    (out * 2).backward(retain_graph=True)  # GRD504
    try:
        out.backward(torch.ones(()))
    except RuntimeError:
        print("freed")


def two_losses(model: nn.Linear, x):
    hidden = model(x).exp()
    hidden.sum().backward(retain_graph=True)  # ok: the next one comes back
    hidden.mean().backward(None, True)  # ok: and so does the last one
    (hidden / 2).sum().backward()


def closure(model: nn.Linear):
    optimizer = optim.LBFGS(model.parameters())

    def evaluate():
        optimizer.zero_grad()
        loss = model(torch.ones(2, 4)).logsumexp(0).sum()
        torch.autograd.backward([loss])  # ok: frees its graph each time
        return loss

    optimizer.step(evaluate)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    Trainer(args).fit([1, 2])
    once(nn.Linear(4, 1), torch.ones(1, 4)), option(nn.Linear(4, 1), torch.ones(1, 4), args)


def hessian(y, xs):
    first = torch.autograd.grad(y, xs, create_graph=True)
    rows = []
    for each in torch.cat([one.reshape(-1) for one in first]):
        second = torch.autograd.grad(each, xs, retain_graph=True)  # ok: the next row goes through the same graph
        rows.append(torch.cat([one.flatten() for one in second]))
    return torch.stack(rows)


def hessian_by_one(y, x: torch.Tensor):
    (first,) = torch.autograd.grad(y, [x], create_graph=True)
    flat, rows = first.reshape(4, 2), []
    for i in range(2):
        each = flat.index_select(-1, torch.tensor([i]))
        rows.append(torch.autograd.grad([each], [x], [torch.ones_like(each)], retain_graph=True)[0])  # ok: so here
    return torch.stack(rows, -1)


def differentiated_an_iteration_late(x):
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
    optimizer, waiting = optim.SGD(net.parameters(), lr=0.1), None
    for _ in range(3):
        if waiting is not None:
            torch.autograd.backward(waiting, retain_graph=True)  # GRD504
            optimizer.step()
        waiting = net(x).logsumexp(0).mean()


def differentiated_behind_the_step(x):
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    late = net(x).mean()
    torch.autograd.backward(net(x).std())  # ok: frees its own graph
    optimizer.step()
    torch.autograd.backward(late, None, True)  # GRD305


def perturbed(images: torch.Tensor, model: nn.Module):
    noise = torch.randn_like(images)
    for _ in range(3):
        noise.requires_grad = True
        torch.autograd.backward(model(images + noise).var(), retain_graph=True)  # GRD504
        noise = noise.grad.detach()
        model.zero_grad()
    return noise


class Probe:
    """What is probed comes with the graph of the model that made it, or without: nobody shows."""

    def __init__(self, model, graph):
        self.model, self.graph = model, graph

    def run(self, labels):
        _, found, _ = self.model(self.graph)
        self.probed(found["paper"], labels)

    def probed(self, rows, labels):
        train = rows[:100]
        probe = nn.Linear(8, 3)
        optimizer = torch.optim.SGD(probe.parameters(), lr=0.1)
        for _ in range(50):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(probe(train), labels)
            loss.backward(None, retain_graph=True)  # ok: each iteration may go through the graph of the rows again
            optimizer.step()


def adversarial(loader):
    maker, judge = nn.Linear(2, 2), nn.Linear(2, 1)
    of_maker, of_judge = torch.optim.SGD(maker.parameters(), lr=0.1), torch.optim.SGD(judge.parameters(), lr=0.1)
    for x in loader:
        of_judge.zero_grad()
        (judge(x).mean() - judge(maker(x).detach()).mean()).backward(retain_graph=True)  # GRD504 GRD401
        of_judge.step()
        of_maker.zero_grad()
        (-judge(maker(x)).mean()).backward()
        of_maker.step()


class Learner:
    """The loss is what the model brings along."""

    def __init__(self, model, batches):
        self.model, self.batches, self.criterion = model, batches, model.loss
        self.optimizer, self.memory = model.optim, None

    def epoch(self):
        self.model.train()
        for x, y in self.batches:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y)
            (loss / 2).backward(retain_graph=True)  # GRD504
            self.optimizer.step()

    def epoch_of_two_losses(self, of_all_outputs):
        self.model.train()
        for x, y in self.batches:
            self.optimizer.zero_grad()
            outputs = [self.model(x), self.model(x.flip(0))]
            loss = self.criterion(outputs[0], y) + of_all_outputs.loss(outputs)
            torch.autograd.backward([loss], retain_graph=True)  # GRD504
            self.optimizer.step()

    def epoch_in_two_backwards(self):
        self.model.train()
        for x, y in self.batches:
            self.optimizer.zero_grad()
            out = self.model(x)
            self.criterion(out, y).backward(retain_graph=True)  # ok: the next line comes back to the outputs
            out.square().mean().backward()
            self.optimizer.step()

    def epoch_with_a_memory(self, states):
        self.model.train()
        for x, _ in self.batches:
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), states)
            loss.backward(retain_graph=True, create_graph=False)  # ok: the states may carry a graph each time
            self.optimizer.step()

    def epoch_of_its_own(self, train_loss):
        self.model.train()
        for x, y in self.batches:
            self.optimizer.zero_grad()
            loss = train_loss(self.model, x, y)
            loss.backward(retain_graph=True, create_graph=bool(0))  # ok: what is handed the model may keep graphs
            self.optimizer.step()


def on_a_loader(dataset, model: nn.Module, objective):
    optimizer = torch.optim.Adam(model.parameters())
    for images, labels in torch.utils.data.DataLoader(dataset, batch_size=8):
        optimizer.zero_grad()
        objective(model(images.to("cpu")), labels.to("cpu")).backward(retain_graph=True)  # GRD504
        optimizer.step()


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(2, 8), nn.Linear(8, 1)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))


class Game:
    def __init__(self):
        self.critic, self.steps = Critic(), 0
        self.optimizer = torch.optim.Adam(self.critic.parameters())

    def step(self, real):
        loss = -self.critic(real).mean()
        self.optimizer.zero_grad()
        loss.backward(gradient=None, retain_graph=True)  # GRD504
        self.optimizer.step()
        return loss

    def gradients(self, real):
        loss = -self.critic(real).square().mean()
        self.optimizer.zero_grad()
        loss.backward(retain_graph=True, inputs=None)  # ok: who gets the loss may differentiate it before any step
        return loss
