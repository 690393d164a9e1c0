"""Cases for GRD112: losses that are asked by hand, and tensors that are leaves for a reason."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import Variable


class Trainer:
    def __init__(self, lr=0.1):
        self.model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr)

    def accuracy_loss(self, x, y):
        predicted = self.model(x).argmax(dim=1)
        return (predicted != y).float().mean()

    def fit(self, batches):
        for x, y in batches:
            loss = self.accuracy_loss(x, y)
            loss.requires_grad = True  # GRD112
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


def train():
    trainer = Trainer()
    trainer.fit([(torch.ones(4, 8), torch.ones(4, dtype=torch.long))])
    return trainer


def wrapped(model: nn.Linear, x: Tensor, y: Tensor):
    loss = Variable(F.mse_loss(model(x), y).data, requires_grad=True)  # GRD112
    loss.backward()
    return model


def detached_by_mistake(model: nn.Linear, batches: list[Tensor]):
    losses = [F.relu(model(batch)).sum().detach() for batch in batches]
    total = torch.stack(losses).mean().requires_grad_()  # GRD112
    total.backward()
    return [p.grad for p in model.parameters()]


def evaluated(model: nn.Linear, x: Tensor):
    with torch.no_grad():
        penalty = model(x).pow(2).mean()
    penalty.requires_grad_(True).backward()  # GRD112
    return model


def placeholder(model: nn.Linear, boxes: list[Tensor]):
    loss = torch.zeros(1, requires_grad=True)
    for box in boxes:
        loss = loss + model(box).sum()
    loss.backward()  # ok: a placeholder of zeros to which losses are added
    return loss


def nothing_detected():
    loss = torch.tensor(0.0, requires_grad=True)
    loss.backward(retain_graph=False)  # ok: a placeholder alone, so that the loop can go on
    return loss


def decoupled(encoder: nn.Linear, head: nn.Linear, x: Tensor):
    features = encoder(x)
    leaf = features.detach().requires_grad_()
    F.relu(head(leaf)).sum().backward()  # ok: the leaf is used further, its gradient is handed on
    features.backward(leaf.grad)  # ok: a graph of its own
    return encoder


def fresh_parameters(model: nn.Linear, x: Tensor):
    fast = (model.weight - 0.1 * model.weight.sign()).detach().requires_grad_(True)
    (x @ fast.t()).pow(2).sum().backward()  # ok: a fresh leaf for the inner step
    return fast.grad


def already_in_the_graph(model: nn.Linear, x: Tensor):
    loss = model(x).mean()
    loss.requires_grad_(True)
    (loss * 2).backward(create_graph=False)  # ok: it requires grad already, to ask again changes nothing
    return loss


def asked_only_if_needed(model: nn.Linear, x: Tensor, frozen: bool):
    loss = (model(x).detach() if frozen else model(x)).mean()  # GRD401
    if not loss.requires_grad:
        loss.requires_grad = bool(frozen)
    return loss.backward()  # ok: on one path there is a graph


def norm_of_a_parameter(weight: nn.Parameter):
    bound = nn.Parameter(torch.tensor(1.0))
    bound.backward(torch.tensor(2.0))  # ok: a parameter is a leaf by birth
    return weight.norm() - bound


def handed_over(loss: Tensor):
    loss.requires_grad_()
    loss.backward(gradient=None)  # ok: nothing is known of how it was computed
    return loss


def saliency(model: nn.Linear):
    x = torch.rand(1, 4).mul(2).requires_grad_()
    model(x)[0, 0].backward()  # ok: what is asked is the input
    return x.grad


def confidence_as_a_loss(agent, optimizer, samples):
    for sample in samples:
        answer = agent.answer(sample)
        optimizer.zero_grad()
        loss = torch.tensor(1.0 - answer["confidence"], requires_grad=True)  # GRD112
        loss.backward()
        optimizer.step()
        missing = answer["missing"].detach()
        missing.pow(2).mean().requires_grad_().backward()  # GRD112


def its_own_weight(steps: int):
    x = torch.tensor(2.0, requires_grad=True)
    optimizer = torch.optim.SGD([x], lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        x.backward(inputs=[x])  # ok: the optimizer moves what backward starts from
        optimizer.step()
    return x


def on_one_path(model: nn.Linear, optimizer: torch.optim.SGD, x: Tensor, quantized: bool):
    loss = model(x).pow(2).mean()
    if quantized:
        loss = torch.tensor(round(loss.item()), dtype=torch.float, requires_grad=True)
    loss.backward(retain_graph=quantized)  # ok: on the other path it is the loss itself
    optimizer.step()
    return model


def copied_by_its_values(model: nn.Linear, optimizer: torch.optim.Adam, x: Tensor):
    loss = torch.tensor(model(x).square().mean(), requires_grad=True)  # GRD123
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def of_a_number_taken_off(model: nn.Linear, x: Tensor):
    for _ in range(3):
        value = model(x).abs().mean().item()
        cost = torch.tensor([value], requires_grad=True)  # GRD112
        cost.backward()
        print(cost)


def where_a_search_begins(model: nn.Linear, x: Tensor):
    with torch.no_grad():
        value = model(x).abs().mean().item()
    start = torch.tensor(value, requires_grad=True)
    (start - 1).pow(2).backward()  # ok: the number is where a search begins, and is computed with
    return start.grad
