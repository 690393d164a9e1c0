"""Cases for GRD414: models that are loaded and then predict."""

import argparse

import torch
import zoo
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, p=0.5):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Dropout(p))
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x))


def predict(path, x=torch.ones(2, 8)):
    net = Net()
    net.load_state_dict(torch.load(path))
    with torch.no_grad():
        return net(x).argmax(1)  # GRD414


def predict_in_eval_mode(path):
    net = Net()
    net.load_state_dict(torch.load(path, map_location="cpu"))
    net.eval()
    with torch.no_grad():
        return net(torch.ones(2, 8)).argmax(1)  # ok: in eval mode


def mode_set_before(path):
    net = Net().eval()
    net.load_state_dict(torch.load(path), strict=False)
    with torch.no_grad():
        return net(torch.ones(2, 8)).softmax(dim=1)  # ok: loading leaves the mode as it is


def monte_carlo(path, samples=10):
    net = Net(p=0.1)
    net.load_state_dict(torch.load(path)["model"])
    net.train()
    with torch.no_grad():
        return torch.stack([net(torch.zeros(2, 8)) for _ in range(samples)])  # ok: asked to be in train mode


def linear_only(path):
    net = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    net.load_state_dict(torch.load(path))
    return net(torch.ones(2, 8)).detach()  # ok: no part of it depends on the mode


def fresh(x: torch.Tensor):
    net = Net()
    with torch.no_grad():
        return net(x[:4])  # ok: never loaded


def differentiated(path):
    net = Net()
    net.load_state_dict(torch.load(path))
    net(torch.ones(4, 8)).sum().backward()  # ok: this is training
    return net.head.weight.grad


class Predictor:
    def __init__(self, path):
        self.net = Net()
        self.net.load_state_dict(torch.load(path))

    def __call__(self, x):
        with torch.inference_mode():
            return self.net(x).tolist()  # GRD414


class CarefulPredictor:
    def __init__(self, path):
        self.net = Net()
        self.net.load_state_dict(torch.load(path))
        self.freeze()

    def freeze(self):
        self.net.requires_grad_(False).eval()

    def __call__(self, x):
        return self.net(x).cpu().tolist()  # ok: a helper sets the mode


def validate(network, loader):
    right = 0
    with torch.no_grad():
        for x, y in loader:
            right += (network(x).argmax(1) == y).sum().item()  # GRD414
    return right


def evaluate_as_it_is(network, loader):
    network.eval()
    with torch.no_grad():
        return [network(x + 1).argmax(1) for x, _ in loader]  # ok: in eval mode


def score_with_noise(network, loader):
    network.train()
    with torch.no_grad():
        return [network(x + 2).softmax(1) for x, _ in loader]  # ok: asked to be in train mode here


def sample(network, count):
    with torch.no_grad():
        return network(torch.randn(count, 8)).cpu()  # ok: samples may be drawn in train mode


def test_time_dropout(network, loader, times=8):
    with torch.no_grad():
        return [sum(network(x * 2).exp() for _ in range(times)) / times for x, _ in loader]  # ok: dropout is wanted


def update_bn_statistics(network, loader):
    with torch.no_grad():
        for x, _ in loader:
            network(x - 1)  # ok: batch statistics are estimated


def predict_with(layers, loader):
    with torch.no_grad():
        return [layers(x).sign() for x, _ in loader]  # GRD411


def fit(loader, spare):
    network, layers = Net(), nn.Sequential(nn.Linear(8, 2), nn.Tanh())
    optimizer = torch.optim.SGD([*network.parameters(), *layers.parameters()], lr=0.1)
    for _ in range(3):
        network.train()
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(x.float()), y).backward()  # ok: this is training
            optimizer.step()
        print(validate(network, spare), sample(network, 3), predict_with(layers, spare))
    print(test_time_dropout(network, spare), score_with_noise(network, spare))
    update_bn_statistics(network, loader)
    return evaluate_as_it_is(network, spare)


