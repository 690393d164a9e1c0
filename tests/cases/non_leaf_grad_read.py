"""Cases for GRD201: gradients read where backward leaves none, and where it does leave one."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def descend(steps=3, rate=0.1):
    weight = torch.randn(4, 1, requires_grad=True) / 2  # GRD120
    for _ in range(steps):
        loss = (torch.ones(8, 4) @ weight).pow(2).mean()
        loss.backward(retain_graph=True)
        print(weight.grad.norm())


class Saliency:
    def __init__(self):
        self.net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))

    def explain(self, image: torch.Tensor):
        features = self.net[0](image)
        score = self.net[3](self.net[2](self.net[1](features)))[0, 0]
        score.backward()
        return F.relu((features * features.grad).sum(dim=1))  # GRD201

    def explain_input(self):
        image = torch.rand(1, 1, 8, 8, requires_grad=True)
        self.net(image)[0, 1].backward()
        return image.grad.abs().amax(dim=1)  # ok: the image is a leaf

    def explain_retained(self, image: torch.Tensor):
        features = self.net[0](image)
        features.retain_grad()
        self.net[1:](features).sum().backward()
        return features.grad.mean(dim=(2, 3))  # ok: told to retain it in time


def widened():
    start = torch.ones(3, requires_grad=True)
    wide = start.double()
    wide.sum().backward()
    return {"wide": wide.grad, "start": 1}  # GRD201


def shifted_view():
    base = torch.zeros(2, 3, requires_grad=True)
    row = base.view(-1)[1:]
    row.exp().sum().backward()
    gradient = row.grad  # GRD201
    return gradient


def loss_of_itself():
    layer = nn.Linear(2, 1)
    loss = layer(torch.ones(4, 2)).mean()
    loss.backward()
    print("d loss", loss.grad, loss.item())  # GRD201


def same_object():
    weight = torch.ones(3, requires_grad=True)
    moved = weight.to("cpu").float().contiguous()
    moved.sum().backward()
    return moved.grad + 0  # ok: these conversions had nothing to do, it is the leaf itself


def either_way(scale: bool):
    weight = torch.ones(3, requires_grad=True)
    if scale:
        weight = weight * 2
    weight.sum().backward()
    return weight.grad, scale  # ok: a leaf on one of the paths


def stored_by_hand():
    source = torch.ones(3, requires_grad=True)
    (result,) = [source * 3]
    result.grad = torch.full((3,), 0.5)
    return -result.grad  # ok: somebody put a gradient there


def guarded(features: torch.Tensor):
    weight = torch.ones(3, requires_grad=True)
    scaled = weight + features
    scaled.sum().backward()
    return 0 if scaled.grad is None else 1  # ok: only asks whether there is one


def detached_copy():
    weight = torch.ones(3, requires_grad=True)
    copy = (weight * 2).detach().requires_grad_()
    copy.pow(2).sum().backward()
    return [copy.grad]  # ok: detached and asked again, so a leaf of its own


def log_gradients(net: nn.Module, tensors: list):
    for name, param in net.named_parameters():
        print(name, param.grad.norm().item())  # ok: parameters are leaves
    return [tensor.grad for tensor in tensors]


class Meter:
    """Not a tensor: its `grad` is a number it keeps itself."""

    def __init__(self):
        self.grad = 0.0

    def read(self):
        return self.grad * 2


def bias_gradient():
    layer = nn.Linear(3, 3)
    hidden = torch.tanh(layer(torch.ones(1, 3)))
    hidden.backward(torch.ones_like(hidden))
    return layer.bias.grad.tolist()  # ok: the parameter, not the activation


def saliency_of_a_batch(network, image):
    network.eval()
    image = image.unsqueeze(0)
    image.requires_grad_()
    resized = torch.nn.functional.interpolate(image, size=8)
    scores = network(resized)
    scores[0, scores.argmax()].backward()
    print(image.grad.amax(dim=1))  # ok: it was asked itself
    return resized.grad.abs()  # GRD201


def attention_of_a_pipeline(network, batch):
    network.eval()
    output = network(pixels=batch["pixels"], mask=batch["mask"])
    hidden = output.hidden * 2
    output.logits.sum().backward()
    return hidden.grad  # ok: nothing says that the hidden states require grad
