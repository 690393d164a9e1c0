"""Cases for GRD211: hooks that write what they are handed, and hooks that give something new."""

import torch
import torch.nn as nn


class GradCam:
    def __init__(self, model: nn.Module):
        self.model = model
        self.gradient = None
        self.weight = torch.ones(3, requires_grad=True)
        self.weight.register_hook(self.save)
        self.weight.register_hook(self.clip)

    def save(self, grad):
        self.gradient = grad.clone()
        self.gradient[0].mul_(0.5)  # ok: a copy

    def clip(self, grad: torch.Tensor):
        grad.clamp_(-1, 1)  # GRD211
        return grad

    def explain(self, images):
        features = self.model(images)
        features.register_hook(lambda g: g.relu_())  # GRD211
        features.sum().backward()


def freeze_rows(embedding: nn.Embedding, rows):
    def zero(grad):
        grad[rows] = 0  # GRD211
        return grad

    embedding.weight.register_hook(zero)


def reverse(features: torch.Tensor, factor=0.1):
    if features.requires_grad:
        features.register_hook(lambda grad: -factor * grad)
    return features


def masked_copy(weight: nn.Parameter, mask):
    def hook(grad):
        out = grad.clone()
        out[mask] = 0.0  # ok: written into a clone
        return out

    weight.register_hook(hook)


def normalised():
    weight = torch.ones(3, requires_grad=True)

    def hook(grad):
        grad /= grad.norm()  # GRD211

    handle = weight.register_hook(hook)
    weight.pow(2).sum().backward()
    handle.remove()


def accumulated(model: nn.Linear):
    def halve(param):
        param.grad.mul_(0.5)  # ok: after accumulating the gradient is the parameter's own

    model.weight.register_post_accumulate_grad_hook(halve)
    model(torch.ones(1, 2)).sum().backward()


def of_a_view():
    weight = torch.ones(4, requires_grad=True)

    def hook(grad):
        half = grad.view(2, 2)[0]
        half.zero_().add_(1)  # GRD211

    weight.register_hook(hook)


def added():
    weight = torch.ones(4, requires_grad=True)
    noise = torch.zeros(4)

    def hook(grad):
        noise.add_(grad)  # ok: the gradient is read, not written
        grad = grad + noise
        grad += 1  # ok: a new tensor by now
        return grad

    weight.register_hook(hook)
    weight.sum().backward()


def scale_all(grads: list[torch.Tensor]):
    for grad in grads:
        grad.mul_(2.0)  # ok: nobody says that these are gradients in a hook


def logged(layer: nn.Linear, sizes):
    def hook(module, grad_input, grad_output):
        sizes.append(grad_output[0].size())
        sizes[0].mul_(2)
        grad_output[0].div_(2)  # GRD211

    layer.register_full_backward_hook(hook)
    layer(torch.ones(1, 2)).mean().backward()
