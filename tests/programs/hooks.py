"""Hooks run where torch runs them: on gradients that arrive, after they are accumulated, and around calls of modules."""

import torch
from torch import nn

weight = torch.ones(2, requires_grad=True)
seen = None


def double(gradient):
    global seen
    seen = gradient
    # vague: a hook may have been removed, or others have run before it
    reveal(gradient)  # Tensor[float, requires_grad=no, leaf=yes]
    reveal(weight, "grad")  # none|fresh
    return gradient * 2


handle = weight.register_hook(double)
reveal(seen)  # None
(weight * 3).sum().backward()
reveal(weight, "grad")  # fresh
# vague: that the hook was not removed is not known
reveal(seen)  # unknown
handle.remove()

bias = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([bias], lr=0.1)


def step_at_once(parameter):
    reveal(parameter, "grad")  # fresh
    optimizer.step()
    optimizer.zero_grad()


bias.register_post_accumulate_grad_hook(step_at_once)
for _ in range(2):
    # vague: a hook may have been removed
    reveal(bias, "grad")  # none|fresh
    (bias * 2).sum().backward()
    reveal(bias, "grad")  # none|fresh
bias.grad = None

hidden = (weight * 2).exp()
hidden.register_hook(lambda gradient: gradient.clamp(max=1.0))
hidden.sum().backward()
reveal(weight, "grad")  # fresh
with torch.no_grad():
    hidden.sum()
reveal(hidden)  # Tensor[float, requires_grad=yes, leaf=no]

layer = nn.Linear(2, 1)
features = []


def keep(module, inputs, output):
    reveal(module)  # Module[torch.nn.Linear, mode=train]
    reveal(output)  # Tensor[float, requires_grad=yes, leaf=no]
    features.append(output.detach())


def cut(module, inputs, output):
    return output.detach()


def prepare(module, inputs):
    (only,) = inputs
    reveal(only)  # Tensor[float, requires_grad=no, leaf=yes]
    return (only * 2,)


first = layer.register_forward_hook(keep)
layer.register_forward_pre_hook(prepare)
reveal(layer(torch.ones(1, 2)))  # Tensor[float, requires_grad=yes, leaf=no]
# vague: that a hook was not removed is not known, so it may have kept nothing
reveal(features[0])  # Tensor[float, requires_grad=no, leaf=yes]
first.remove()
layer.register_forward_hook(cut)
# vague: as above
reveal(layer(torch.ones(1, 2)))  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
reveal(layer.forward(torch.ones(1, 2)))  # Tensor[float, requires_grad=yes, leaf=no]


def watch(module, grad_input, grad_output):
    (gradient,) = grad_output
    # vague: the gradient of a result that needs none is None
    reveal(gradient)  # unknown


net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
net[1].register_full_backward_hook(watch)
net(torch.ones(1, 2)).sum().backward()
reveal(net[0].weight, "grad")  # fresh
