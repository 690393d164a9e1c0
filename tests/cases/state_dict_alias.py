"""Cases for GRD310: state dicts kept while the model goes on, and state dicts used in time."""

import copy

import torch
import torch.nn as nn
from torch.optim import SGD, Adam


def step(model, optimizer):
    optimizer.zero_grad()
    loss = model(torch.ones(2, 4)).pow(2).mean()
    loss.backward()
    optimizer.step()
    return loss.item()


def train_and_restore(epochs=5):
    model = nn.Linear(4, 1)
    optimizer = SGD(model.parameters(), lr=0.1)
    best_loss, best_weights = float("inf"), None
    for _ in range(epochs):
        loss = step(model, optimizer)
        if loss < best_loss:
            best_loss = loss
            best_weights = model.state_dict()  # GRD310
    step(model, optimizer)
    model.load_state_dict(best_weights)
    return model


def train_and_return():
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
    optimizer = Adam(model.parameters())
    start = model.state_dict().copy()  # GRD310
    step(model, optimizer)
    return start


def train_and_save(path="best.pt"):
    model = nn.Linear(4, 1)
    optimizer = SGD(model.parameters(), lr=0.1)
    initial = dict(model.state_dict())  # GRD310
    for _ in range(3):
        step(model, optimizer)
    torch.save(initial, path)


def restored_after_reset():
    model = nn.Linear(4, 1)
    kept = copy.copy(model.state_dict())  # GRD310
    nn.init.zeros_(model.weight)
    model.load_state_dict(kept)
    return model


def overwritten_by_loading():
    model, other = nn.Linear(4, 1), nn.Linear(4, 1)
    mine = {**model.state_dict()}  # GRD310
    model.load_state_dict(other.state_dict())  # ok: copied at once
    model.load_state_dict(mine)
    return model


class Stopper:
    def __init__(self):
        self.best = float("inf")
        self.state = None

    def update(self, loss, model):
        if loss < self.best:
            self.best, self.state = loss, model.state_dict()  # GRD310

    def restore(self, model):
        model.load_state_dict(self.state)


def train_with_stopper():
    model = nn.Linear(4, 1)
    optimizer = SGD(model.parameters(), lr=0.1)
    stopper = Stopper()
    stopper.update(1.0, model)
    step(model, optimizer)
    stopper.restore(model)
    return model


def train_and_save_all(path):
    model = nn.Linear(4, 1)
    optimizer = SGD(model.parameters(), lr=0.1)
    checkpoint = {"epoch": 0, "model": model.state_dict()}  # GRD310
    step(model, optimizer)
    torch.save(checkpoint, path)


def copied_deeply():
    model = nn.Linear(4, 1)
    optimizer = SGD(model.parameters(), lr=0.1)
    best = copy.deepcopy(model.state_dict())
    step(model, optimizer)
    model.load_state_dict(best)  # ok: a deep copy
    snapshot = {name: value.clone() for name, value in model.state_dict().items()}
    step(model, optimizer)
    model.load_state_dict(state_dict=snapshot)  # ok: cloned one by one
    return model


def saved_at_once(epochs=3):
    model = nn.Linear(4, 1)
    optimizer = SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        step(model, optimizer)
        torch.save(model.state_dict(), f"epoch{epoch}.pt")  # ok: written out at once
    weights = model.state_dict()
    return weights  # training is over


def target_network():
    online, target = nn.Linear(4, 1), nn.Linear(4, 1)
    optimizer = SGD(online.parameters(), lr=0.1)
    for _ in range(3):
        step(online, optimizer)
        target.load_state_dict(online.state_dict(), strict=True)  # ok: loading copies
    return target.state_dict()


def rebound_parameters():
    model = nn.Linear(4, 1)
    before = model.state_dict()
    model.weight.data = torch.zeros(1, 4)
    model.bias.data = torch.zeros(1)
    model.load_state_dict(dict(before))  # ok: the parameters were given other memory


def reloaded(path):
    model = nn.Linear(4, 1)
    optimizer = SGD(model.parameters(), lr=0.1)
    stored = torch.load(path)
    step(model, optimizer)
    model.load_state_dict(stored["model"])  # ok: read from a file


def other_model(model: nn.Linear):
    trained, kept = nn.Linear(4, 1), model.state_dict()
    step(trained, SGD(trained.parameters(), lr=0.1))
    return kept  # it was another model that was trained


