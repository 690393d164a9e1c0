"""Cases for GRD110: inputs asked after the forward pass, and second passes that make up for it."""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class SaliencyMap:
    def __init__(self, model: nn.Module):
        self.model = model.eval()

    def explain(self, image: Tensor):
        scores = self.model(image)
        image.requires_grad_()  # GRD110
        scores.max().backward()
        return image.grad.abs()

    def explain_in_order(self, image: Tensor):
        image.requires_grad_(True)  # ok: asked first
        self.model(image).max().backward()
        return image.grad.abs()


def fgsm(model: nn.Sequential, images: Tensor, labels: Tensor, epsilon=0.03):
    loss = F.cross_entropy(model(images), labels)
    images.requires_grad = True  # GRD110
    model.zero_grad()
    loss.backward()
    return (images + epsilon * images.grad.sign()).clamp(0, 1)


def attack_all(model: nn.Sequential, loader):
    adversarial = []
    for images in torch.rand(5, 2, 8).unbind():
        images = images.clone()
        before = model(images).argmax(1)  # GRD401
        images.requires_grad = bool(1)  # ok: the model is asked again below
        loss = F.cross_entropy(model(images), before)
        loss.backward()
        adversarial.append(images + images.grad)
    return adversarial


def without_second_pass(model: nn.Sequential):
    for images in torch.rand(5, 2, 8).unbind():
        images = images.clone()
        output = model(images)
        images.requires_grad, images.tag = True, "adversarial"  # GRD110
        F.cross_entropy(output, output.argmax(1)).backward()
        print(images.grad.norm())


def temperature(logits: Tensor, labels: Tensor):
    scale = torch.ones(1)
    loss = F.cross_entropy(logits.detach() * scale, labels)
    if not scale.requires_grad:
        scale.requires_grad_(requires_grad=True)  # GRD110
    (loss + logits.sum()).backward()  # GRD619
    return scale.grad


def deep_dream(features: nn.Conv2d, steps: int):
    canvas = torch.rand(1, 3, 16, 16)
    print("brightness", canvas.mean())
    canvas.requires_grad_() ; optimizer = torch.optim.Adam([canvas])  # ok: what was used before is only printed
    for _ in range(steps):
        optimizer.zero_grad()
        features(canvas).norm().backward()
        optimizer.step()
    return canvas.grad


def normalised_first(model: nn.Linear, x: Tensor):
    x = (x - x.mean()) / x.std()
    x = x.detach().requires_grad_(mode := True)  # ok: another handle than the one that was used
    model(x).sum().backward()
    return x.grad, mode


def looked_at_before(model: nn.Linear):
    x = torch.rand(2, 4)
    with torch.no_grad():
        baseline = model(x)
    x.requires_grad = baseline.numel() > 0 or True  # ok: the pass that counts follows
    model(x).sum().backward()
    return x.grad - baseline.mean()


def gradient_perhaps(model: nn.Linear, x: Tensor):
    score = model(x).sum()
    x.requires_grad_(x.is_floating_point())  # ok: asked only perhaps
    score.backward()
    return x.grad if x.grad is not None else torch.zeros_like(x)


def only_guarded(model: nn.Linear):
    x = torch.rand(1, 4)
    score = model(x).sum()
    torch.Tensor.requires_grad_(x)  # ok: nobody looks for a value of its gradient
    score.backward()
    return x.grad is None


def by_autograd_grad(model: nn.Linear, x: Tensor):
    first = model(x)  # GRD401
    x.requires_grad_(True), first.tolist()  # ok: the gradient comes from the second pass
    (gradient,) = torch.autograd.grad(model(x).sum(), x)
    return gradient


if __name__ == "__main__":
    SaliencyMap(nn.Sequential(nn.Linear(8, 8), nn.Tanh())).explain(torch.rand(1, 8))
    fgsm(nn.Sequential(nn.Linear(8, 3)), torch.rand(2, 8), torch.tensor([0, 2]))
    temperature(torch.rand(4, 3), torch.tensor([0, 1, 2, 0]))
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    deep_dream(nn.Conv2d(3, 8, 3), parser.parse_args().steps)
