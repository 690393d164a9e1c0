"""Cases for GRD505: states that go round with the loop, and time steps that are meant to."""

import argparse

import torch
from torch import nn


def repackage_hidden(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


class LanguageModel(nn.Module):
    def __init__(self, tokens, width):
        super().__init__()
        self.embed = nn.Embedding(tokens, width)
        self.rnn = nn.LSTM(width, width)
        self.decode = nn.Linear(width, tokens)

    def forward(self, x, hidden):
        out, hidden = self.rnn(self.embed(x), hidden)
        return self.decode(out), hidden

    def init_hidden(self, batch):
        return torch.zeros(1, batch, 8), torch.zeros(1, batch, 8)


def train(args):
    model, criterion = LanguageModel(10, 8), nn.CrossEntropyLoss()
    hidden = model.init_hidden(args.batch)
    for i in range(args.steps):
        data = torch.zeros(5, args.batch, dtype=torch.long)
        output, hidden = model(data, hidden)
        loss = criterion(output.view(-1, 10), data.view(-1))
        loss.backward()  # GRD505


def train_repackaged(args):
    model, criterion = LanguageModel(10, 8), nn.CrossEntropyLoss()
    hidden = model.init_hidden(args.batch)
    for i in range(args.steps):
        data = torch.zeros(5, args.batch, dtype=torch.long)
        hidden = repackage_hidden(hidden)
        output, hidden = model(data, hidden)
        criterion(output.view(-1, 10), data.view(-1)).backward()  # ok: cut off at the start of each step


def train_reset(args):
    model = LanguageModel(10, 8)
    for i in range(args.steps):
        hidden = model.init_hidden(args.batch)
        output, hidden = model(torch.zeros(5, args.batch, dtype=torch.long), hidden)
        output.logsumexp(-1).mean().backward()  # ok: the state begins anew each time


class Agent:
    def __init__(self):
        self.core = nn.GRUCell(4, 4)
        self.value = nn.Linear(4, 1)
        self.state = torch.zeros(1, 4)

    def learn(self, observations):
        for observation in range(10):
            self.state = self.core(torch.ones(1, 4), self.state)
            (self.value(self.state) ** 2).sum().backward()  # GRD505

    def learn_detached(self):
        for _ in range(10):
            state = self.core(torch.ones(1, 4), self.state.detach())
            self.value(state).pow(2).sum().backward()  # ok: detached where it is used
            self.state = state

    def learn_in_place(self):
        state = torch.zeros(1, 4)
        for _ in range(10):
            state = self.core(torch.ones(1, 4), state)
            self.value(state).abs().sum().backward()  # ok: detach_() cuts it off in place
            state.detach_()


def whole_sequence(steps=20):
    cell, head = nn.RNNCell(2, 4), nn.Linear(4, 1)
    state, loss = torch.zeros(3, 4), torch.zeros(())
    for _ in range(steps):
        state = cell(torch.ones(3, 2), state)
        loss = loss + head(state).mean()
    loss.div(steps).backward()  # ok: one backward after all time steps


def chunks(epochs=3, length=4):
    cell, head = nn.RNNCell(2, 4), nn.Linear(4, 1)
    for epoch in range(epochs):
        state = torch.zeros(3, 4)
        losses = []
        for _ in range(length):
            state = cell(torch.ones(3, 2), state)
            losses.append(head(state).mean())
        torch.stack(losses).sum().backward()  # ok: the state is new in each epoch


def truncated(args):
    model = nn.RNN(2, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    state = torch.zeros(1, 1, 4)
    for step in range(args.steps):
        _, state = model(torch.ones(3, 1, 2), state)
        optimizer.zero_grad()
        state.norm().backward(retain_graph=True)  # GRD505
        optimizer.step()


def moving_target(steps=10):
    weight, target = torch.ones(3, requires_grad=True), torch.zeros(3)
    for _ in range(steps):
        estimate = weight.exp()
        (estimate - target).pow(2).sum().backward()  # GRD505
        target = 0.9 * target + 0.1 * estimate


def moving_target_without_graph(steps=10):
    weight, target = torch.ones(3, requires_grad=True), torch.zeros(3)
    for _ in range(steps):
        estimate = weight.exp()
        (estimate - target).abs().sum().backward()  # ok: the target is updated without the graph
        with torch.no_grad():
            target = 0.9 * target + 0.1 * estimate


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    train(args), train_repackaged(args), train_reset(args), truncated(args)


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x)


class Around(nn.Module):
    def __init__(self, inner: nn.Module):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


def kept_deep_inside():
    inner = Inner()
    net = Around(Around(Around(Around(inner))))
    for x in torch.ones(3, 4):
        net(x).sum().backward()  # ok: what is kept on the innermost takes no part in what it computes
        inner.latest = inner.linear(x).exp()
        inner.latest.sum().backward()


kept_deep_inside()


class Cells:
    def __init__(self):
        self.cell, self.head = nn.RNNCell(3, 4), nn.Linear(4, 1)
        self.optimizer = torch.optim.SGD([*self.cell.parameters(), *self.head.parameters()], lr=0.1)

    def carried_through_time_steps(self, sequences):
        state = torch.zeros(1, 4)
        for sequence in sequences:
            for step in range(5):
                state = self.cell(sequence[step], state)
            self.optimizer.zero_grad()
            torch.autograd.backward(self.head(state).mean())  # GRD505
            self.optimizer.step()

    def begun_anew_for_each_sequence(self, sequences):
        for sequence in sequences:
            state = torch.zeros(1, 4)
            for step in range(5):
                state = self.cell(sequence[step], state)
            self.optimizer.zero_grad()
            self.head(state).mean().backward()  # the state is no older than the sequence
            self.optimizer.step()

    def cut_before_each_sequence(self, sequences):
        state = torch.zeros(1, 4)
        for sequence in sequences:
            state = state.detach()
            for step in range(5):
                state = self.cell(sequence[step], state)
            self.optimizer.zero_grad()
            self.head(state).mean().backward()  # cut off before the time steps
            self.optimizer.step()

    def windows(self, stream):
        state, loss = torch.zeros(1, 4), 0.0
        for number, x in enumerate(stream):
            state = torch.tanh(self.cell(x, state))
            loss = loss + self.head(state).mean()
            if (number + 1) % 4 == 0:
                self.optimizer.zero_grad()
                (loss / 2).backward()  # GRD505
                self.optimizer.step()
                loss = 0.0

    def windows_cut(self, stream):
        state, loss = torch.zeros(1, 4), 0.0
        for number, x in enumerate(stream):
            state = torch.tanh(self.cell(x, state))
            loss = loss + self.head(state).mean()
            if (number + 1) % 4 == 0:
                self.optimizer.zero_grad()
                loss.backward()  # the state is cut off where the window ends
                self.optimizer.step()
                state, loss = state.detach(), 0.0

    def windows_begun_anew(self, stream):
        state, loss = torch.zeros(1, 4), 0.0
        for number, x in enumerate(stream):
            if number % 4 == 0:
                state, loss = torch.zeros(1, 4), 0.0
            state = torch.tanh(self.cell(x, state))
            loss = loss + self.head(state).mean()
            if number % 4 == 3:
                self.optimizer.zero_grad()
                loss.backward()  # the state begins anew with each window
                self.optimizer.step()

    def at_the_last_step(self, stream):
        state, loss = torch.zeros(1, 4), 0.0
        for number, x in enumerate(stream):
            state = torch.tanh(self.cell(x, state))
            loss = loss + self.head(state).mean()
            if number == len(stream) - 1:
                self.optimizer.zero_grad()
                loss.backward()  # runs once
                self.optimizer.step()

    def carried_from_behind(self, stream):
        state = torch.zeros(1, 4)
        for number, x in enumerate(stream):
            if number % 4 == 3:
                self.optimizer.zero_grad()
                self.head(state).mean(0).sum().backward()  # todo GRD505
                self.optimizer.step()
            state = torch.tanh(self.cell(x, state))

    def always_from_the_first(self, stream):
        first = torch.zeros(1, 4)
        for number, x in enumerate(stream):
            state = torch.tanh(self.cell(x, first))
            if number % 4 == 3:
                self.optimizer.zero_grad()
                self.head(state).mean().backward()  # no step builds on another
                self.optimizer.step()

    def of_the_encoder(self, sequences):
        for sequence in sequences:
            state = self.cell(sequence[0])
            for step in range(1, 5):
                state = self.cell(sequence[step], state)
            self.optimizer.zero_grad()
            self.head(state).mean().backward()  # each sequence has a graph of its own
            self.optimizer.step()


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.GRU(2, 4), nn.Linear(4, 1)

    def forward(self, window, state):
        out, state = self.cell(window, state)
        return self.head(out), state


reader = Reader()
of_reader = torch.optim.SGD(reader.parameters(), lr=0.1)


def reads_on(windows, targets):
    state = torch.zeros(1, 3, 4)
    for window, target in zip(windows, targets, strict=True):
        of_reader.zero_grad()
        read, state = reader(window, state)
        nn.functional.smooth_l1_loss(read, target).backward()  # GRD505
        of_reader.step()


def reads_on_after_a_cut(windows, targets):
    state = torch.zeros(1, 3, 4)
    for window, target in zip(windows, targets, strict=True):
        of_reader.zero_grad()
        read, state = reader(window, state.detach())
        (read - target).abs().sum().backward()  # the state is cut off where it is handed on
        of_reader.step()


def reads_each_by_itself(windows, targets):
    state = torch.zeros(1, 3, 4)
    for window, target in zip(windows, targets, strict=True):
        of_reader.zero_grad()
        read, _ = reader(window, state)
        nn.functional.l1_loss(read, target).backward()  # each begins with the state of the beginning
        of_reader.step()


class Pyramid(nn.Module):
    """Its layers are applied one after the other, and what the last one gives is carried nowhere."""

    def __init__(self, width: int):
        super().__init__()
        self.count = 3
        self.layers = nn.ModuleList(
            [nn.LSTM(width, width // 2, batch_first=True, bidirectional=True) for _ in range(self.count)]
        )

    def forward(self, x):
        for index in range(self.count):
            x, _ = self.layers[index](x)
        return x


class Attending(nn.Module):
    def forward(self, seen, asked):
        return torch.bmm(torch.softmax(torch.bmm(seen, asked.unsqueeze(-1)), 1).transpose(1, 2), seen).squeeze(1)


class Telling(nn.Module):
    def __init__(self, width: int, words: int):
        super().__init__()
        self.below, self.attending = Pyramid(width), Attending()
        self.cell, self.head = nn.LSTMCell(2 * width, width), nn.Linear(2 * width, words)

    def forward(self, x, words):
        seen, told = self.below(x), []
        state = torch.zeros(len(x), 8), torch.zeros(len(x), 8)
        heard = self.attending(seen, state[0])
        for index in range(words.size(1)):
            state = self.cell(torch.cat((words[:, index], heard), 1), state)
            heard = self.attending(seen, state[0])
            told.append(self.head(torch.cat((state[0], heard), 1)))
        return torch.stack(told)


def told_what_is_heard(batches, held_out, epochs, width):
    net = Telling(width, 30)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(epochs):
        for x, words, wanted in batches:
            optimizer.zero_grad()
            told = net(x, words)
            loss = nn.functional.nll_loss(told.log_softmax(-1).flatten(0, 1), wanted)
            (loss * 2).backward()  # ok: the layers go back to each other, and to no earlier batch
            optimizer.step()
        for x, words, wanted in held_out:
            net.eval()
            with torch.no_grad():
                print(nn.functional.nll_loss(told.log_softmax(-1).flatten(0, 1), wanted))


def cell_by_cell(batches):
    cell, head = nn.GRUCell(3, 4), nn.Linear(4, 1)
    optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
    state = torch.zeros(2, 4)
    for x in batches:
        for step in range(5):
            state = cell(x[step], state)
        error = head(state).sum()
        optimizer.zero_grad()
        error.div(2).backward()  # GRD505
        optimizer.step()