def keeps_the_best_model(batches):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    best_loss, best_model = 1e9, None
    for epoch in range(5):
        total = 0.0
        for batch in batches:
            optimizer.zero_grad()
            loss = model(batch).pow(2).mean()
            loss.backward()
            optimizer.step()
            total += loss.item()
        if total < best_loss:
            best_loss = total
            best_model = model  # GRD310
    return best_model


def train_and_keep(model: nn.Module, optimizer, batches, best_score=0.0):
    chosen = model
    for batch in batches:
        model.train()
        optimizer.zero_grad()
        loss = model(batch).pow(2).mean()
        loss.backward()
        optimizer.step()
        score = 1 - loss.item()
        if score > best_score and score > 0.5:
            best_score, chosen = score, model  # GRD310
    return chosen


class Keeper:
    def __init__(self):
        self.model = nn.Linear(2, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.best, self.best_model = 1e9, None

    def step(self, batch):
        self.optimizer.zero_grad()
        loss = self.model(batch).pow(2).mean()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def fit(self, batches):
        for batch in batches:
            loss = self.step(batch)
            if not loss >= self.best:
                self.best = loss
                self.best_model = self.model  # GRD310


class PatientKeeper(Keeper):
    def __init__(self):
        super().__init__()
        self.kept = None

    def fit_until_good(self, batches):
        for batch in batches:
            loss = self.step(batch)
            if loss < self.best:
                self.best = loss
                self.kept = self.model  # the loop ends here
                break


class CopyingKeeper(Keeper):
    def fit(self, batches):
        for batch in batches:
            loss = self.step(batch)
            if loss < self.best:
                self.best = loss
                self.kept = copy.deepcopy(self.model)


def best_of_several(batches):
    best_loss, best_model = 1e9, None
    for rate in (0.1, 0.01):
        model = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        for batch in batches:
            optimizer.zero_grad()
            loss = model(batch).pow(2).mean()
            loss.backward()
            optimizer.step()
        if loss.item() < best_loss:
            best_loss = loss.item()
            best_model = model  # made for this iteration
    return best_model


def best_of_those_given(models, batches):
    networks = [nn.Linear(2, 1), nn.Linear(2, 1)]
    best_loss, best_model = 1e9, None
    for model in networks:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        optimizer.zero_grad()
        loss = model(batches[0]).pow(2).mean()
        loss.backward()
        optimizer.step()
        if loss.item() < best_loss:
            best_loss = loss.item()
            best_model = model  # each is trained in its own iteration
    return best_model


def saved_at_once(batches):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    best_loss = 1e9
    for batch in batches:
        optimizer.zero_grad()
        loss = model(batch).pow(2).mean()
        loss.backward()
        optimizer.step()
        if loss.item() < best_loss:
            best_loss = loss.item()
            kept = model
            torch.save(kept, "best.pt")  # nothing reads the name later


def put_back(model: nn.Linear, other: nn.Linear):
    model.load_state_dict(copy.deepcopy(other).state_dict())  # ok: the state of a copy
    model.load_state_dict({name: value.clone() for name, value in model.state_dict().items()}, strict=False)  # ok: cloned
    model.load_state_dict(torch.load("a.pt", map_location="cpu"), strict=True)  # ok: read from a file


class KeepsTheBest:
    """Keeps the best state of a network that has statistics beside its parameters."""

    def __init__(self):
        self.best, self.state, self.copied = 1e9, None, None

    def look(self, loss, network):
        if loss < self.best:
            self.best = loss
            self.state = network.state_dict()  # GRD310
            self.copied = copy.deepcopy(network.state_dict())  # ok: a copy with the statistics

    def restore(self, network):
        network.load_state_dict(self.state)

    def restore_copied(self, network):
        network.load_state_dict(self.copied)


def stop_early(batches):
    network = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Dropout(0.2), nn.Linear(3, 1))
    optimizer, stopper = Adam(network.parameters(), lr=0.1), KeepsTheBest()
    for batch in batches:
        optimizer.zero_grad()
        loss = network(batch).square().mean()
        loss.backward()
        optimizer.step()
        stopper.look(loss.item(), network)
    stopper.restore(network)
    stopper.restore_copied(network)


