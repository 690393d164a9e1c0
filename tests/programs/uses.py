"""What a program does with something of which nobody shows where it comes from tells what it is."""

import pickle

import torch
from torch import nn


def show(function, *args):
    """Call a function as code elsewhere would: gradlint sees no caller."""
    return globals()[function](*args)


def differentiated(loss):
    reveal(loss)  # Tensor[?, requires_grad=?, leaf=?]
    loss.backward()


def computed_and_differentiated(net, images, labels):
    loss = torch.nn.functional.mse_loss(net(images), labels)
    reveal(loss)  # Tensor[float, requires_grad=yes, leaf=no]
    loss.backward()
    reveal(loss)  # Tensor[float, requires_grad=yes, leaf=no]


def judged_and_differentiated(model, criterion, images, labels):
    model.train()
    loss = criterion(model(images), labels)
    reveal(loss)  # Tensor[?, requires_grad=yes, leaf=no]
    loss.backward()
    reveal(loss)  # Tensor[?, requires_grad=yes, leaf=no]


def asked_and_differentiated(net, images):
    loss = torch.nn.functional.relu(net(images)).sum()
    if len(images) > 3:
        loss.requires_grad_()
    reveal(loss)  # Tensor[?, requires_grad=yes|?, leaf=?]
    loss.backward()
    reveal(loss)  # Tensor[?, requires_grad=yes|?, leaf=?]


def shaped_and_moved(images):
    batch, device = images.shape[0], images.device
    reveal(images)  # Tensor[?, requires_grad=?, leaf=?]
    return batch, device


def moved_in_a_chain(images):
    reveal(images)  # Tensor[?, requires_grad=?, leaf=?]
    return images.cpu().detach()


def sized_only(images):
    reveal(images)  # Instance[?]
    return images.shape


def trained(model, optimizer):
    model.train()
    model(torch.ones(2, 2)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    reveal(model)  # Module[?, mode=train]
    reveal(optimizer)  # Optimizer[?]


def bound_anew(numbers):
    reveal(numbers)  # Instance[?]
    numbers = torch.tensor(numbers)
    return numbers.unsqueeze(0)


def bound_anew_on_one_path(mask=None):
    if mask is None:
        mask = torch.ones(2)
    return mask.unsqueeze(0)


def another_name_of_the_same_word(images):
    reveal(images)  # Instance[?]
    return len(images)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        reveal(x)  # Tensor[?, requires_grad=?, leaf=?]
        return 2 * x * gradient


def annotated(images: torch.Tensor) -> torch.Tensor:
    reveal(images)  # Tensor[?, requires_grad=?, leaf=?]
    return images


class Base:
    def make(self) -> torch.Tensor:
        raise NotImplementedError

    def use(self):
        made = self.make()
        reveal(made)  # Tensor[?, requires_grad=?, leaf=?]
        return made.detach()


class Maker(Base):
    def make(self):
        return torch.ones(2)


def use(base):
    return base.use()


weight = torch.ones(2, requires_grad=True)
kept = pickle.loads(pickle.dumps(weight))
kept.detach()
reveal(kept)  # Tensor[?, requires_grad=?, leaf=?]
annotated(pickle.loads(pickle.dumps(weight)))

model = nn.Linear(2, 2)
show("differentiated", (weight * 2).sum())
show("computed_and_differentiated", model, torch.ones(2, 2), torch.ones(2, 2))
show("judged_and_differentiated", model, torch.nn.MSELoss(), torch.ones(2, 2), torch.ones(2, 2))
show("asked_and_differentiated", model, torch.ones(2, 2))
show("asked_and_differentiated", model.requires_grad_(False), torch.ones(4, 2))
model.requires_grad_()
show("shaped_and_moved", weight)
show("moved_in_a_chain", weight)
show("sized_only", weight)
show("trained", model, torch.optim.SGD(model.parameters(), lr=0.1))
show("bound_anew", [1.0, 2.0])
show("bound_anew_on_one_path", weight)
show("another_name_of_the_same_word", [1, 2])
show("use", Maker())
Square.apply(weight).sum().backward()
