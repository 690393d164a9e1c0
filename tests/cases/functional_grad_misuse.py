"""Cases for GRD910: functions that are transformed, and functions that are not."""

import torch
from torch.func import grad, grad_and_value, jacrev, vmap


def squared(x: torch.Tensor):
    return (x**2).sum().item()  # GRD910


def energy(x: torch.Tensor):
    value = (x**2).sum()
    print(value.item())  # ok: logged under grad, and the tensor is returned
    return value  # ok: a scalar


def trained(weight: torch.Tensor):
    loss = (weight * 2).mean()
    loss.backward()  # GRD910
    return loss


def normalized(sample: torch.Tensor):
    return sample / sample.norm().item()  # GRD910


def centered(sample: torch.Tensor):
    mean = sample.mean()
    return sample - mean  # ok: tensors only


def plain(x: torch.Tensor):
    total = x.sum()
    total.backward(retain_graph=True)  # ok: nobody transforms this function
    return float(total)  # ok: nor differentiates its number


def with_aux(x: torch.Tensor):
    value = (x * x).sum()
    return value, {"norm": value.item()}  # ok: has_aux takes anything beside the scalar


def elementwise(x: torch.Tensor):
    return torch.sin(x) * 2  # ok: jacrev takes results of any shape


def penalty(x: torch.Tensor, scale=2.0):
    if x.dim() > 1:
        return 0.0  # GRD910
    return scale * x.abs().sum()  # ok: reduced


def use(x):
    plain(x.requires_grad_())
    per_sample = vmap(grad(energy))
    print(vmap(normalized)(x), vmap(centered, in_dims=0)(x), per_sample)
    return grad(squared)(x), grad(trained)(x), grad(with_aux, has_aux=True)(x), jacrev(elementwise)(x), grad_and_value(penalty)(x)