def normalized(batches):
    norm = nn.BatchNorm1d(4)
    optimizer = SGD(norm.parameters(), lr=0.1)
    first, untouched = norm.state_dict(), {name: value + 0 for name, value in norm.state_dict().items()}  # GRD310
    for batch in batches:
        optimizer.zero_grad()
        norm(batch).abs().sum().backward()
        optimizer.step()
    norm.load_state_dict(first)
    norm.load_state_dict(untouched, strict=True)  # ok: new tensors, of the statistics as well
    return norm


def moved_and_back(batches):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    least = 1e9
    for batch in batches:
        optimizer.zero_grad()
        found = model(batch).abs().mean()
        found.backward()
        optimizer.step()
        if found.item() < least:
            least = found.item()
            torch.save(model.cpu().state_dict(), "least.pt")  # ok: written as it is now
            model = model.cuda()  # it is what the name stood for already
    return model


def moved_to_be_kept(batches):
    model, chosen, least = nn.Bilinear(2, 2, 1), None, 1e9
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        found = model(batch, batch).square().mean()
        found.backward()
        optimizer.step()
        if found.item() < least and batch is not None:
            least, chosen = found.item(), model.cpu()  # GRD310
    return chosen


stop_early([torch.rand(8, 4)] * 3)
normalized([torch.rand(5, 4)] * 2)


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))

    def forward(self, x):
        return self.layers(x)


class Learner:
    """Its target is to lag behind."""

    def __init__(self):
        self.net, self.target_net, self.older = Deep(), Deep(), Deep()
        self.optimizer = torch.optim.Adam(self.net.parameters())
        self.steps = 0

    def learn(self, x, y):
        goal = y + 0.9 * self.target_net(x).detach().amax(1)  # GRD401
        loss = (self.net(x).amax(1) - goal).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.steps += 1
        if self.steps % 10 == 0:
            self.target_net, self.steps = self.net, 0  # GRD310

    def start_a_task(self):
        self.older = self.net.eval()  # ok: a new one is trained from now on
        self.net = Deep()
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def lag(self):
        self.target_net = copy.deepcopy(self.net)  # ok: a copy
        self.current: nn.Module = self.net  # ok: by its name it is the one that is trained


def trained_on(net: nn.Module, batches):
    optimizer = SGD(net.parameters(), lr=0.1)
    for x, y in batches:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()


def mean_of(states):
    return {key: torch.stack([state[key] for state in states]).mean(0) for key in states[0]}


def of_one_network(net: nn.Module, parts):
    start, states = copy.deepcopy(net.state_dict()), []
    for batches in parts:
        net.load_state_dict(start)
        trained_on(net, batches)
        states.append(net.state_dict(keep_vars=False))  # GRD310
    return mean_of(states)


def of_one_network_with_losses(net: nn.Module, parts):
    found = []
    for batches in parts:
        trained_on(net, batches)
        found.append((len(batches), {"state": net.state_dict()}["state"]))  # GRD310
    return mean_of([state for _, state in found])


def of_copies(net: nn.Module, parts):
    states = []
    for batches in parts:
        own = copy.deepcopy(net)
        trained_on(own, batches)
        states += [own.state_dict()]  # ok: each is of a network of its own
        states.append(copy.deepcopy(net.state_dict()))  # ok: a copy
    return mean_of(states)


def taken_together(net: nn.Module, epochs: int):
    members, steady, batches = [], nn.Linear(4, 4), [torch.rand(2, 4)]
    optimizer = Adam([*net.parameters()])
    for _ in range(epochs):
        for x in batches:
            optimizer.zero_grad()
            (net(x) - steady(x)).square().mean().backward()  # GRD617
            optimizer.step()
        members += [steady]  # ok: nothing trains it
        members.insert(0, net.train())  # GRD310
    return members


def taken_in_turn(first: nn.Linear, second: nn.Linear, batches):
    states = []
    for net in (first, second):
        trained_on(net, batches)
        states.insert(len(states), net.cpu().state_dict())  # ok: two networks
    return mean_of(states)


def restored_from_a_record(net: nn.Module, batches, epochs: int):
    best, record = float("inf"), {}
    for _ in range(epochs):
        trained_on(net, batches)
        with torch.no_grad():
            loss = float(net(batches[0][0]).mean())
        if loss < best:
            best, record = loss, {"loss": loss, "weights": net.state_dict()}  # GRD310
    net.load_state_dict(record["weights"])
    return net