def one_helper(network, loader, train, optimizer):
    total = 0.0
    for x, y in loader:
        loss = nn.functional.cross_entropy(network(x).double(), y)  # GRD414
        if train:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += float(loss)
    return total


def both(loader, spare):
    network = Net(p=0.2)
    optimizer = torch.optim.Adam(network.parameters())
    print(one_helper(network, loader, True, optimizer))
    with torch.no_grad():
        print(one_helper(network, spare, False, optimizer))


def only_dropout_stays(path, x):
    net = Net(p=0.3)
    net.load_state_dict(torch.load(path))
    net.eval()
    net.body[2].train()
    with torch.inference_mode():
        return torch.stack([net(x) for _ in range(8)])  # ok: the dropout alone is switched on


def instances(path, x):
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.InstanceNorm2d(4))
    net.load_state_dict(torch.load(path))
    with torch.no_grad():
        return net(x).amax()  # ok: it computes the same in both modes


def tested_in_the_training(train_loader, test_loader):
    net = Net()
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(10):
        net.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
        right = 0
        with torch.no_grad():
            for x, y in test_loader:
                right += int((net(x).argmax(1) == y).sum())  # GRD414
        print(right)


def tested_in_eval_mode(train_loader, test_loader):
    net = Net()
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(10):
        net.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            for x, y in test_loader:
                print((net(x).argmax(1) == y).sum().item())  # ok: it was switched


def measured_on_what_it_learns(train_loader):
    net = Net()
    optimizer = torch.optim.Adam(net.parameters())
    for x, y in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
        with torch.no_grad():
            print(net(x).argmax(1).eq(y).float().mean())  # ok: nothing says that this is an evaluation


def dropout_on_the_test(train_loader, test_loader):
    net = Net()
    optimizer = torch.optim.Adam(net.parameters())
    for x, y in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
    return mc_uncertainty(net, test_loader)


def mc_uncertainty(net, test_loader):
    net.train()
    with torch.no_grad():
        for x, _ in test_loader:
            print(torch.stack([net(x) for _ in range(8)]).var(0))  # ok: that is wanted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    args = parser.parse_args()
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.2), nn.Linear(8, 1))
    state = torch.load(args.checkpoint)
    model.load_state_dict(state["model"] if "model" in state else state)
    with torch.no_grad():
        for _ in range(3):
            print(model(torch.ones(1, 8)).item())  # GRD414


if __name__ == "__main__":
    main()


def score_with_one_switched(encoder, decoder, loader):
    encoder.eval()
    right = 0
    with torch.no_grad():
        for x, y in loader:
            code = encoder(x.double())  # ok: in eval mode
            right += int(decoder(code).argmax(1).eq(y).sum())  # GRD414
    encoder.train()
    return right


class Pair:
    def __init__(self):
        self.encoder, self.decoder = Net(0.1), Net(0.4)

    def evaluate_one_switched(self, loader):
        self.encoder.eval()
        worst = []
        with torch.no_grad():
            for x, y in loader:
                code = self.encoder(x)
                worst.append((self.decoder(code) - y).abs().max().item())  # GRD414
        self.encoder.train()
        return worst

    def evaluate_with_part_on(self, loader):
        self.encoder.eval()
        self.decoder.body.train()
        with torch.no_grad():
            return [(self.decoder(self.encoder(x)) - y).norm().item() for x, y in loader]  # ok: a part is asked for

    def evaluate_with_dropout_on(self, loader):
        self.encoder.eval()
        self.decoder.body[2].train()
        with torch.no_grad():
            return [(self.decoder(self.encoder(x)) + y).norm().item() for x, y in loader]  # ok: so is the dropout

    def evaluate_both_in_loop(self, loader):
        for network in (self.encoder, self.decoder):
            network.eval()
        with torch.no_grad():
            products = [(self.decoder(self.encoder(x)) * y).sum().item() for x, y in loader]  # ok: both are switched
        for network in (self.encoder, self.decoder):
            network.train()
        return products


