"""Cases for GRD502: lists of tensors that bring their graphs along."""

import argparse
from collections import namedtuple

import torch
import torch.nn.functional as F
from torch import nn


def predictions(loader, threshold):
    model, outputs, targets = nn.Linear(4, 2), [], []
    for x in loader:
        out = model(torch.ones(2, 4))
        outputs.append(out)  # GRD502
        targets.append(torch.zeros(2))  # ok: requires no grad
    print(float(torch.cat(outputs).mean()), len(targets))


def evaluate(loader):
    model, outputs = nn.Linear(4, 2), []
    model.eval()
    for x in loader:
        outputs.append(model(torch.ones(2, 4)).argmax(-1))  # ok: whole numbers carry no graph
    with torch.no_grad():
        for x in loader:
            outputs.append(model(torch.ones(2, 4)).relu())  # ok: gradients are off
    return outputs


def train_what_is_handed_over(net, loader, optimizer):
    losses, scores = [], []
    for x, y in loader:
        loss = F.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses += [loss]  # GRD502
        scores.insert(0, net(x))  # ok: nobody knows whether a network that is not shown gives a graph
    return torch.stack(losses).mean().item(), scores


class Agent:
    def __init__(self):
        self.policy = nn.Linear(4, 2)
        self.optimizer = torch.optim.Adam(self.policy.parameters())

    def episode(self, steps):
        log_probs, rewards, entropies = [], [], []
        for _ in range(steps):
            logits = self.policy(torch.ones(1, 4))
            log_probs.append(F.log_softmax(logits, -1)[0, 0])  # ok: stacked for the loss
            entropies.append(-(logits.softmax(-1) * logits).sum())  # GRD502
            rewards.append(1.0)
        loss = -(torch.stack(log_probs) * torch.tensor(rewards)).sum()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return torch.stack(entropies).mean().item()


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(2, 4)

    def forward(self, x):
        state, states = torch.zeros(1, 4), []
        for t in range(5):
            state = self.cell(torch.ones(1, 2), state)
            states.append(state.relu())  # ok: the result of the module
        return torch.stack(states)


def train_recurrent():
    model = Recurrent()
    model(torch.ones(5, 1, 2)).mean().backward()


def train(args):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    losses, log, numbers = [], {}, []
    for epoch in range(args.epochs):
        for _ in range(3):
            loss = model(torch.ones(2, 4)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss / 2)  # GRD502
            numbers.append(loss.detach().cpu())  # ok: detached
            log["loss"] = loss  # ok: the next one takes its place
        print(epoch, sum(losses) / len(losses))
    return losses


def multi_task(steps):
    model = nn.Linear(4, 3)
    for _ in range(steps):
        terms = []
        for task in range(3):
            terms += [model(torch.ones(1, 4))[0, task]]
            terms.append(0.1 * model(torch.ones(1, 4)).norm())  # ok: new in each step and summed up
        sum(terms).backward()


class Attention(nn.Module):
    def __init__(self, parts):
        super().__init__()
        self.scores = nn.ModuleList([nn.Linear(4, 1) for _ in range(parts)])
        self.start = nn.Parameter(torch.zeros(parts, 4))

    def forward(self, parts):
        score, _ = self.weighed(parts)
        return score

    def weighed(self, parts):
        scores = []
        for layer, part in zip(self.scores, parts):
            scores.append(layer(part))  # ok: kept until `forward` returns, as all else in it
        return torch.ones(()), scores

    def unrecorded(self, count):
        rows = {}
        with torch.no_grad():
            for k in range(count):
                rows[k] = self.start[k].view(2, 2)  # ok: a view that requires grad, as its base, and has no graph
        return len(rows)


def handed_on(loader, handle):
    model, features = nn.Linear(4, 2), []
    for x in loader:
        features.append(model(torch.ones(1, 4)) + 1)  # ok: unknown code gets the list
    handle(features)


def by_key(loader):
    model, grouped = nn.Linear(4, 2), {"a": [], "b": []}
    for x in loader:
        out = model(torch.ones(1, 4)).abs().sum()
        out.backward()
        grouped["a"].append(out)  # GRD502
        grouped["b"].append(out.item())  # ok: a number
    return grouped


def best_of_each(loader, count):
    model = nn.Linear(4, 1)
    best = [1e10] * count
    for x in loader:
        distances = model(torch.ones(count, 4)).pow(2)
        distances.sum().backward()
        for n in range(count):
            best[n] = distances[n]  # ok: a list of a fixed length
    return [float(one) for one in best]


