"""Cases for GRD619: what was computed from nothing that requires grad, and everything that does or may."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def attack(model, image, label):
    loss = F.cross_entropy(model(image), label)
    loss.backward()  # ok: the model is not known
    return image.grad


def regression(features, targets, asked):
    weight = torch.zeros(3, requires_grad=asked)
    loss = F.mse_loss(features @ weight, targets)
    loss.mean().backward()  # ok: the flag is not known
    return weight


def polynomial(degree):
    x = torch.linspace(-1.0, 1.0, 20)
    coefficients = torch.randn(degree)
    loss = (x - coefficients.sum()).pow(2).mean()
    (2 * loss).backward()  # GRD619
    return coefficients


def trained_as_parameters(degree):
    x = torch.linspace(-1.0, 1.0, 20)
    coefficients = nn.Parameter(torch.randn(degree))
    loss = (x - coefficients.sum()).pow(2).mean()
    (-loss).backward()  # ok: a parameter asks by itself
    return coefficients


def jacobian_of_constants():
    x = torch.ones(3)
    return torch.autograd.grad(x.exp().sum(), x)  # GRD613


def asked_by_hand():
    x = torch.ones(3)
    x.requires_grad_()
    return torch.autograd.grad(x.exp().mean(), [x])  # ok: asked in time


def frozen_as_a_whole():
    layer = nn.Linear(3, 1)
    for parameter in layer.parameters():
        parameter.requires_grad = False
    layer(torch.ones(2, 3)).sum().backward()  # GRD619
    return layer


def frozen_but_the_bias():
    layer = nn.Linear(3, 1)
    layer.weight.requires_grad = False
    layer(torch.ones(2, 3)).square().sum().backward()  # ok: the bias is trained
    return layer


def frozen_and_fed_with_what_is_trained():
    layer, prompt = nn.Linear(3, 1), torch.zeros(2, 3, requires_grad=True)
    layer.requires_grad_(False)
    layer(prompt).sum().backward()  # ok: the input is differentiated
    return prompt


def several_roots():
    weight = torch.ones(2, requires_grad=True)
    constant = torch.ones(2).sum()
    torch.autograd.backward([weight.sum(), constant])  # GRD619
    return weight


def measured(values):
    with torch.no_grad():
        error = (values - torch.ones(3)).abs().sum()
    torch.autograd.backward(error)  # GRD404
    return error


def on_some_path(values, train):
    weight = torch.ones(3, requires_grad=train > 0)
    if train:
        weight.requires_grad_()
    loss = (weight * values).sum()
    loss.backward(retain_graph=True)  # ok: asked on one path at least
    return weight


def logits_from_labels(labels):
    scores = F.one_hot(labels, 10).float()
    F.softplus(scores).sum().backward()  # GRD619
    return scores


def vectors_that_were_trained_before(vectors: torch.Tensor):
    layer = nn.Embedding.from_pretrained(vectors)
    for word in range(3):
        layer(torch.tensor([word])).mean(0).norm().backward()  # GRD619
    return layer


def vectors_that_are_trained_on(vectors: torch.Tensor, words: torch.Tensor):
    layer, head = nn.Embedding.from_pretrained(vectors, freeze=False), nn.Linear(4, 1)
    layer(words).mean(1).norm().backward()  # ok: asked not to freeze them
    frozen = nn.EmbeddingBag.from_pretrained(vectors)
    head(frozen(words)).sum().backward()  # ok: the head is trained
    return layer, head


class Options:
    fixed = True
    rate = 0.1


class FromOutside(Options):
    def __init__(self):
        self.cold = True

    def read(self, given):
        for option, value in given.items():
            setattr(self, option, value)


def fixed_as_the_options_say():
    options, layer = Options(), nn.Linear(3, 2)
    if options.fixed:
        layer.requires_grad_(False)
    layer(torch.ones(1, 3)).sum().backward()  # GRD619


def fixed_unless_another_is_asked_for(**given):
    options, layer = Options(), nn.Linear(3, 2)
    for option, value in given.items():
        setattr(options, option, value)
    if options.fixed:
        layer.requires_grad_(False)
    F.relu(layer(torch.ones(1, 3))).sum().backward()  # ok: any option of the class may have been set


def fixed_unless_a_method_set_another(given):
    options, layer, other = FromOutside(), nn.Linear(3, 2), nn.Linear(3, 2)
    options.read(given)
    if options.fixed:
        layer.requires_grad_(False)
    if options.cold:
        other.requires_grad_(False)
    torch.exp(layer(torch.ones(2, 3)) - 1).norm().backward()  # ok: an option of a base
    F.l1_loss(other(torch.rand(1, 3)), torch.zeros(1, 2)).backward()  # ok: an option that the object had


def fixed_after_the_others_were_set(**given):
    options, layer = Options(), nn.Linear(3, 2)
    for option, value in given.items():
        setattr(options, option, value)
    options.fixed = True
    if options.fixed:
        layer.requires_grad_(False)
    layer(torch.rand(4, 3)).prod().backward()  # GRD619


def options_of_other_names(**given):
    options, layer = Options(), nn.Linear(3, 2)
    for option, value in given.items():
        setattr(options, f"size_{option}", value)
    for option in given:
        setattr(options, option, nn.Linear(3, 2))
    if options.fixed:
        layer.requires_grad_(False)
    F.mse_loss(layer(torch.rand(4, 3)), torch.ones(4, 2)).backward()  # GRD619
