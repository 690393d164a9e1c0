"""`StackDataset` gives a sample of each of its data sets: a tuple of them, or a dict by their names."""

import torch
from torch.utils.data import DataLoader, StackDataset, Subset, TensorDataset

images = TensorDataset(torch.randn(6, 3, requires_grad=True))
labels = TensorDataset(torch.arange(6))

pairs = StackDataset(images, Subset(labels, range(6)))
(image,), (label,) = pairs[0]
reveal(image)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(label)  # Tensor[integer, requires_grad=no, leaf=yes]

named = StackDataset(image=images, label=labels)
sample = named[2]
reveal(sample["image"][0])  # Tensor[float, requires_grad=yes, leaf=no]
reveal(sample["label"][0])  # Tensor[integer, requires_grad=no, leaf=yes]

for batch in DataLoader(named, batch_size=2):
    reveal(batch["image"][0])  # Tensor[float, requires_grad=yes, leaf=no]
    reveal(batch["label"][0])  # Tensor[integer, requires_grad=no, leaf=yes]

for (inputs,), (targets,) in DataLoader(pairs, batch_size=3):
    reveal(inputs)  # Tensor[float, requires_grad=yes, leaf=no]
    reveal(targets)  # Tensor[integer, requires_grad=no, leaf=yes]