def looked_at():
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    model = nn.ModuleDict({"first": nn.Linear(4, 2), "second": nn.Linear(4, 2)})
    features, norms, x = [], {}, torch.ones(2, 4)
    for layer in net:
        x = layer(x)
        features += [x]
        features.append(x[0])  # ok: as many as there are layers
    for name, p in model.named_parameters():
        norms[name] = p.norm()  # ok: as many as there are parameters
    for i, layer in enumerate(net):
        norms[i] = layer.weight.view(-1) + i  # ok: by number as well
    for name in ("first", "second"):
        features.append(model[name](x).exp())  # ok: two, whose names are written down
    return [one.mean().item() for one in (*features, *norms.values())]


def looked_at_each_time(loader):
    net, norms = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4)), []
    for batch in loader:
        fresh = []
        for layer in net:
            fresh.insert(0, layer.weight.norm(2))  # ok: anew for each batch
            norms.append(layer.weight.norm(dim=0))  # GRD502
        print(float(fresh[0]), batch)
    print(len(norms))
Row = namedtuple("Row", "step loss")


def rows_of_losses(loader):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rows, pairs, tuples, nested = [], [], [], {}
    for step, x in enumerate(loader):
        optimizer.zero_grad()
        loss = model(torch.ones(1, 4)).pow(2).sum()
        loss.backward()
        optimizer.step()
        rows.append({"step": step, "loss": loss})  # GRD502
        rows.append({"step": step, "loss": loss.item(), "last": loss.detach()})  # ok: a number, and what has no graph
        pairs += [(step, loss)]  # GRD502
        tuples.append(Row(step, loss=loss))  # GRD502
        nested[step] = {"train": {"loss": [loss, loss.item()]}}  # GRD502
        nested["last"] = {"train": (loss,)}  # ok: the next one takes the place of the whole row
    return max(row["step"] for row in rows), len(pairs), len(tuples), len(nested)


def rows_with_something_to_differentiate(loader):
    policy, critic = nn.Linear(4, 2), nn.Linear(4, 1)
    optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
    episode, kept = [], []
    for x in loader:
        worth = critic(torch.ones(1, 4)).pow(2).sum()
        worth.backward()
        chance = policy(torch.ones(1, 4)).log_softmax(-1)[0, 0]
        episode.append({"worth": worth.item(), "chance": chance})  # ok: differentiated behind the loop
        kept.append((worth, chance))  # ok: a part of it is
    optimizer.zero_grad()
    sum(-row["chance"] * row["worth"] for row in episode).backward()
    optimizer.step()
    return len(kept)


def embeddings_cut_when_all_are_there(graph_model, nodes):
    found = []
    for index in range(len(nodes) // 500):
        given = graph_model(nodes[index * 500 : (index + 1) * 500])
        assert given.shape[1] == graph_model.width
        found += [given.squeeze(0)]  # GRD502
    found = torch.cat(found, 0)
    return found.detach()


def embeddings_that_others_train_on(graph_model, nodes):
    found = []
    for index in range(len(nodes) // 100):
        given = graph_model(nodes[index * 100 :])
        found.extend([given, given.mean(0)])  # ok: what is returned may be differentiated
    return torch.cat(found, 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=2)
    train(parser.parse_args())


def losses_written_into_a_tensor(loader):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses, pairs, numbers, cut = torch.zeros(64), torch.zeros(64, 2), torch.zeros(64), torch.zeros(64)
    for step, x in enumerate(loader):
        optimizer.zero_grad()
        loss = model(torch.ones(1, 4)).pow(2).sum()
        losses[step] = loss  # GRD502
        loss.backward()
        optimizer.step()
        pairs[step, 0] = loss  # GRD502
        numbers[step] = float(loss)  # ok: a number
        cut[step] = loss.detach() * 2  # ok: what has no graph
    return losses.mean().item(), pairs.mean().item(), numbers.mean(), cut.mean()


def outputs_written_into_a_tensor_for_one_loss(loader):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    outputs = torch.zeros(64, 2)
    for step, x in enumerate(loader):
        outputs[step] = model(torch.ones(4))  # ok: differentiated behind the loop
    optimizer.zero_grad()
    outputs.pow(2).mean().backward()
    optimizer.step()


def outputs_written_into_a_tensor_of_each_round(loader):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        outputs = torch.zeros(3, 2)
        for part in range(3):
            outputs[part] = model(torch.ones(4) * part)  # ok: the loss of this round goes through all of them
        optimizer.zero_grad()
        outputs.pow(2).mean().backward()
        optimizer.step()


def bank_of_codes_cut_in_each_round(loader):
    encoder, bank = nn.Embedding(8, 2), torch.zeros(8, 2)
    for turn, x in enumerate(loader):
        codes = encoder(torch.arange(8))
        (codes - bank).square().sum().backward()
        bank[turn % 8] = codes[0]  # ok: the next line lets go of it
        bank = bank.detach()
        encoder.zero_grad()
    return bank