def fit_two(loader, spare):
    pair = Pair()
    encoder, decoder = Net(0.2), Net(0.3)
    optimizer = torch.optim.SGD(
        [*encoder.parameters(), *decoder.parameters(), *pair.encoder.parameters(), *pair.decoder.parameters()], lr=0.1
    )
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(decoder(encoder(x)), y)
        loss = loss + nn.functional.cross_entropy(pair.decoder(pair.encoder(x)), y)
        loss.backward()
        optimizer.step()
    print(score_with_one_switched(encoder, decoder, spare), pair.evaluate_one_switched(spare))
    print(pair.evaluate_with_part_on(spare), pair.evaluate_with_dropout_on(spare))
    print(pair.evaluate_both_in_loop(spare))


def fit_and_look(pairs, vl):
    net = Net(0.6)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
    for _ in range(2):
        net.train()
        for x, y in pairs:
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
        with torch.no_grad():
            print(sum(nn.functional.cross_entropy(net(x), y).item() for x, y in pairs))  # ok: these are to train on
            for x, y in vl:
                print(nn.functional.cross_entropy(net(x), y).item())  # GRD414


def judged_by_a_frozen_one(loader):
    maker, judge = nn.Linear(8, 8), Net(0.15)
    judge.load_state_dict(torch.load("judge.pt"))
    judge.requires_grad_(False)
    optimizer = torch.optim.Adam(maker.parameters())
    for x in loader:
        loss = -judge(maker(x))[:, 0].mean()  # GRD414
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def judged_as_it_should_be(loader):
    maker, judge = nn.Linear(8, 8), Net(0.15)
    judge.load_state_dict(torch.load("judge.pt"))
    judge.requires_grad_(False).eval()
    optimizer = torch.optim.Adam(maker.parameters())
    for x in loader:
        loss = -judge(maker(x))[:, 1].mean()  # ok: in eval mode
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def frozen_at_first(loader):
    body, head = Net(0.35), nn.Linear(2, 2)
    body.load_state_dict(torch.load("body.pt"))
    for thawed in (False, True):
        body.requires_grad_(thawed)
        optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()])
        for x, y in loader:
            loss = nn.functional.cross_entropy(head(body(x)), y)  # ok: the optimizer holds it, to train it later
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


class Attack:
    def __init__(self, victim, size):
        self.victim, self.size = victim, size

    def one_step(self, x, y):
        x = x.clone().detach().requires_grad_()
        loss = nn.functional.cross_entropy(self.victim(x), y)  # GRD414
        loss.backward()  # GRD617
        return (x + self.size * x.grad.sign()).detach()


def attack(loader, path):
    victim = Net(0.25)
    victim.load_state_dict(torch.load(path))
    for x, y in loader:
        print(Attack(victim, 0.1).one_step(x, y))


class CarefulAttack:
    def __init__(self, victim, size):
        self.victim, self.size = victim.eval(), size

    def one_step(self, x, y):
        x = x.clone().detach().requires_grad_()
        (slope,) = torch.autograd.grad(nn.functional.cross_entropy(self.victim(x), y), x)  # ok: in eval mode
        return (x + self.size * slope.sign()).detach()


def attack_with_care(loader, path):
    victim = Net(0.45)
    victim.load_state_dict(torch.load(path))
    for x, y in loader:
        print(CarefulAttack(victim, 0.1).one_step(x, y))


def salience(path, x):
    net = Net(0.55)
    net.load_state_dict(torch.load(path))
    x = x.detach().requires_grad_()
    (slope,) = torch.autograd.grad(net(x).max(1)[0].sum(), x)  # GRD414
    return slope.abs()


