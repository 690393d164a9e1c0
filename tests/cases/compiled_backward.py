"""Cases for GRD914: what is compiled, and where backward stands."""

import torch
import torch.nn as nn


@torch.compile
def step(model: nn.Module, x: torch.Tensor):
    loss = model(x).sum()
    loss.backward()  # GRD914
    return loss.detach()


@torch.compile(mode="reduce-overhead")
def objective(model: nn.Module, x: torch.Tensor):
    return model(x).mean()


@torch.no_grad()
@torch.compile()
def evaluate(model: nn.Module, x: torch.Tensor):
    return model(x).argmax(-1)


@torch.jit.script
def scripted(x: torch.Tensor):
    (x * x).sum().backward(retain_graph=False)  # ok: another compiler
    return x


def plain(model, optimizer, batches):
    for x in batches:
        optimizer.zero_grad()
        objective(model, x).backward()  # ok: of what a compiled function gave
        optimizer.step()


def train(model, x, y):
    loss = nn.functional.mse_loss(model(x), y)
    (loss / 2).backward()  # GRD914
    return loss


compiled_train = torch.compile(train, dynamic=True)


class Trainer:
    def __init__(self):
        self.model = torch.compile(nn.Linear(4, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def fit(self, batches):
        for x in batches:
            loss = self.model(x).pow(2).mean()
            loss.mean().backward()  # ok: the model is compiled, the loop is not
            self.optimizer.step()
            self.optimizer.zero_grad()
        return self.gradient(batches[0])

    def gradient(self, x):
        x = x.clone().requires_grad_()
        (grad,) = torch.autograd.grad(self.model(x).sum(), x)  # ok: not in a compiled function
        return grad


@torch.compile(fullgraph=True)
def with_helper(model: nn.Module, x: torch.Tensor):
    return helped(model(x) - x)


def helped(difference):
    total = difference.abs().max()
    total.backward(torch.ones(()), retain_graph=True)  # GRD914
    return total.item()


@torch.compile(backend="eager")
def sensitivity(x: torch.Tensor):
    x = x.detach().requires_grad_()
    return torch.autograd.grad((x**2).sum(), [x])[0]  # ok: autograd.grad, no backward()


@torch._dynamo.disable
def outside(x: torch.Tensor):
    x.exp().sum().backward(inputs=[x])  # ok: the opposite of compiled
    return x.grad


def uncompiled(x: torch.Tensor, weight: torch.Tensor):
    torch.compiler.reset()
    torch.dot(x, weight).backward()  # ok: only the compiler is mentioned here
    return weight.grad


sensitivity(torch.ones(3))
Trainer().fit([torch.ones(2, 4)])
