"""Mapping, sequence and class patterns bind what they take apart."""

from dataclasses import dataclass

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)


@dataclass
class Batch:
    images: torch.Tensor
    labels: torch.Tensor


def read(batch):
    match batch:
        case {"images": images, **rest}:
            return images
        case Batch(images=images, labels=labels):
            return labels
        case (images, labels):
            return images * 2
        case [first, *others]:
            return others[0]
        case torch.Tensor():
            return batch.detach()
        case None:
            return None
        case str():
            return 1
        case _:
            return 3


reveal(read({"images": weight}))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(read(Batch(plain, weight)))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(read((weight, plain)))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(read([weight, plain, plain]))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(read(weight))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(read(None))  # None
reveal(read("a"))  # 1
reveal(read(4))  # 3
match (weight, "a"):
    case (value, "a" | "b" as name):
        reveal(value)  # Tensor[float, requires_grad=yes, leaf=yes]
match Batch(weight, plain):
    case Batch(images, labels):
        reveal(images)  # Tensor[float, requires_grad=yes, leaf=yes]
        reveal(labels)  # Tensor[float, requires_grad=no, leaf=yes]
match {"kind": "sum", "value": weight}:
    case {"kind": "mean", "value": value}:
        value.detach()
    case {"kind": "sum", "value": value}:
        reveal(value)  # Tensor[float, requires_grad=yes, leaf=yes]
kind = "b"
match kind:
    case "a":
        found = plain
    case "b":
        found = weight
reveal(found)  # Tensor[float, requires_grad=yes, leaf=yes]
