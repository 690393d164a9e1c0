"""Cases for GRD724: optimizers that are made in loops, over the same parameters or over others."""

import copy

import torch
import torch.nn as nn
from project import evaluate, init_weights
from torch.optim import SGD, Adam


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(8, 8), nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x).relu())


def train_epoch(net, loader):
    trained = filter(lambda p: p.requires_grad, net.parameters())
    optimizer = Adam(trained)  # GRD724
    for x in loader:
        loss = net(x).pow(2).mean()
        net.zero_grad()
        loss.backward()
        optimizer.step()


def epoch_by_epoch(loader):
    net = nn.DataParallel(Net())
    for _ in range(20):
        net.train()
        train_epoch(net, loader)


def lowered_by_hand(loader):
    net = Net()
    for epoch in range(90):
        optimizer = SGD(net.parameters(), 0.1 * 0.5**epoch, momentum=0.9)  # GRD724
        for x in loader:
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()
        evaluate(net)


def without_momentum(loader):
    net = Net()
    for epoch in range(90):
        optimizer = SGD(net.parameters(), 0.1 * 0.5**epoch)  # ok: SGD without momentum has no state
        for x in loader:
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()


def momentum_of_callers(loader, momentum=0.0):
    net = Net()
    for _ in range(90):
        optimizer = SGD(net.parameters(), 0.1, momentum)  # ok: nobody knows whether there is momentum
        for x in loader:
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()


def of_a_network_that_is_passed_in(net, loader, epochs):
    for _ in range(epochs):
        optimizer = torch.optim.RMSprop(net.parameters())  # GRD724
        for x in loader:
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()


def for_every_batch(net, loader):
    for x in loader:
        optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)  # GRD724
        optimizer.zero_grad()
        net(x).pow(2).mean().backward()
        optimizer.step()


class Trainer:
    def __init__(self, net, loader):
        self.net, self.loader = net, loader

    def fit(self):
        epoch = 0
        while epoch < 20:
            self.setup()
            self.run_epoch()
            epoch += 1

    def setup(self):
        groups = [{"params": self.net.parameters(), "lr": 0.1}]
        self.optimizer = torch.optim.Adagrad(groups)  # GRD724

    def run_epoch(self):
        for x in self.loader:
            self.optimizer.zero_grad()
            self.net(x).pow(2).mean().backward()
            self.optimizer.step()


def scaled(loader, scaler):
    net = Net()
    for _ in range(20):
        optimizer = Adam([*net.body.parameters(), *net.head.parameters()])  # GRD724
        for x in loader:
            optimizer.zero_grad()
            scaler.scale(net(x).pow(2).mean()).backward()
            scaler.step(optimizer)
            scaler.update()


def once_and_under_a_test(loader):
    net = Net()
    optimizer = Adam(net.parameters(), 0.1)
    for epoch in range(90):
        if epoch == 30:
            optimizer = Adam(net.parameters(), lr=0.01)  # ok: a test decides when
        for x in loader:
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()


def train_fold(loader):
    net = Net()
    optimizer = Adam(net.parameters(), 0.1, (0.9, 0.99))  # ok: over a new network
    for x in loader:
        optimizer.zero_grad()
        net(x).pow(2).mean().backward()
        optimizer.step()


def fold_by_fold(folds):
    for fold in folds:
        train_fold(fold)


def tasks_of_meta_learning(tasks):
    net = Net()
    for task in tasks:
        fast = copy.deepcopy(net)
        inner = Adam(fast.parameters(), weight_decay=0)  # ok: over a copy of its own
        for x in task:
            inner.zero_grad()
            fast(x).pow(2).mean().backward()
            inner.step()


def perturbations(net, loader):
    for x in loader:
        delta = torch.zeros_like(x, requires_grad=True)
        optimizer = Adam([delta])  # ok: over a tensor of this batch
        for _ in range(10):
            optimizer.zero_grad()
            (-net(x + delta).pow(2).mean()).backward()
            optimizer.step()


def begun_anew(net, runs, loader):
    for _ in range(runs):
        init_weights(net)
        optimizer = Adam(iter(net.parameters()))  # ok: the weights begin anew as well
        for x in loader:
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()


def begun_anew_layer_by_layer(net, runs, loader):
    for _ in range(runs):
        for layer in net.children():
            if hasattr(layer, "reset_parameters"):
                layer.reset_parameters()
        optimizer = Adam(iter(net.parameters()), 0.1)  # ok: each layer begins anew as well
        for x in loader:
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()


