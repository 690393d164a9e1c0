"""What is named as a network and only applied, in a function that evaluates over batches, is a module by use."""

import torch
from torch import nn


def show(function, *args):
    """Call a function as code elsewhere would: gradlint sees no caller."""
    return globals()[function](*args)


def evaluate(net, loader):
    for x in loader:
        reveal(net)  # Module[?, mode=?]
        print(net(x).argmax(1))


def test(model):
    reveal(model)  # Module[?, mode=?]
    return [model(x).argmax(1) for x in test_loader]


class Validator:
    def __init__(self, val_data):
        self.val_data = val_data

    def validate(self, encoder, decoder):
        for x in self.val_data:
            reveal(encoder)  # Module[?, mode=?]
            code = encoder(x)
            reveal(decoder)  # Module[?, mode=?]
            print(decoder(code).max(1)[1])


def validate_pair(validator):
    validator.validate(model, model)


class Tester:
    def __init__(self, data, net, layer):
        self.data, self.net, self.layer = data, net, layer

    def test(self, loader):
        reveal(self.net)  # Module[?, mode=?]
        reveal(self.layer)  # Instance[?]
        for x in loader:
            print(self.net(self.layer(x)))


class Trainer:
    def __init__(self, model):
        self.model = model

    def apply(self, x):
        reveal(self.model)  # Instance[?]
        return self.model(x)


def predict_with_all(models, loader):
    for model in models:
        reveal(model)  # Module[?, mode=?]
        for x in loader:
            print(model(x))


def test_what_makes(make_model, model_fn, data_generator, loader):
    for x in loader:
        reveal(make_model)  # Instance[?]
        reveal(model_fn)  # Instance[?]
        reveal(data_generator)  # Instance[?]
        print(make_model(x), model_fn(x), data_generator(x))


def test_object(tester, trainer, loader):
    tester.test(loader)
    trainer.apply(loader[0])


def evaluate_once(net, x):
    reveal(net)  # Instance[?]
    return net(x).argmax(1)


def evaluate_over_layers(net, layers):
    for layer in layers:
        reveal(net)  # Instance[?]
        print(net(layer))


def validate(net, train_loader):
    for x in train_loader:
        reveal(net)  # Instance[?]
        print(net(x).argmax(1))


def train_and_test(net, loader):
    for x in loader:
        reveal(net)  # Instance[?]
        print(net(x).argmax(1))


def predict(fn, loader):
    for x in loader:
        reveal(fn)  # Instance[?]
        print(fn(x).argmax(1))


def embed(net, rows):
    found = []
    for row in rows:
        reveal(net)  # Module[?, mode=?]
        given = net(row[None])
        assert len(given) == 1 and net.training
        found.append(given)
    return torch.cat(found, 0).detach()


def embed_one_by_one(encoder, rows):
    reveal(encoder)  # Module[?, mode=?]
    return [encoder(row[None]).cpu().detach().numpy() for row in rows]


def embed_by_name(encoder, row):
    reveal(encoder)  # Module[?, mode=?]
    code = encoder(row)
    return code.detach()


def carried(net, rows):
    for row in rows:
        reveal(net)  # Instance[?]
        given, last = net(row[None]), row
        last = last.detach()
    return given


def compared(net, row, wanted):
    reveal(net)  # Instance[?]
    return (net(row) - wanted.detach()).pow(2).mean()


def first_of_both(net, other, rows):
    for row in rows:
        reveal(net)  # Module[?, mode=?]
        loss = (other(row) - net(row).detach()).pow(2).mean()
        loss.backward()
    return loss


weight = torch.ones(2, requires_grad=True)
test_loader = [weight.detach().view(1, 2)]
model = nn.Linear(2, 2)
for name in ("evaluate", "evaluate_over_layers", "validate", "train_and_test", "predict"):
    show(name, model, test_loader)
show("evaluate_once", model, test_loader[0])
show("test", model)
show("validate_pair", Validator(test_loader))
show("predict_with_all", [model], test_loader)
show("test_what_makes", model, model, model, test_loader)
show("test_object", Tester(None, model, model), Trainer(model), test_loader)
for name in ("embed", "embed_one_by_one", "carried"):
    show(name, model, torch.ones(3, 2))
show("embed_by_name", model, test_loader[0])
show("compared", model, test_loader[0], torch.ones(1, 2))
show("first_of_both", model, nn.Linear(2, 2), test_loader)
