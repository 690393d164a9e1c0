"""Cases for GRD721: networks that nobody trains, and networks that nobody is meant to train."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from elsewhere import register


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))

    def forward(self, x):
        return self.layers(x)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(4, 2)

    def forward(self, x):
        return self.out(x)


def fit(batches: list[torch.Tensor]):
    encoder, decoder = Encoder(), Decoder()
    optimizer = torch.optim.Adam(decoder.parameters())  # GRD721
    for batch in batches:
        optimizer.zero_grad()
        decoder(encoder(batch)).sum().backward()
        optimizer.step()


class Agent:
    def __init__(self):
        self.policy = nn.Linear(4, 2)
        self.value = nn.Linear(4, 1)
        self.optimizer = torch.optim.SGD(self.policy.parameters(), lr=0.1)  # GRD721

    def update(self, states: list[torch.Tensor]):
        for state in states:
            loss = self.policy(state).logsumexp(-1).sum() + self.value(state).square().sum()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


def both(batches: list[torch.Tensor]):
    encoder, decoder = Encoder(), Decoder()
    optimizer = torch.optim.Adam(list(encoder.parameters()) + list(decoder.parameters()))  # ok: both are in it
    for batch in batches:
        optimizer.zero_grad()
        decoder(encoder(batch)).sum().backward()
        optimizer.step()


def one_each(batches: list[torch.Tensor]):
    encoder, decoder = Encoder(), Decoder()
    first = torch.optim.Adam(encoder.parameters(), betas=(0.5, 0.9))  # ok: the other optimizer has the other network
    second = torch.optim.Adam(decoder.parameters(), lr=1e-3, betas=(0.5, 0.9))  # ok: and the other way round
    for batch in batches:
        first.zero_grad()
        second.zero_grad()
        decoder(encoder(batch)).sum().backward()
        first.step()
        second.step()


def one_group_each(batches: list[torch.Tensor]):
    encoder, decoder = Encoder(), Decoder()
    optimizer = torch.optim.Adam([{"params": encoder.parameters()}])  # ok: the second group is added below
    optimizer.add_param_group({"params": decoder.parameters(), "lr": 0.1})
    for batch in batches:
        optimizer.zero_grad()
        decoder(encoder(batch)).sum().backward()
        optimizer.step()


def frozen(batches: list[torch.Tensor]):
    encoder, decoder = Encoder(), Decoder()
    encoder.requires_grad_(False)
    optimizer = torch.optim.Adam(params=decoder.parameters())  # ok: the encoder is frozen
    for batch in batches:
        optimizer.zero_grad()
        decoder(encoder(batch)).sum().backward()
        optimizer.step()


def distilled(batches: list[torch.Tensor], path):
    teacher, student = Encoder(), Encoder()
    teacher.load_state_dict(torch.load(path))
    optimizer = torch.optim.Adam(student.parameters(), 1e-3)  # ok: the teacher has learnt elsewhere
    for batch in batches:
        optimizer.zero_grad()
        F.mse_loss(student(batch), teacher(batch)).backward()  # GRD617
        optimizer.step()


def perceptual(batches: list[torch.Tensor]):
    judge, painter = Encoder(), Encoder()
    judge.eval()
    optimizer = torch.optim.Adam(painter.parameters(), lr=1e-3, eps=1e-6)  # ok: the judge is in eval mode
    for batch in batches:
        optimizer.zero_grad()
        judge(painter(batch)).sum().backward()  # GRD617
        optimizer.step()


def averaged(batches: list[torch.Tensor]):
    online, target = Encoder(), Encoder()
    optimizer = torch.optim.Adam([*online.parameters()])  # ok: the target follows by hand
    for batch in batches:
        optimizer.zero_grad()
        F.smooth_l1_loss(online(batch), target(batch).tanh()).backward()  # GRD617
        optimizer.step()
        with torch.no_grad():
            for mine, theirs in zip(target.parameters(), online.parameters()):
                mine.mul_(0.99).add_(theirs, alpha=0.01)


def attacked(image: torch.Tensor):
    network = Decoder()
    noise = torch.zeros(4, requires_grad=True)
    optimizer = torch.optim.Adam([noise])  # ok: the noise is what is searched for
    for _ in range(10):
        optimizer.zero_grad()
        network(image + noise).sum().backward()
        optimizer.step()


def registered(batches: list[torch.Tensor]):
    encoder, decoder = Encoder(), Decoder()
    optimizer = torch.optim.SGD(decoder.parameters(), lr=0.5)  # ok: the helper may give it the encoder
    register(optimizer, encoder)
    for batch in batches:
        optimizer.zero_grad()
        decoder(encoder(batch)).sum().backward()
        optimizer.step()


def detached(batches: list[torch.Tensor]):
    encoder, decoder = Encoder(), copy.deepcopy(Decoder())
    optimizer = torch.optim.SGD([{"params": decoder.parameters(), "lr": 0.5}])  # ok: nothing reaches the encoder
    for batch in batches:
        optimizer.zero_grad()
        decoder(encoder(batch).detach()).sum().backward()  # GRD401
        optimizer.step()


def optimizer_of(model, rate=1e-3):
    return torch.optim.Adam(model.parameters(), lr=rate, weight_decay=0.01)  # GRD721


def by_a_helper(batches: list[torch.Tensor]):
    encoder, decoder = Encoder(), Decoder()
    optimizer = optimizer_of(decoder)
    for batch in batches:
        optimizer.zero_grad()
        decoder(encoder(batch)).sum().backward()
        optimizer.step()


def optimizer_of_both(model, other):
    return torch.optim.Adam(nn.ModuleList([model, other]).parameters(), amsgrad=True)  # ok: both are handed over


def both_by_a_helper(batches: list[torch.Tensor]):
    encoder, decoder = Encoder(), Decoder()
    optimizer = optimizer_of_both(encoder, decoder)
    for batch in batches:
        optimizer.zero_grad()
        decoder(encoder(batch)).sum().backward()
        optimizer.step()


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = Encoder(), Decoder()

    def forward(self, x):
        return self.decoder(self.encoder(x))


def only_the_decoder(model):
    return torch.optim.RMSprop(model.decoder.parameters())  # ok: a part of one model that is trained by itself


def head_alone(batches: list[torch.Tensor]):
    model = Pair()
    optimizer = only_the_decoder(model)
    for batch in batches:
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()


class Chain(nn.Module):
    def __init__(self):
        super().__init__()
        self.reader, self.between, self.writer = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
        self.steps = [torch.optim.Adam(self.reader.parameters(), lr=0.5)]  # GRD721
        self.last = torch.optim.Adagrad(self.writer.parameters())  # GRD721

    def learn(self, x):
        self.steps[0].zero_grad()
        self.last.zero_grad()
        self.writer(self.between(self.reader(x))).sum().backward()
        self.steps[0].step()
        self.last.step()


def unfrozen_late(batches: list[torch.Tensor]):
    model = Pair()
    for parameter in model.encoder.parameters():
        parameter.requires_grad = False
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-4)
    for epoch in range(10):
        if epoch == 5:
            for parameter in model.encoder.parameters():
                parameter.requires_grad = True  # GRD721
        for batch in batches:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()


def unfrozen_for_a_second_phase(batches: list[torch.Tensor]):
    model = Pair()
    model.encoder.requires_grad_(False)
    optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()
    model.requires_grad_(True)  # GRD721
    for batch in batches:
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()


def built_anew_after_that(batches: list[torch.Tensor]):
    model = Pair()
    model.encoder.requires_grad_(False)
    optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)
    for epoch in range(10):
        if epoch == 5:
            model.encoder.requires_grad_(True)  # ok: the optimizer is built anew
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for batch in batches:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()


def given_from_the_start(batches: list[torch.Tensor]):
    model = Pair()
    model.encoder.requires_grad_(False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        model.encoder.requires_grad_(epoch > 5)  # ok: the optimizer holds all, and skips what has no gradient
        for batch in batches:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()


def shown_in_the_end(batches: list[torch.Tensor]):
    model = Pair()
    model.encoder.requires_grad_(False)
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()
    model.encoder.requires_grad_(requires_grad=True)  # ok: its gradient is what is looked at
    model(batches[0]).sum().backward()
    print(model.encoder.layers[0].weight.grad.norm())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk, self.tail = nn.Linear(3, 4), nn.Linear(4, 1)

    def forward(self, x):
        return self.tail(self.trunk(x).relu())


def by_decay(rounds):
    net = Net()
    decayed, plain = {"params": [], "weight_decay": 0.1}, {"params": [], "weight_decay": 0.0}
    for name, p in net.named_parameters():
        (decayed if name.endswith("weight") else plain)["params"].append(p)
    optimizer = torch.optim.AdamW([decayed], lr=1e-3)  # GRD721
    for _ in range(rounds):
        optimizer.zero_grad()
        net(torch.randn(5, 3)).pow(2).mean().backward()
        optimizer.step()


def by_decay_right(rounds):
    net = Net()
    decayed, plain = {"params": [], "weight_decay": 0.1}, {"params": [], "weight_decay": 0.0}
    for name, p in net.named_parameters():
        (decayed if name.endswith("weight") else plain)["params"].append(p)
    optimizer = torch.optim.RAdam([decayed, plain], lr=1e-3)  # ok: both are given
    for _ in range(rounds):
        optimizer.zero_grad()
        net(torch.randn(5, 3)).pow(2).mean().backward()
        optimizer.step()


def given_later(rounds):
    net = Net()
    slow = {"params": list(net.trunk.parameters()), "lr": 1e-4}
    optimizer = torch.optim.NAdam(net.tail.parameters())  # ok: the other group is added
    optimizer.add_param_group(slow)
    for _ in range(rounds):
        optimizer.zero_grad()
        net(torch.randn(5, 3)).pow(2).mean().backward()
        optimizer.step()


def one_for_each(rounds):
    net = Net()
    slow, quick = {"params": list(net.trunk.parameters())}, {"params": list(net.tail.parameters())}
    first = torch.optim.Adagrad(params=[slow], lr=0.1)  # ok: the other optimizer has the other group
    second = torch.optim.Adadelta([quick])
    for _ in range(rounds):
        first.zero_grad()
        second.zero_grad()
        net(torch.randn(5, 3)).pow(2).mean().backward()
        first.step()
        second.step()


by_decay(3)
by_decay_right(3)
given_later(3)
one_for_each(3)


def taught_by_what_is_not_trained(rounds):
    teacher, pupil = Net(), Net()
    optimizer = torch.optim.Adamax([*pupil.parameters()], weight_decay=0.1)  # ok: a teacher is better kept out of the graph
    for _ in range(rounds):
        x = torch.randn(5, 3)
        optimizer.zero_grad()
        (pupil(x) - teacher(x)).abs().mean().backward()  # GRD617
        optimizer.step()


def both_at_once(rounds):
    left, right = Net(), Net()
    optimizer = torch.optim.RMSprop(left.parameters(), 0.01, momentum=0.9)  # GRD721
    for _ in range(rounds):
        x = torch.randn(5, 3)
        optimizer.zero_grad()
        (left(x) + right(x)).abs().mean().backward()
        optimizer.step()


taught_by_what_is_not_trained(3)
both_at_once(3)


class Valuing(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.into = nn.Linear(size, 1)

    def forward(self, seen):
        return self.into(seen).squeeze(1)


class TwoValues:
    def __init__(self, size):
        self.one, self.other = Valuing(size), Valuing(size)
        self.improving = torch.optim.AdamW(self.one.parameters(), 1e-3)  # GRD721

    def improve(self, batches):
        for seen, worth in batches:
            wrong = (self.one(seen) - worth).square().mean() + (self.other(seen) - worth).square().mean()
            self.improving.zero_grad()
            (wrong / 2).backward()
            self.improving.step()