def slopes_of_the_weights(path, loader):
    net = Net(0.65)
    net.load_state_dict(torch.load(path))
    for x, y in loader:
        x.requires_grad_()
        nn.functional.cross_entropy(net(x), y).backward()  # ok: what the weights get is read as well
        print(x.grad.norm(), [weight.grad.norm() for weight in net.parameters()])


def trained_on_by_others(path, loader):
    net = Net(0.75)
    net.load_state_dict(torch.load(path))
    for x in loader:
        (net(x) * 3).logsumexp(1).sum().backward()  # ok: the caller may step


def with_penalty(path, loader):
    critic = Net(0.85)
    critic.load_state_dict(torch.load(path))
    for x in loader:
        x.requires_grad_()
        score = critic(x).mean()  # ok: the penalty trains it
        (slope,) = torch.autograd.grad(score, x, create_graph=True)
        (slope.norm() - 1).pow(2).backward()


def counted_after_loading(path, count_parameters):
    net = Net(0.95)
    net.load_state_dict(torch.load(path))
    print(count_parameters(net))
    with torch.no_grad():
        return net(torch.ones(3, 8)).argmax(1)  # GRD414


def calibrated_after_loading(path, calibrate):
    net = Net(0.96)
    net.load_state_dict(torch.load(path))
    calibrate(net, path)
    with torch.no_grad():
        return net(torch.ones(4, 8)).argmax(1)  # ok: that may have put it into eval mode


class SettingItsMode(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.drop = nn.Linear(4, 3), nn.Dropout(0.3)

    def forward(self, x, evaluating=False):
        self.eval() if evaluating else self.train()
        scores = self.drop(self.body(x))
        self.train()
        return scores


def fit_what_sets_its_mode(loader):
    model = SettingItsMode()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(torch.ones(2, 4)), torch.zeros(2, dtype=torch.long)).backward()
        optimizer.step()
    return evaluate_what_sets_its_mode(model, loader)


@torch.no_grad()
def evaluate_what_sets_its_mode(model, loader):
    right = 0
    for x, y in loader:
        right += (model(torch.ones(2, 4), evaluating=True).argmax(1) == 0).sum().item()  # ok: in eval mode by then
    return right


