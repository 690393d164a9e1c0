"""Cases for GRD501: running sums that keep graphs, and sums that are meant to be differentiated."""

import argparse

import torch
import torch.nn.functional as F
from torch import nn, optim


def train_epoch(model: nn.Linear, loader, optimizer: optim.Optimizer):
    running_loss, correct = 0.0, 0
    for i, (inputs, labels) in enumerate(loader):
        outputs = model(inputs)
        loss = F.cross_entropy(outputs, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running_loss += loss  # GRD501
        correct += (outputs.argmax(1) == labels).sum()  # ok: counts carry no graph
    return running_loss / len(loader), correct


def root_between(model: nn.Linear, low=0.0, high=1.0):
    start = model.weight.abs()
    low, high = start.min(), start.max()
    while high - low > 1e-5:
        middle = (low + high) / 2  # ok: nothing new comes to the ends that it lies between
        if middle * low < 0:
            high = middle
        else:
            low = middle
    return middle.item()


def train_by_criterion(model, criterion, loader, optimizer):
    epoch_loss = 0
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        epoch_loss = epoch_loss + loss * x.size(0)  # GRD501
    print(epoch_loss)


def train_what_is_handed_over(net, loader, optimizer, criterion, device):
    net.train()
    seen, total = 0, 0.0
    for _, (x, y) in enumerate(loader):
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
        total, seen = total + loss.sum(), seen + len(x)  # GRD501
    return total / len(loader), seen


def train_without_a_criterion(net, loader, optimizer):
    totals, penalties = [0.0], 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        penalties = penalties + F.l1_loss(net(x), y)  # GRD501 GRD401
        loss.backward()
        optimizer.step()
        totals[0] += loss  # GRD501
    return float(totals[0]), float(penalties)


def train_scaled(net, loader, optimizer, scaler: torch.amp.GradScaler):
    epoch_loss, seen = torch.zeros(()), torch.zeros(())
    for x, y in loader:
        loss = F.binary_cross_entropy_with_logits(net(x), y, reduction="mean")
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        epoch_loss.add_(loss, alpha=0.5)  # GRD501
        seen = seen.add(x.detach().abs().sum(), alpha=2)  # ok: what was detached brings no graph
    print(epoch_loss.item(), seen.item())


class Distiller:
    """What is handed over is told to a writer between epochs, and kept in a list."""

    def __init__(self, student, teacher, optimizer, writer, weight=0.5):
        self.student, self.teacher = student, teacher.eval()
        self.optimizer, self.writer, self.weight = optimizer, writer, weight

    def distil(self, loader, epochs):
        history = []
        for epoch in range(epochs):
            epoch_loss, agreed = 0.0, 0
            for x, y in loader:
                out = self.student(x)
                loss = self.weight * F.cross_entropy(out, y) + F.mse_loss(out, self.teacher(x))
                agreed += out.argmax(1).eq(y).sum()  # ok: counts carry no graph, whatever they are counted from
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                epoch_loss += loss / len(loader)  # GRD501
            self.writer.add_scalar("loss", epoch_loss, epoch)
            history.append(epoch_loss / len(loader))  # ok: what brings the graphs is the sum above
            self.writer.add_scalar("agreed", agreed, epoch)
        return history


class Trainer:
    def __init__(self, args):
        self.model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Linear(8, 1))
        self.optimizer = optim.Adam(self.model.parameters(), lr=args.lr)
        self.accumulate = args.accumulate

    def validate(self, loader):
        self.model.eval()
        total = torch.zeros(1)
        for x in loader:
            total = total + self.model(torch.ones(2, 4)).mean()  # GRD401
        print("validation", float(total))

    def measure(self, loader):
        total = torch.zeros(1)
        for x in loader:
            total = total + self.model(torch.ones(2, 4)).pow(2).sum()  # GRD501
        print("in train mode", float(total))

    @torch.no_grad()
    def validate_quietly(self, loader):
        total = torch.zeros(1)
        for x in loader:
            total += self.model(torch.ones(2, 4)).mean()  # ok: gradients are off
        return total

    def gradient_accumulation(self, loader):
        for step in range(10):
            objective = 0
            for _ in range(self.accumulate):
                objective += self.model(torch.ones(2, 4)).pow(2).mean()  # ok: differentiated below
            self.optimizer.zero_grad()
            objective.backward()
            self.optimizer.step()

    def by_hand(self, loader):
        logged = 0.0
        for step, x in enumerate(loader):
            loss = self.model(torch.ones(2, 4)).abs().mean() / 10
            loss.backward()
            logged += loss.item()
            if step % 10 == 0:
                self.optimizer.step()
                self.optimizer.zero_grad()
        return logged


def penalties(model: nn.Sequential, strength=1e-4):
    penalty = torch.zeros(())
    for parameter in model.parameters():
        penalty = penalty + strength * parameter.pow(2).sum()  # ok: returned to callers that are not shown
    return penalty


def l1_training(args):
    model = nn.Linear(4, 1)
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    for _ in range(5):
        norm = 0.0
        for parameter in model.parameters():
            norm += parameter.abs().sum()  # ok: part of the loss
        loss = model(torch.ones(2, 4)).mean() + 1e-3 * norm
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu() + x  # ok: the result of the network
        return x.mean(-1)


def train_residual(steps):
    model = nn.Sequential(Residual(), nn.Flatten(0))
    for _ in range(steps):
        model(torch.ones(2, 4)).sum().backward()
    return Residual()(torch.ones(2, 4))