def loaded(runs, loader):
    net = Net()
    begin = copy.deepcopy(net.state_dict())
    for _ in range(runs):
        net.load_state_dict(begin)
        optimizer = Adam(net.parameters(), eps=1e-6)  # ok: over weights that are loaded
        for x in loader:
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()


def drawn_by_hand(runs, loader):
    net = Net()
    for _ in range(runs):
        optimizer = Adam([*net.parameters()])  # ok: the weights are drawn again
        for x in loader:
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()
        for parameter in net.parameters():
            nn.init.normal_(parameter)


def stage_by_stage(rates, loader):
    net = Net()
    for rate in rates:
        optimizer = Adam(net.parameters(), lr=rate / 10)  # ok: for a stage of several epochs
        for _ in range(10):
            for x in loader:
                optimizer.zero_grad()
                net(x).pow(2).mean().backward()
                optimizer.step()


def listed_stages(loader):
    net = Net()
    for rate, size in [(0.1, 128), (0.01, 256)]:
        optimizer = Adam(net.parameters(), lr=rate * size / 256)  # ok: a list of stages
        for x in loader(size):
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()


def goes_on_from_its_state(epochs, loader):
    net, state = Net(), None
    for _ in range(epochs):
        optimizer = Adam(params=net.parameters())  # ok: it is given the state of the last one
        if state is not None:
            optimizer.load_state_dict(state)
        for x in loader:
            optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()
        state = optimizer.state_dict()


def solved(targets):
    net = Net()
    for target in targets:
        solver = torch.optim.LBFGS(net.parameters(), max_iter=50)  # ok: a step of it is a whole run

        def closure(solver=solver, target=target):
            solver.zero_grad()
            loss = (net(target) - target[:, :2]).pow(2).mean()
            loss.backward()
            return loss

        solver.step(closure)


def layer_by_layer(layers, x):
    for layer in layers:
        optimizer = Adam(layer.parameters(), amsgrad=True)  # ok: each has its own parameters
        optimizer.zero_grad()
        layer(x).pow(2).mean().backward()
        optimizer.step()


def greedy(x):
    layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(20)])
    for layer in layers:
        optimizer = Adam(layer.parameters(), lr=2e-3, amsgrad=True)  # ok: the parameters of each layer are others
        optimizer.zero_grad()
        layer(x).pow(2).mean().backward()
        optimizer.step()


def momentum_that_all_callers_pass(loader, momentum, nesterov):
    net = Net()
    for epoch in range(9):
        optimizer = SGD(net.parameters(), lr=0.1 / (epoch + 1), momentum=momentum, nesterov=nesterov)  # GRD724
        for x in loader:
            optimizer.zero_grad()
            net(x).square().sum().backward()
            optimizer.step()


globals()["momentum_that_all_callers_pass"]([torch.ones(2, 2)], 0.9, True)


def counted_steps_of_a_stage(points: torch.Tensor):
    """The whole data is fitted in each of many steps, and then drawn anew."""
    net = Net()
    for stage in range(20):
        optimizer = Adam(net.parameters(), lr=1e-3)  # ok: for a stage of many steps
        drawn = points[torch.randperm(len(points))[:4]]
        for _ in range(1000):
            optimizer.zero_grad()
            net(drawn).square().mean().backward()
            optimizer.step()


def shown_batches(loader):
    net = Net()
    for epoch in range(9):
        optimizer = torch.optim.NAdam(net.parameters(), lr=0.1 / (epoch + 1))  # GRD724
        for number, x in enumerate(loader, 1):
            optimizer.zero_grad()
            (net(x).square().mean() + number).backward()
            optimizer.step()


def one_of_two_kinds(net, loader, config):
    for epoch in range(config.epochs):
        rate = config.rate * 0.9**epoch
        if config.adam:
            optimizer = torch.optim.Adam(net.parameters(), lr=rate, betas=(0.5, 0.9))  # GRD724
        else:
            optimizer = torch.optim.RMSprop(net.parameters(), lr=rate)  # GRD724
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()


def one_kind_then_another(net, loader, config):
    for epoch in range(config.epochs):
        if epoch == 0:
            optimizer = torch.optim.Adam(net.parameters(), lr=config.rate, amsgrad=True)  # ok: for a stage
        elif epoch == config.late:
            optimizer = torch.optim.RMSprop(net.parameters(), lr=config.rate, alpha=0.9)  # ok: for the rest
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()


def for_this(net, config):
    if config.adam:
        return torch.optim.Adam(net.parameters(), eps=config.small)  # GRD724
    return torch.optim.Adadelta(net.parameters(), config.rate)  # GRD724


def by_a_helper(net, loader, config):
    while config.go_on():
        optimizer = for_this(net, config)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