class Lifted(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
        self.head = nn.Linear(3, 2)

    def load(self, path):
        self.body.load_state_dict(torch.load(path))

    def forward(self, x):
        flat = self.body(x).mean(0)  # ok: whoever uses it sets its mode
        return self.head(flat)


class Lifter:
    def __init__(self, path):
        self.body = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
        self.body.load_state_dict(torch.load(path))

    @torch.no_grad()
    def best(self, x):
        return self.body(x.float()).argmax(1).tolist()  # GRD414


def predicted_by_a_pickle(path, batches):
    whole = torch.load(path, weights_only=False)
    with torch.no_grad():
        return [whole(batch).argmax(1) for batch in batches]  # ok: possible, it may have no part that minds


def predicted_by_a_pickle_in_eval_mode(path, batches):
    whole_model = torch.load(path, weights_only=False)
    whole_model.eval()
    with torch.no_grad():
        return torch.cat([whole_model(batch.float()).softmax(1) for batch in batches])  # ok: in eval mode


@torch.no_grad()
def play_with_a_pickle(path, env):
    policy, state, done = torch.load(path, weights_only=False), env.reset(), False
    while not done:
        state, _, done, _ = env.step(policy(torch.as_tensor(state)).argmax().item())  # ok: it seldom has such parts


def tune_a_pickle(path, loader):
    tuned = torch.load(path, weights_only=False)
    optimizer = torch.optim.SGD(tuned.parameters(), lr=0.01)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(tuned(x / 255), y).backward()  # ok: it is trained on
        optimizer.step()


def validate_what_nobody_shows(learner, loader):
    right = 0
    with torch.no_grad():
        for x, y in loader:
            right += learner(x).argmax(1).eq(y).float().sum().tolist()  # GRD414
    return right


def fit_what_nobody_shows(learner, loader, epochs):
    optimizer = torch.optim.Adam(learner.parameters())
    for _ in range(epochs):
        learner.train()
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(learner(x), y).backward()
            optimizer.step()
        validate_what_nobody_shows(learner, loader)


def made_in_eval_mode(path, batches):
    chained = zoo.Net(3).cuda().eval()
    chained.load_state_dict(torch.load(path))
    with torch.no_grad():
        return [chained(batch).sigmoid() for batch in batches]  # ok: the chain ends in eval()


def loaded_in_eval_mode(path, batches):
    pickled = torch.load(path, weights_only=False).to("cuda").eval()
    with torch.no_grad():
        return torch.stack([pickled(batch).tanh() for batch in batches])  # ok: this chain as well


def made_as_it_trains(path, batches):
    trained = zoo.Net(4).to("cuda")
    trained.load_state_dict(torch.load(path))
    with torch.no_grad():
        return [trained(batch / 2).relu() for batch in batches]  # ok: possible as well


class Scored(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = nn.Linear(6, 2)

    def forward(self, x):
        return self.weights(x)


class Ranking:
    def __init__(self):
        self.ranker = Scored()

    def fit(self, x, y):
        optimizer = torch.optim.SGD(self.ranker.parameters(), lr=0.1)
        for _ in range(9):
            optimizer.zero_grad()
            nn.functional.l1_loss(self.ranker(x), y).backward()
            optimizer.step()

    def predict(self, path, x):
        self.ranker = torch.load(path, weights_only=False)
        with torch.no_grad():
            return self.ranker(x.double()).argsort().tolist()  # ok: what it holds elsewhere has no such part


class Drops(nn.Module):
    """Drops at random, and normalises nothing."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.2), nn.Linear(8, 1))

    def forward(self, x):
        return self.layers(x)


def rewarded_by_a_critic_that_drops(loader, maker):
    critic = Drops()
    of_critic = torch.optim.Adam(critic.parameters())
    of_maker = torch.optim.Adam(maker.parameters())
    for real in loader:
        of_critic.zero_grad()
        critic(real).mean().neg().backward()
        of_critic.step()
        words, chances = maker.choose(real)
        reward = critic(words).sigmoid().detach()  # GRD401 GRD414
        of_maker.zero_grad()
        (-chances * reward).mean().backward()
        of_maker.step()


def rewarded_by_a_critic_at_rest(loader, maker):
    critic = Drops()
    of_critic = torch.optim.Adam(critic.parameters())
    for real in loader:
        critic.train()
        of_critic.zero_grad()
        (1 - critic(real)).mean().backward()
        of_critic.step()
        critic.eval()
        print(critic(maker(real)).tanh().tolist())  # GRD401


class Seen(nn.Module):
    """A network that comes with weights, or without."""

    def __init__(self, weights=None):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8))
        self.weights = weights

    def forward(self, x):
        return self.layers(x)


def taught_by_a_frozen_network(loader):
    teacher, student = Seen(weights="of others"), nn.Linear(8, 8)
    teacher.requires_grad_(False)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    for x in loader:
        optimizer.zero_grad()
        (student(x) - teacher(x)).abs().mean().backward()  # GRD414
        optimizer.step()


def taught_by_a_frozen_network_at_rest(loader):
    teacher, student = Seen(weights="of others").eval(), nn.Linear(8, 8)
    teacher.requires_grad_(False)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    for x in loader:
        optimizer.zero_grad()
        (student(x) - teacher(x * 1)).abs().sum().backward()  # ok: in eval mode
        optimizer.step()


def fitted_on_top_of_a_frozen_network(loader):
    body, head = Seen(weights="of friends"), nn.Linear(8, 2)
    whole = nn.Sequential(body.requires_grad_(False), head)  # ok: possible alone (GRD806), the statistics may adapt
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(whole(x), y).backward()
        optimizer.step()