def unrolled(steps):
    cell = nn.RNNCell(2, 4)
    state, loss = torch.zeros(1, 4), torch.zeros(())
    for t in range(steps):
        state = cell(torch.ones(1, 2), state)
        loss += state.pow(2).mean()  # ok: one loss over all time steps
    loss.backward()


def detached(loader):
    model, totals = nn.Linear(4, 1), {"mse": torch.zeros(()), "mae": torch.zeros(())}
    for x in loader:
        out = model(torch.ones(2, 4))
        loss = out.pow(2).mean()
        loss.backward()
        totals["mse"] += loss.detach()
        totals["mae"] += out.abs().mean()  # GRD501
    return {key: value.item() for key, value in totals.items()}


def moving_average(loader, momentum=0.9):
    model, average = nn.Linear(4, 1), None
    for x in loader:
        loss = model(torch.ones(2, 4)).pow(2).mean()
        loss.backward()
        average = loss if average is None else momentum * average + (1 - momentum) * loss  # GRD501
    return average


def handed_on(loader, combine):
    model, total = nn.Linear(4, 1), torch.zeros(())
    for x in loader:
        total = model(torch.ones(2, 4)).mean() + total  # ok: unknown code gets it and may differentiate it
    combine(total)


def each_epoch(args):
    model = nn.Linear(4, 1)
    for epoch in range(args.epochs):
        total = torch.zeros(())
        for _ in range(3):
            loss = model(torch.ones(2, 4)).pow(2).mean()
            loss.backward()
            total.add_(loss)  # GRD501
        print(epoch, total)


def in_two_lines(epochs):
    model = nn.Linear(4, 1)
    total = 0.0
    for _ in range(epochs):
        loss = model(torch.ones(2, 4)).pow(2).mean()
        loss.backward()
        total += loss * 2  # GRD501
        total += loss.detach()  # ok: brings no graph
    print(total)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--accumulate", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    trainer = Trainer(args)
    trainer.validate([1])
    l1_training(args), each_epoch(args), unrolled(3), in_two_lines(3)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = nn.Linear(8, 5)
        self.moves = nn.Parameter(torch.zeros(5, 5))

    def best_way(self, rows, masks):
        rates = self.rate(rows)
        best, back = rates[0], []
        for step in range(1, len(rates)):
            ways = best.unsqueeze(2) + self.moves + rates[step].unsqueeze(1)  # ok: a search, no sum
            tops, where = ways.max(1)
            best = torch.where(masks[step], tops, best)
            back.append(where)
        return torch.stack(back)

    def best_way_written_in_place(self, rows, masks):
        rates = self.rate(rows)
        best, back = rates[0] + self.moves[0], []
        for step in range(1, len(rates)):
            ways = self.moves + best.unsqueeze(2).expand(4, 5, 5).clone()  # ok: what is left is picked again
            tops, where = torch.max(ways, dim=1)
            best.masked_scatter_(masks[step], tops.masked_select(masks[step]))
            back.append(where.tolist())
        return torch.LongTensor(back)

    def worst_of_each(self, batches):
        total = 0
        for rows in batches:
            total = total + self.rate(rows).max(1).values.mean()  # GRD501
        print(total.item())

    def centred(self, batches):
        total = torch.zeros(5)
        for rows in batches:
            total = total + self.rate(rows).mean(0) - total.max()  # GRD501
        return total.argmax()


class Flow(nn.Module):
    def __init__(self, depth=6):
        super().__init__()
        self.shifts = nn.ModuleList([nn.Linear(2, 2) for _ in range(depth)])
        self.scales = nn.ModuleList([nn.Linear(2, 2) for _ in range(depth)])

    def invert(self, x):
        for shift, scale in zip(reversed(self.shifts), reversed(self.scales)):
            half = x * 0.5
            x = (x - shift(half)) * torch.exp(-scale(half))  # ok: from layer to layer, no sum over rounds
        return x

    def integrate(self, x, steps):
        for _ in range(steps):
            x = x - 0.1 * self.shifts[0](x)  # ok: what is added is computed from it
        return x

    def integrate_in_place(self, x, steps):
        x = x.clone()
        for _ in range(steps):
            x -= 0.1 * self.shifts[0](x * 1.0)  # ok: computed from it as well
        return x


def pictures(flow: Flow):
    with torch.enable_grad():
        return [flow.invert(torch.randn(8, 2)).detach().numpy(), flow.integrate(torch.randn(8, 2), 9).detach()]


def penalised(flow: Flow, loader):
    total = torch.zeros(())
    for batch in loader:
        total = total + flow(batch).mean()  # GRD501
    print(total.item())


def penalty_of_a_network(model: nn.Sequential):
    lasso = torch.tensor(0.0, requires_grad=True)
    for name, weight in model.named_parameters():
        if "bias" not in name:
            lasso = lasso + torch.sum(torch.abs(weight))  # ok: as many terms as there are parameters
    return lasso.item()


def penalty_that_nothing_uses(loader, criterion: nn.MSELoss):
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        penalty = torch.tensor(0).float()
        for weight in model.parameters():
            penalty += torch.norm(weight, 2)  # GRD501
        optimizer.zero_grad()
        criterion(model(torch.ones(2, 4)), torch.zeros(2, 1)).backward()
        optimizer.step()
