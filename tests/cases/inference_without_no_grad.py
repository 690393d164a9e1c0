"""Cases for GRD401: models that run in eval mode, with and without a reason to record."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import zoo
from torch.autograd import Variable
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.1))
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        return self.head(self.features(x))


def validate(model: Net, loader: DataLoader, criterion=nn.CrossEntropyLoss()):
    model.eval()
    total = 0.0
    for inputs, targets in loader:
        loss = criterion(model(inputs), targets)  # GRD401
        total += loss.item()
    return total / len(loader)


def validate_any(model: nn.Module, loader: DataLoader):
    model.eval()
    return sum(F.mse_loss(model(x), y).item() for x, y in loader)  # GRD401


def accuracy():
    net = Net()
    net.eval()
    correct = 0
    for _ in range(3):
        predicted = net(torch.ones(4, 8)).argmax(dim=1)  # GRD401
        correct += (predicted == 0).sum().item()
    return correct


class Predictor:
    def __init__(self):
        self.net = Net().eval()

    def scores(self, x):
        return self.net(x).softmax(-1).tolist()  # GRD401

    @torch.no_grad()
    def labels(self, x):
        return self.net(x).argmax(-1)  # ok: decorated

    def probability(self, x):
        with torch.inference_mode():
            out = self.net(x)[:, 0]  # ok: inference mode
        return out


def mean_output(loader):
    model = nn.Sequential(Net(), nn.Softmax(dim=1)).train(False)
    outputs = [model(batch) for batch in (torch.ones(1, 8), torch.zeros(1, 8))]  # GRD401
    print(torch.cat(outputs).mean(0))


def train_epoch():
    model, teacher = Net(), Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    teacher.eval()
    model.train()
    for _ in range(2):
        inputs = torch.randn(4, 8)
        target = teacher(inputs).detach().argmax(1)  # GRD401
        loss = F.cross_entropy(model(inputs), target)  # ok: in train mode, and differentiated
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def saliency(index=0):
    model = Net().eval()
    image = torch.rand(1, 8, requires_grad=True)
    score = model(image)[0, index]  # ok: differentiated below
    score.backward()
    return image.grad.abs()


def attack(budget=0.1):
    model = Net()
    model.eval()
    image = torch.rand(1, 8).requires_grad_()
    loss = F.cross_entropy(model(image), torch.tensor([1]))  # ok: differentiated by autograd.grad
    (gradient,) = torch.autograd.grad(loss, image)
    return image.detach() + budget * gradient.sign()


def frozen():
    model = Net().requires_grad_(False).eval()
    return float(model(torch.ones(1, 8)).sum())  # ok: nothing requires grad, nothing is recorded


def switched_off():
    previous = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    model = Net().eval()
    print(model(torch.ones(2, 8)).max())  # ok: switched off by statement
    torch.set_grad_enabled(previous)


def forward_pass(model, batch):
    return F.softmax(model(batch), dim=-1)  # ok: every caller has gradients off, or trains


def evaluate_all():
    model = Net().eval()
    with torch.no_grad():
        first = forward_pass(model, torch.ones(1, 8))
    trained = nn.Linear(8, 2)
    forward_pass(trained, torch.ones(1, 8)).sum().backward()
    return first


class PerceptualLoss(nn.Module):
    """Its network is in eval mode for good, and its result is there to be differentiated."""

    def __init__(self):
        super().__init__()
        self.net = Net().eval()
        self.weight = 0.5

    def forward(self, x, y):
        return self.weight * F.mse_loss(self.net.features(x), y)


def stylize(target):
    criterion = PerceptualLoss()
    image = torch.rand(1, 8, requires_grad=True)
    loss = criterion(image, target) + image.pow(2).mean()  # ok: differentiated, eval mode or not
    loss.backward()
    return image


def handed_on(handle, report):
    model = Net().eval()
    handle(model(torch.ones(3, 8)))  # ok: whoever gets it may differentiate it
    report(*[model(torch.ones(k, 8)) for k in (1, 2)])  # GRD401
    return model


def graph_handed_on(model, loader, engine):
    model.eval()
    for batch in loader:
        out = model(batch.float())  # ok: an object that is not shown gets hold of the graph
        engine.update({"raw": [out], "shown": out.detach()})


def numbers_handed_on(model, loader, meter, report):
    model.eval()
    for batch in loader:
        out = model(batch).view(-1)  # GRD401
        meter.update(out.detach()[0], out.argmax(1), out.data.view(-1), out.mean().item())
        report({"rows": [out.detach().cpu().numpy()]})
        np.save("rows", out.tolist())


def test_rows(model: Net, loader):
    """No test, but what evaluates on the test set: no runner has a loader for it."""
    model.eval()
    return sum(model(batch).argmax(1).sum().item() for batch in loader)  # GRD401


def test_rows_of_one_batch():
    net = Net().eval()
    assert net(torch.ones(4, 8)).shape == (4, 2)  # ok: a runner can call it


def one_batch(model, batch, labels):
    return F.cross_entropy(model(batch), labels)  # GRD401


def trained_and_validated_by_one_helper(loader):
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.train()
    for batch, labels in loader:
        optimizer.zero_grad()
        one_batch(model, batch, labels).backward()
        optimizer.step()
    model.eval()
    return sum(one_batch(model, batch, labels).item() for batch, labels in loader)


def one_quiet_batch(model, batch):
    return model(batch).exp().sum()  # ok: who does not differentiate it has gradients off


def trained_and_validated_with_gradients_off(loader):
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        optimizer.zero_grad()
        one_quiet_batch(model, batch).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        return sum(one_quiet_batch(model, batch).item() for batch in loader)


def phase(model, loader, optimizer=None):
    """Both phases; which of them it is each call says."""
    model.train(optimizer is not None)
    total = 0.0
    for batch in loader:
        loss = model(batch + 1).pow(2).mean()  # GRD401
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item()
    return total


def phase_with_a_switch(model, loader, train, optimizer):
    model.train(train)
    with torch.set_grad_enabled(train):
        for batch in loader:
            loss = model(batch * 2).pow(2).mean()  # ok: gradients are off where it evaluates
            if train:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


def phases(loader):
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        phase(model, loader, optimizer)
        phase(model, loader)
        phase_with_a_switch(model, loader, True, optimizer)
        phase_with_a_switch(model, loader, False, None)


def penalised(model, batch):
    batch = batch.requires_grad_()
    score = model(batch).sum(1).mean()  # ok: both callers need its graph, in eval mode or not
    return torch.autograd.grad(score, batch, create_graph=True)[0].pow(2).mean()


def penalties(batch):
    model = Net()
    penalised(model, batch).backward()
    model.eval()
    return penalised(model, batch).item()


class Trainer:
    """The network comes from elsewhere, by way of a helper, and is used in methods that set other things."""

    def fit(self, loader, optimizer):
        self.build()
        self.network.train()
        self.epochs = 0
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(self.network(x), y).backward()  # ok: in train mode, and differentiated
            optimizer.step()

    def predict(self, loader):
        self.network.eval()
        return [self.network(x).argmax(-1).tolist() for x in loader]  # GRD401

    def load(self, path):
        self.network.load_state_dict(torch.load(path))
        self.path = path

    def build(self):
        self.network = zoo.make(8, 2).to("cpu")


def outputs_agree(net):
    expected, again = net(torch.ones(1, 8)), net(torch.ones(1, 8))  # ok: called by a test, which may well leave gradients on
    assert torch.equal(expected, again)


def test_outputs():
    outputs_agree(Net().eval())


def looked_at_in_parts(model: nn.Module, batch):
    model.eval()
    out = model(batch)  # GRD401
    logits = out.logits.detach().cpu()
    return logits[:10], out.loss.item()


def differentiated_in_parts(model: nn.Module, batch, labels):
    model.eval()
    out = model(batch, labels=labels)  # ok: a part of it is differentiated
    out.loss.backward()
    return out.logits.detach()


def tried_without_first(model: nn.Module, batch):
    model.eval()
    try:
        with torch.no_grad():
            out = model(batch)
    except RuntimeError:
        out = model(batch, 1)  # ok: what needs gradients inside is run with them on purpose
    return out.mean().item()


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.one, self.two = nn.Linear(8, 16), nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, x):
        hidden = self.body(x).relu()
        return {"one": [self.one(hidden)], "hidden": hidden.detach()}, self.two(hidden).sum()


class WithWeight(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(8))

    def forward(self, x):
        return (x * self.weight).detach(), self.weight


def predicted_by_two_heads(batches):
    net = TwoHeads()
    net.eval()
    predictions = []
    for batch in batches:
        heads, _ = net(batch)  # GRD401
        predictions.append(heads["one"][0].detach().numpy())
    return predictions


def second_head_differentiated(batch):
    net = TwoHeads().eval()
    heads, score = outputs = net(x=batch)  # ok: a part of the result is differentiated
    score.backward()
    return len(outputs), heads["hidden"]


def weight_in_the_result(batch):
    out, weight = WithWeight().eval()(batch)  # ok: nothing in the result carries a graph
    return out.sum().item(), weight.shape


def tokens_of_a_batch(network, loader):
    network.eval()
    tokens = []
    for batch in loader:
        output = network(ids=batch["ids"], mask=batch["mask"])  # GRD401
        tokens.append(output.logits.argmax(-1).cpu().numpy())
        losses = network(ids=batch["ids"], labels=batch["labels"])  # ok: its loss is differentiated
        losses["loss"].backward()
    return tokens


class Forces(nn.Module):
    """Its result is computed from gradients."""

    def __init__(self):
        super().__init__()
        self.energy, self.head = Net(), nn.Linear(8, 2)

    def forward(self, x):
        x = x.detach().requires_grad_()
        (forces,) = torch.autograd.grad(self.energy(x).sum(), x)
        return self.head(forces)


def forces_of(batches):
    forces = Forces().eval()
    return [forces(x + 1).argmax(1).tolist() for x in batches]  # ok: gradients are computed inside


def of_old(model: nn.Module, loader):
    model.eval()
    hits = 0
    for x, y in loader:
        x = Variable(x, volatile=True)  # GRD115
        hits += (model(x / 255).argmax(1) == y).sum().item()  # ok: the flag of its input is the mistake
    ones = torch.ones(4, 8)
    ones.volatile = True  # GRD115
    for _ in range(2):
        print(model(ones).amax())  # ok: and that of this one
        print(model(torch.ones(2, 8)).amin(0))  # GRD401
    return hits


def watched_by_others(loader, watch):
    model, hits = Net(), []
    for _ in range(3):
        model.eval()
        for x, y in loader:
            hits.append((model(x).argmax(1) == y).float().mean().item())  # GRD401
        watch(model)
    return hits


def prepared_by_others(loader, prepare):
    model = Net()
    prepare(model)
    model.eval()
    return [model(x).argmax(1).tolist() for x in loader]  # GRD401


def frozen_by_an_option(loader, make):
    model = make("best.pt", freeze=True)
    model.eval()
    return [model(x).topk(3).indices.numpy() for x in loader]  # ok: the option asks for no gradients


class Upstream:
    def __init__(self, make):
        options = {"file": "best.pt", "no_grad": "True"}
        self.model = make(options=options)
        self.model.eval()

    def features(self, loader):
        for x in loader:
            yield self.model(x).detach().mean(0)  # ok: and so does one in a table

    def trained(self, loader, make):
        model = make(trainable=True, freeze=False, unfreeze=True)
        model.eval()
        for x in loader:
            yield torch.sigmoid(model(x)).round().tolist()  # GRD401


def scored(network, loader):
    network.eval()
    return sum(network(x).square().mean().item() for x in loader)  # GRD401


def student_and_teacher(loader):
    teacher = Net().requires_grad_(False)
    return scored(teacher, loader) - scored(Net(), loader)


def frozen_on_request(loader, prepare, frozen):
    model = Net()
    prepare(model)
    if frozen:
        model.requires_grad_(False)
    model.eval()
    return sum(model(x).argmax(1).eq(y).sum().item() for x, y in loader)  # ok: it may be frozen


def one_of_several(loader, kind):
    if kind == "net":
        model = Net()
    elif kind == "line":
        model = nn.Linear(8, 2)
    else:
        raise ValueError(kind)
    model.eval()
    return [int(model(x).max(1)[1].ne(y).sum()) for x, y in loader]  # GRD401


def one_of_several_in_either_mode(loader, kind):
    model = Net() if kind == "net" else nn.Linear(8, 2)
    other = nn.Linear(8, 2)
    (model if kind else other).eval()
    return {y: model(x).sigmoid().gt(0.5).tolist() for x, y in loader}  # GRD401



class Watched:
    """Whose losses are trained on, and watched besides."""

    def __init__(self, width=8):
        self.encoder, self.head = nn.Linear(width, 4), nn.Linear(4, 2)
        self.tuned = torch.optim.SGD([*self.encoder.parameters(), *self.head.parameters()], lr=0.1)
        self.seen, self.kept = [], None

    def epoch(self, loader, spare):
        for x, y in loader:
            loss = F.cross_entropy(self.head(self.encoder(x)), y)  # ok: trained on
            self.tuned.zero_grad()
            loss.backward()
            self.tuned.step()
        self.seen.append(self.head(self.encoder(spare)).softmax(-1).data.mean())  # GRD401

    def hidden_state(self, x):
        self.kept = self.encoder(x)  # ok: others may differentiate what an object keeps
        return self.kept.detach().numpy()

    def choose(self, x):
        return self.head(self.encoder(x)).max(-1)[1].cpu().numpy()  # GRD401

    def distance(self, one, other):
        return (self.encoder(one) - self.encoder(other)).norm()  # ok: returned to whoever calls


def teacher_cut_off(teacher: nn.Module, student, loader):
    steps = torch.optim.Adam(student.parameters())
    for x in loader:
        wanted = teacher(x).detach()  # GRD401
        loss = F.mse_loss(student(x), wanted)
        steps.zero_grad()
        loss.backward()
        steps.step()


def maker_and_judge(loader):
    maker, judge = nn.Linear(3, 8), nn.Linear(8, 1)
    of_maker, of_judge = torch.optim.Adam(maker.parameters()), torch.optim.Adam(judge.parameters())
    for true in loader:
        made = maker(torch.randn(4, 3))  # ok: cut off for the judge, and differentiated for the maker
        of_judge.zero_grad()
        (judge(made.detach()).mean() - judge(true).mean()).backward()
        of_judge.step()
        of_maker.zero_grad()
        (-judge(made).mean()).backward()
        of_maker.step()
    return maker(torch.randn(4, 3))  # ok: returned


def preview(maker: nn.Module, save_image, folder, noise):
    save_image(maker(noise.cuda()).detach().cpu().clamp(0, 1), folder)  # GRD401


def shown_by(painter: nn.Module, tensor, screen):
    for one in tensor:
        screen.show_image(painter(one).detach().numpy())  # GRD401



class Wrapped:
    """Whose steps a framework calls, as it calls those that train."""

    def __init__(self, network: Net):
        self.network = network

    def validation_step(self, batch):
        return {"val": self.network(batch["x"]).logsumexp(1)}  # ok: who calls it sets the mode

    def predict_step(self, batch, index):
        return self.network(batch[index]).sort(1)  # ok: and here


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x):
        return torch.distributions.Categorical(logits=self.body(x))

    def features(self, x):
        self.body.eval()
        return self.body(x).relu()  # ok: a forward by another name

    def act(self, x):
        return int(self(x[None]).sample()[0])  # GRD401


def rollout(actor: Actor, world):
    rewards, logs = [], []
    for x in world:
        law = actor(x / 2)  # ok: its log_prob is differentiated below
        action = law.sample()
        logs.append(law.log_prob(action))
        rewards.append(float(action))
    (-torch.stack(logs).mean() * sum(rewards)).backward()


def old_and_new(actor: Actor, x, gain, steps):
    logs = actor(x).logits.detach()  # GRD401
    (-(actor(x).logits - logs).mean() * gain).backward()
    steps.step()


def run_epoch_of(model: Net, loader, criterion, train, steps=None):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x / 255), y.long())  # GRD401 GRD414
        if train:
            steps.zero_grad()
            loss.backward()
            steps.step()
        total += loss.item()
    return total


def both_phases(loader):
    model = Net()
    steps = torch.optim.SGD(model.parameters(), lr=0.1)
    run_epoch_of(model, loader, nn.MSELoss(), train=True, steps=steps)
    return run_epoch_of(model, loader, nn.MSELoss(), train=False)


def evaluate_by(network, loader, criterion):
    network.eval()
    losses = [criterion(network(x), y) for x, y in loader]  # GRD401
    return sum(losses) / len(losses)


def adapt_by(network, loader, optimize):
    network.eval()
    for x in loader:
        optimize(network(x).softmax(-1))  # ok: by its name it differentiates what it is handed


def tried_on_nothing():
    net = Net()
    out = net(torch.ones(2, 8))  # ok: to see what comes out of it
    print(out.shape, out.sum().item())


def loaded_and_used(path, loader):
    net = torch.load(path).cpu()
    names = torch.load("names")
    return [net(x).argmax(1) for x in loader], names["first"]  # GRD401


class OneStep(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.cell = nn.Linear(4, 3), nn.LSTMCell(4, 3)

    def forward(self, x):
        h = self.first(x)
        return self.cell(x, (h, torch.zeros_like(h)))[0]


def trained_through_a_cell(x):
    begin, memory, cell = nn.Linear(4, 3), nn.Linear(4, 3), nn.LSTMCell(4, 3)
    h, c = begin(x), memory(x)  # ok: the states are handed to the cell in a tuple
    for _ in range(3):
        h, c = cell(x, (h, c))
    h.sum().backward()
    print(OneStep()(x).mean().item(), c.detach())  # GRD401


class Kept:
    def __init__(self, layer):
        layer.register_forward_hook(self.keep)

    def keep(self, module, inputs, output):
        self.output = output


def dreamt(path, images):
    net = torch.load(path).eval()
    kept, scores = Kept(net.layer4), []
    for image in images:
        image.requires_grad_()
        scores.append(net(image).argmax(1))  # ok: a hook on a part of it keeps what is differentiated
        kept.output.norm().backward()
    return scores


def described(path, images):
    net = torch.load(path).eval()
    found, scores = [], []

    def describe(module, inputs, output):
        found.append(output.detach())

    net.layer4.register_forward_hook(describe)
    for image in images:
        scores.append([net(image).mean().item(), len(found)])  # GRD401
    return found, scores


softplus, bounded = nn.Softplus(), nn.Linear(3, 3)
zoo.register(softplus)


def as_percentages(what):
    shown = softplus(bounded.weight) * 100  # ok: a layer without parameters is no model
    return f"{what}: {shown.mean().item()}"


def printed_before_and_after(loader, held_out):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, _ in held_out:
        print(net(x))  # GRD401 GRD414
    for x, y in loader:
        optimizer.zero_grad()
        print(scores := net(x))  # ok: printed, and differentiated
        F.cross_entropy(scores, y).backward()
        optimizer.step()
    for x, _ in held_out:
        print("after", net(x))  # GRD401 GRD414


def printed_on_the_way(x, depth):
    layer = nn.Linear(8, 8)
    for _ in range(depth):
        x = layer(x)
        print(x)
    return x


def printed_and_kept(net: Net, loader, state):
    for x, _ in loader:
        print(scores := net(x.float()))  # ok: whoever holds the state may differentiate it
        state["scores"] = scores


class RobustnessTester:
    """It attacks a network that nobody shows, and measures it by calling its `forward`."""

    def __init__(self, net, loader):
        self.net, self.loader = net, loader

    def measured(self, count):
        for x, y in self.loader:
            moved = self.moved(x, y)
            right = zoo.accuracy(self.net.forward(moved), y)  # GRD401
            count += right.item()
        return count

    def moved(self, x, y):
        x = x.clone().detach().requires_grad_(True)
        for _ in range(3):
            loss = zoo.criterion(self.net(x), y)  # ok: differentiated
            loss.backward()
            x.data = x.data + 0.1 * x.grad.sign()
            x.grad.zero_()
        return x


class QuietTester(RobustnessTester):
    def measured(self, count):
        for x, y in self.loader:
            moved = self.moved(x, y)
            with torch.no_grad():
                right = zoo.accuracy(self.net.forward(moved)[0], y[0])  # ok: without gradients
            count += right.item()
        return count


class DriverTester:
    """What it drives has a `forward` and is never called: it may be a car."""

    def __init__(self, car):
        self.car = car

    def driven(self, steps):
        return [self.car.forward(step).item() for step in steps]


class Vectors(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 8)

    def forward(self, centres, others):
        return (self.embedding(centres) * self.embedding(others)).sum(-1)

    def vectors(self, words):
        return self.embedding(words)  # ok: one call of it at least may be trained on; those that are not are told

    def weights(self, words):
        return self.embedding(words).softmax(dim=-1).T  # ok: a script tries it out, and others may train on it


def neighbours(vectors: Vectors, words):
    wanted = vectors.vectors(Variable(torch.tensor([3])))  # GRD116
    return [F.cosine_similarity(wanted, vectors.vectors(torch.tensor([word]))).item() for word in words]  # GRD401


trained = Vectors()
trained.vectors(Variable(torch.tensor([4, 5])))  # GRD116
neighbours(trained, [1, 2])
print(trained.weights(torch.tensor([4])))


def watched(net, loader):
    def tell(module, inputs, output):
        if output.dim() > 2:
            print(type(module).__name__, output.shape, output.norm().item())

    net.top.register_forward_hook(tell)
    net.eval()
    return [net(x).argmax(1).tolist()[:5] for x in loader]  # GRD401


def watched_and_kept(net, loader):
    kept = []

    def tell(module, inputs, output):
        print(output.shape)
        kept.append(output)

    net.top.register_forward_hook(tell)
    net.eval()
    found = [net(x).argmax(1).tolist() for x in loader]  # ok: what is kept inside is differentiated
    kept[0].sum().backward()
    return found


if __name__ == "__main__":
    test_rows_of_one_batch()
    shown = Net().eval()
    print(shown(torch.randn(1, 8)))  # ok: once in a script, for a look
    for size in (1, 2, 4):
        print(shown(torch.randn(size, 8)).argmax(1))  # GRD401
    print(as_percentages("the weights"))


def phases(model, loaders, criterion, optimizer, epochs=25):
    for epoch in range(epochs):
        for phase in ["train", "val"]:
            if phase == "train":
                model.train()
            else:
                model.eval()
            total = 0.0
            for pictures, labels in loaders[phase]:
                optimizer.zero_grad()
                loss = criterion(model(pictures.to("cpu")), labels)  # GRD401
                if phase == "train":
                    loss.backward()
                    optimizer.step()
                total += loss.item()
            print(phase, total)


def phases_with_a_switch(model, loaders, criterion, optimizer, epochs=25):
    for epoch in range(epochs):
        for phase in ["train", "val"]:
            if phase == "train":
                model.train()
            else:
                model.eval()
            for pictures, labels in loaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    loss = criterion(model(pictures.float()), labels)  # ok: off in the other phase
                    if phase == "train":
                        loss.backward()
                        optimizer.step()


def both_are_trained(first: torch.nn.Module, second: torch.nn.Module, batches, optimizer):
    for net in (first.train(), second.eval()):
        for batch in batches:
            gap = net(batch).square().mean()  # ok: in either mode it is differentiated
            optimizer.zero_grad()
            gap.backward()
            optimizer.step()


class Policy(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        layers = []
        for before, after in zip(sizes, sizes[1:], strict=False):
            layers += [nn.Linear(before, after), nn.Tanh()]
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


def perceptron(sizes, activation=nn.ReLU):
    layers = []
    for index in range(len(sizes) - 1):
        last = index == len(sizes) - 2
        layers += [nn.Linear(sizes[index], sizes[index + 1]), nn.Identity() if last else activation()]
    return nn.Sequential(*layers)


class Player:
    def __init__(self, env):
        self.policy = Policy(env.sizes)
        self.critic = perceptron(env.sizes)
        self.optimizer = torch.optim.Adam([*self.policy.parameters(), *self.critic.parameters()])
        self.values = []

    def choose(self, state):
        state = torch.FloatTensor(state)
        return self.policy(state).argmax().item()  # GRD401

    def worth(self, state):
        return self.critic(torch.FloatTensor(state)).item()  # GRD401

    def worth_to_learn(self, state):
        self.values.append(self.critic(torch.FloatTensor(state)))  # ok: differentiated in `learn`

    def learn(self, returns):
        loss = (torch.cat(self.values) - returns).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    @torch.no_grad()
    def greedy(self, state):
        return self.policy(torch.FloatTensor(state)).argmax().item()  # ok: gradients are off


class Translator(nn.Module):
    def __init__(self, width, blocks):
        super().__init__()
        parts = [nn.ReflectionPad2d(3), nn.Conv2d(3, 64, 7), nn.InstanceNorm2d(64), nn.ReLU()]
        for _ in range(width):
            parts += [nn.Conv2d(64, 64, 3), nn.InstanceNorm2d(64), nn.ReLU()]
        for _ in range(blocks):
            parts += [nn.Conv2d(64, 64, 3, padding=1)]
        parts += [nn.Conv2d(64, 3, 7), nn.Tanh()]
        self.parts = nn.Sequential(*parts)

    def forward(self, x):
        return self.parts(x)


def translated(path, loader: DataLoader):
    net = Translator(2, 9)
    net.load_state_dict(torch.load(path))
    net.eval()
    for number, pictures in enumerate(loader):
        shown = 0.5 * (net(torch.empty(1, 3, 256, 256).copy_(pictures)).data + 1)  # GRD401
        zoo.save_image(shown, f"{number}.png")


def frozen_translator(path, loader: DataLoader):
    net = Translator(2, 9).requires_grad_(False)
    net.load_state_dict(torch.load(path))
    net.eval()
    return [net(torch.empty(1, 3, 64, 64).copy_(pictures)).data for pictures in loader]  # ok: it is frozen


def tested_behind_the_training(train_loader, test_loader, weigh):
    net = zoo.ResNet18()
    optimizer = torch.optim.Adam(net.parameters())
    for pictures, labels in train_loader:
        optimizer.zero_grad()
        F.cross_entropy(net(pictures), labels).backward()
        optimizer.step()
    total = 0.0
    for number, (pictures, labels) in enumerate(test_loader):
        total += number * weigh(net(pictures), labels)  # GRD401
    return total


def validated_by_key(loaders, weigh):
    net = zoo.ResNet18()
    return [weigh(net(batch)) for batch in loaders["val"]]  # ok: who collects them may differentiate them


def weighed_without_a_word(loader: DataLoader, weigh):
    net = zoo.ResNet18().train()
    return sum(weigh(net(batch.float())) for batch in loader)  # ok: nothing says that this evaluates


def adapted_to_the_test(test_loader, weigh):
    net = zoo.ResNet18()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-4)
    for batch in test_loader:
        loss = weigh(net(batch)).mean()  # ok: it is trained on the data of the test
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def to_variable(array, volatile=False):
    return Variable(torch.from_numpy(array), volatile=volatile)  # GRD115


class Driver:
    def __init__(self):
        self.actor = nn.Sequential(nn.Linear(4, 8), nn.Tanh())

    def act(self, state):
        return self.actor(to_variable(np.array([state]))).data.numpy()  # GRD401

    def value(self, state):
        return self.actor(to_variable(np.array([state]), volatile=True)).data.numpy()  # GRD401


def test_one_by_one(net, test_loader, place):
    right = 0
    for images, labels in test_loader:
        guess = net(images.to(place)).max(dim=1)[1]  # GRD401
        right += guess.cpu().eq(labels).sum().item()
    return right / len(test_loader.dataset)


def evaluate_pairs(encoder, decoder, criterion, loader):
    total = 0.0
    for source, target in loader:
        code, state = encoder(source, None)  # GRD401
        total += criterion(decoder(target, code, state), target).item()
    return total


class Scorer:
    def __init__(self, test_data):
        self.test_data = test_data

    def evaluate_all(self, model):
        kept = [model(batch["pixels"]) for batch in self.test_data]  # GRD401
        return torch.cat(kept).argmax(1)


def predict_by(model, x):
    return model(x.abs())  # ok: somebody may train on what it gives


def test_under_attack(model, test_loader, size):
    found = []
    for images, labels in test_loader:
        images.requires_grad = True
        loss = nn.functional.nll_loss(model(images), labels)  # ok: the attack needs the graph
        loss.backward()
        found.append(images + size * images.grad.sign())
    return found


@torch.no_grad()
def validate_quietly(model, val_loader):
    return [model(batch + 3).argmax(1) for batch in val_loader]  # ok: gradients are off


def test_time_training(model, test_loader, optimizer):
    for batch in test_loader:
        loss = model(batch).pow(2).mean()  # ok: it is trained on the data of the test
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def evaluate_function(fn, test_loader):
    return [fn(batch).sum().item() for batch in test_loader]  # ok: nothing says that it is a network


def generate_text(net, prime, count):
    text, hidden = [prime], net.init_hidden(1)
    for _ in range(count):
        output, hidden = net(text[-1].view(1, -1), hidden)  # GRD401
        text.append(torch.multinomial(output.data.view(-1).exp(), 1)[0])
    return text


class TesterOf:
    def __init__(self, net, settings):
        self.net, self.settings = net, settings

    def test(self, loader):
        for images, labels in loader:
            guess = self.net(images.to(self.settings.place), depth=3).topk(5)[1]  # GRD401
            print((guess[:, 0] == labels).float().mean())


class TrainerOf:
    def __init__(self, model, optimizer, objective):
        self.model, self.optimizer, self.objective = model, optimizer, objective

    def train(self, loader):
        for images, labels in loader:
            self.optimizer.zero_grad()
            guess = self.model(images.float())  # ok: this is training
            self.objective(guess, labels).backward()
            self.optimizer.step()

    def validate(self, loader):
        return [self.objective(self.model(images), labels).item() for images, labels in loader]  # GRD401


class AttackerOf:
    def __init__(self, model):
        self.model = model

    def perturb(self, images, labels):
        images = images.clone().requires_grad_(True)
        loss = nn.functional.cross_entropy(self.model(images), labels)  # ok: the attack needs the graph
        return images + torch.autograd.grad(loss, images)[0].sign()

    def evaluate(self, loader):
        with torch.no_grad():
            return [self.model(images).argmax(1) for images, _ in loader]  # ok: gradients are off


class EncodesFor:
    def __init__(self, encoder):
        self.encoder = encoder

    def embed(self, x):
        return self.encoder(x.flatten(1)).relu()  # ok: others may train on what it gives


def evaluate_together(models, test_loader):
    for x, y in test_loader:
        votes = sum(model(x) for model in models)  # GRD401
        print(votes.argmax(1).eq(y).sum().item())


def test_layers(layer, features, loader):
    return [layer(x).sum().item() + features(x).sum().item() for x in loader]  # ok: these may be anything


class Checks:
    """Whose checks keep what they find."""

    def __init__(self, settings):
        self.network = zoo.make(settings)
        self.optimizer = torch.optim.Adam(self.network.parameters())
        self.seen, self.scores, self.total, self.last = [], [], 0.0, None

    def fit(self, loader):
        self.network.train()
        for x, y in loader:
            self.optimizer.zero_grad()
            nn.functional.mse_loss(self.network(x.double()), y).backward()  # ok: this is training
            self.optimizer.step()

    def check_and_keep(self, loader):
        self.network.eval()
        for x, y in loader:
            self.seen.append((self.network(x.half(), y), y))  # GRD401

    def check_and_add(self, loader):
        self.network.eval()
        for x, y in loader:
            guess = self.network(y, x)  # GRD401
            self.total += nn.functional.smooth_l1_loss(guess, y)

    def check_and_score(self, loader, compute_metrics):
        self.network.eval()
        for x, y in loader:
            guess = self.network(x, mask=y > 0)  # GRD401
            self.scores.append(compute_metrics(guess, y))


class Explains:
    def __init__(self, settings):
        self.network = zoo.make(settings)

    def look_at(self, x):
        self.network.eval()
        self.found = self.network(x.requires_grad_())  # ok: the gradient is asked for afterwards

    def explain(self, label):
        self.found[0, label].backward()


class Looks(zoo.Base):
    def __init__(self, settings):
        self.network = zoo.make(settings)

    def look(self, x):
        self.network.eval()
        self.found = self.network(x.float()[None])  # ok: its base may differentiate what it finds there


class Acting(nn.Module):
    def __init__(self):
        super().__init__()
        self.values = nn.Linear(4, 2)

    def forward(self, x):
        return self.values(x)

    def act(self, state):
        return self(torch.tensor(state).view(1, 4)).argmax(1).item()  # GRD401

    def look(self, state):
        return self.forward(torch.tensor(state).view(2, 2).flatten()).max()  # ok: a script tries it once


def compute_accuracy(loader, model):
    right = 0
    for x, y in loader:
        right += (model(x.double(), None).argmax(1) == y).sum()  # GRD401
    return right


acting = Acting()
for seen in ([1.0, 2.0, 3.0, 4.0], [2.0, 0.0, 1.0, 3.0]) * 8:
    print(acting.act(seen))
print(acting.look([0.0, 1.0, 2.0, 1.0]))


def turned_over(path, mean):
    speaker = zoo.Speaker(24)
    speaker.load_state_dict(torch.load("speaker.pt"))
    spoken = torch.Tensor(zoo.spectrum(path) - mean)[None]
    heard = speaker(spoken.permute(0, 2, 1))  # GRD401
    return heard.permute(0, 2, 1).cpu().detach().numpy()


def painted(photo: torch.Tensor):
    painter = zoo.Painter().cuda()
    painter.load_state_dict(torch.load("painter.pt"))
    painting = painter(photo[None].float().cuda())  # GRD401
    return painting.squeeze(0).detach().cpu().numpy()


def measured_by_what_may_have_no_parameters(net: nn.Module, photo, truth):
    net.load_state_dict(torch.load("net.pt"))
    distance = zoo.Distance().cuda()
    distance.load_state_dict(torch.load("distance.pt"))
    distance.eval()
    made = net(photo / 255)  # GRD401
    return distance(made, truth).item()  # ok: what is measured has the graph already


def photo_that_is_made_to_fit(photo: torch.Tensor, wanted):
    judge = zoo.Judge().cuda()
    judge.load_state_dict(torch.load("judge.pt"))
    image = photo.clone().requires_grad_()
    for _ in range(100):
        loss = F.mse_loss(judge(image[None]), wanted)  # ok: its gradient is asked for
        (slope,) = torch.autograd.grad(loss, image)
        image = (image - slope).detach().requires_grad_()
    return image


def codes_of_all(encoder, rows):
    codes = []
    for row in rows:
        codes.append(encoder(row[None]).squeeze(0).cpu().detach())  # GRD401
    return torch.stack(codes)


class Describer:
    def __init__(self, net):
        self.net = net

    def describe(self, photos):
        found = []
        for photo in photos:
            code = self.net(photo.unsqueeze(0))  # GRD401
            found.append(code.detach().cpu().numpy())
        return np.concatenate(found)


class Pretrained:
    def __init__(self, net):
        self.net = net

    @torch.no_grad()
    def describe(self, photos):
        found = []
        for photo in photos:
            code = self.net(photo[None])  # ok: gradients are off
            found.append(code.detach().cpu().numpy())
        return np.concatenate(found)


def state_carried_on(decoder, rows, state):
    outputs = []
    for row in rows:
        output, state = decoder(row, state)
        state = state.detach()
        outputs.append(output)  # ok: only the state is cut
    return outputs


def against_a_fixed_goal(net, rows, goal):
    return sum(F.mse_loss(net(row), goal.detach()) for row in rows)  # ok: the loss is given to others


def maps_of_first_layer(backbone, photos):
    backbone.eval()
    maps = []
    for photo in photos:
        before, after = backbone.first_layer(photo)  # GRD401
        maps.append((before.detach().numpy(), after.size(1)))
    return maps


def latent_codes(autoencoder, sheets):
    autoencoder = autoencoder.cuda().eval()
    latent = torch.cat([autoencoder.encode(sheet.cuda()).data.cpu() for sheet in sheets])  # GRD401
    return latent.numpy()


class Walker:
    def __init__(self, policy, normalise):
        self.policy = policy
        self.normalise = normalise

    def act(self, sight):
        logits = self.policy.logits_of(torch.tensor(self.normalise.transform(sight)))  # GRD401
        return logits.cpu().detach().numpy().argmax(-1)

    def act_with_numbers(self, sight):
        return self.policy.choice_of(torch.tensor(sight)).numpy()  # it was never in a graph, else it raises


class Dreamer:
    def __init__(self, network):
        self.network = network

    @torch.no_grad()
    def dream(self, seeds):
        pictures = self.network.decode(seeds)  # ok: gradients are off
        return pictures.detach().cpu().numpy()

    def dream_further(self, seeds):
        self.network.eval()
        pictures = self.network.go_on(seeds)  # its result is not said to be in a graph
        return pictures.cpu().numpy()


def sample_by_a_method(net, prime):
    state, words = net.first_state(1), [prime]
    for _ in range(9):
        word, state = net.say(words[-1], state)  # GRD401
        words.append(word.detach())
    return words


def anchored(network, optimizer, rows):
    network.train()
    for row in rows:
        code = network.encode(row)  # ok: it is trained
        loss = (code - code.detach().mean(0)).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def scored_by_an_oracle(generator, oracle, count):
    total = 0
    for _ in range(count):
        loss = oracle.loss_of(generator.draw(8)) / 20  # nothing says that an oracle is a network
        total += loss.data.item()
    return total / count


def codes_of_a_frozen_network(network, sheets):
    for param in network.parameters():
        param.requires_grad = False
    network.eval()
    return [network.encode(sheet[None]).detach().numpy() for sheet in sheets]  # ok: nothing of it trains


def shifted(model, images, shift, labels):
    shift = shift.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(F.cross_entropy(model(images + shift), labels), shift)
    return (shift + gradient.sign()).clamp(-1, 1)


def shifts_kept_beside_a_check(images, labels, rounds):
    model, shifts = nn.Linear(4, 3), [torch.zeros(4), torch.zeros(4)]
    for turn in range(rounds):
        for at in range(2):
            shifts[at] = shifted(model, images, shifts[at], labels)
        answer = model(images + shifts[0] + shifts[1])  # GRD401
        if (answer.argmax(1) != labels).all():
            break
    return images + shifts[0].detach()


class Recurrence(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)

    def forward(self, x, state):
        return self.cell(x, state)


def _try_recurrence():
    frames, state, net = torch.rand(3, 2, 4), None, Recurrence()
    for at in range(3):
        state = net(frames[at], state)  # ok: made up for a network that is only made here
        print(state.data.size())


def frames_of_a_file(path):
    frames, state, net = torch.load(path), None, Recurrence()
    for frame in frames:
        state = net(frame, state)  # GRD401
        print(state.data.norm())


def frames_put_into_zeros(path):
    frames, state, net = torch.load(path), None, Recurrence()
    padded = torch.zeros(len(frames), 2, 4)
    padded[:, :1] = frames
    for at in range(len(frames)):
        state = net(padded.select(0, at), state)  # GRD401
        print(state.data.norm())


class Sized(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU())
        self.head = nn.Linear(self._count(shape), 2)

    def _count(self, shape):
        return self._flat(torch.rand(1, 1, *shape)).data.size(1)

    def _flat(self, x):
        return self.features(x.unsqueeze(0).squeeze(0)).view(x.size(0), -1)  # ok: it finds its size once

    def load(self, path):
        self.load_state_dict(torch.load(path))

    def forward(self, x):
        return self.head(self._flat(x))


def agent_at_work(path, observations):
    net = Sized((5, 5))
    net.load_state_dict(torch.load(path))
    net.eval()
    return [net(x.view(1, 1, 5, 5)).argmax(1).item() for x in observations]  # GRD401


class Loadable(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 3)

    def load(self, path):
        self.load_state_dict(torch.load(path))

    def forward(self, x):
        return self.layer(x)


def trained_by_itself(learner, batches, optimizer):
    learner.train()
    for x in batches:
        shown = learner.step(x.float(), 0.5, optimizer)  # ok: it may step by itself
        print(shown["loss"].item())


def trained_by_its_method(learner, batches):
    learner.train()
    for x in batches:
        print(learner.update(x.float())["loss"].item())  # ok: its name says that it trains


class Reinforcing:
    def __init__(self, policy, optimizer):
        self.policy, self.optimizer = policy, optimizer

    def act(self, state):
        chosen = torch.distributions.Categorical(self.policy(state.float()))  # ok: kept where it is learned from
        action = chosen.sample()
        self.policy.saved_log_probs.append(chosen.log_prob(action))
        return action.item()

    def look(self, state):
        shown = self.policy(state.flatten()).relu()  # ok: the list of losses is somebody's
        self.policy.kept_losses.append(shown.mean())
        return shown.tolist()

    def learn(self, returns):
        terms = [-log_prob * one for log_prob, one in zip(self.policy.saved_log_probs, returns)]
        self.optimizer.zero_grad()
        torch.cat(terms).sum().backward()
        self.optimizer.step()


def told_to_a_logger(net, loader, run):
    for x in loader:
        known = net(x.float()).exp()  # GRD401
        run.logger.append(known.mean())
        print(known.argmax(1).tolist())


def advantages_of(batch, critic: nn.Linear):
    rewards, states = torch.Tensor(batch.reward), torch.Tensor(batch.state)
    worth = critic(states[:, 3:])  # GRD401
    returns, gains = torch.Tensor(len(rewards), 1), torch.Tensor(len(rewards), 1)
    last_return, last_worth = 0, 0
    for i in reversed(range(len(rewards))):
        returns[i] = rewards[i] + 0.9 * last_return * batch.mask[i]
        gains[i] = rewards[i] + 0.9 * last_worth * batch.mask[i] - worth.data[i]
        last_return, last_worth = returns[i, 0], worth.data[i, 0]
    return returns, gains


class LateScoreNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(7, 2, bias=False), nn.Linear(3, 2)

    def forward(self, pair):
        one, other = zoo.rearrange([self.left(pair[0]), self.right(pair[1])], "i b f -> i b f")  # ok: it gives scores
        return 0.5 * (one + other)


class StrideTest(zoo.ResNet):
    def __init__(self):
        super().__init__()
        self.body, self.top = nn.Linear(3, 2), nn.Linear(2, 2)

    def forward(self, x, endpoints):
        flat = self.body(x + 1)  # ok: its callers have what it stores
        endpoints["soft"] = [self.top(flat)]
        return endpoints


print(Loadable()(torch.Tensor(np.random.randn(2, 8))))  # ok: tried once, and nothing loads it here


class Chooser(nn.Module):
    """Draws what is trained on as well as what only a target is computed from."""

    def __init__(self, width):
        super().__init__()
        self.mean = nn.Sequential(nn.Linear(width, 8), nn.Tanh(), nn.Linear(8, width))

    def drawn(self, state):
        noise = torch.randn_like(state)
        return self.mean(state) + noise  # ok: the place is where it is drawn in vain


def improve(chooser: Chooser, judge: nn.Module, states, gains):
    first = torch.optim.Adam(judge.parameters())
    second = torch.optim.Adam(chooser.parameters())
    following = chooser.drawn(states[1:])  # GRD401
    wanted = gains + judge(following).detach()
    first.zero_grad()
    F.mse_loss(judge(states[:-1]), wanted).backward()
    first.step()
    second.zero_grad()
    (-judge(chooser.drawn(states))).mean().backward()
    second.step()


improve(Chooser(4), nn.Linear(4, 1), torch.randn(9, 4), torch.ones(8, 1))


def fitted_by_a_closure(net: Net, optimizer: torch.optim.LBFGS, rows: torch.Tensor):
    def closure():
        optimizer.zero_grad()
        loss = (net(rows).square() + 1).log().mean()  # ok: differentiated in the closure
        loss.backward()
        return loss

    for step in range(9):
        shown = torch.linalg.vector_norm(net(rows) + 2)  # GRD401
        optimizer.step(closure)
        print(f"{step}: {shown.item():.3g}")


def stepped_without_a_backward(net: Net, optimizer: torch.optim.SGD, rows: torch.Tensor):
    for step in range(9):
        shown = (net(rows) - 1).abs().sum()  # ok: what is missing is the backward
        optimizer.step()  # GRD719
        print(f"{step}: {shown.item():.3g}")


class Judge(Net):
    """Comes with weights."""

    def __init__(self, weights=None):
        super().__init__()
        self.weights = weights


class Likeness(nn.Module):
    """A loss by what another network sees, which whoever calls it differentiates."""

    def __init__(self):
        super().__init__()
        self.seen = Judge(weights="of others").eval().requires_grad_()

    def forward(self, made, wanted):
        kept = self.seen(wanted).detach()  # GRD401
        return F.l1_loss(self.seen(made), kept)  # ok: differentiated below


def fitted_to_what_is_seen(loader):
    net, likeness = nn.Linear(8, 8), Likeness()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
    for noise, wanted in loader:
        optimizer.zero_grad()
        likeness(net(noise), wanted).backward()  # GRD617
        optimizer.step()


class OneOfItsHeads(nn.Module):
    """Its forward returns from within a loop: over no further heads it would return None."""

    def __init__(self, heads: int):
        super().__init__()
        self.body, self.heads = nn.Linear(8, 8), nn.ModuleList()
        for parameter in self.body.parameters():
            parameter.requires_grad = False
        for _ in range(heads):
            self.heads.append(nn.Linear(8, 3))

    def forward(self, x):
        x = self.body(x)
        out = self.heads[0](x)
        for index in range(len(self.heads) - 1):
            out += self.heads[index + 1](x)
            return out


def shown_by_a_head(loader, heads: int):
    net = OneOfItsHeads(heads)
    net.load_state_dict(torch.load("heads.pt"))
    net.eval()
    for x, _ in loader:
        print(net(x).data.argmax(1))  # GRD401


def best_of(model, x):
    return model(x).argmax(1)  # GRD401


def label_all(path: str, data):
    """What is loaded whole is a network where the function that it is handed to applies it."""
    kept = torch.load(path, weights_only=False)
    for x in data:
        print(best_of(kept, x))


def highest(model, x):
    scores = model(x.unsqueeze(0)).squeeze(0)
    return int(scores.topk(1).indices)  # ok: whoever calls it switches gradients off


def label_without_gradients(path: str, data):
    with torch.no_grad():
        whole = torch.load(path, weights_only=False)
        return [highest(whole, x) for x in data]


def words_of(vocabulary, ids):
    return [vocabulary[one] for one in ids]


def spell(path: str, ids):
    table = torch.load(path, weights_only=False)
    return words_of(table, ids)  # ok: a table is looked up
