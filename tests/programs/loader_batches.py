"""A loader gives tensors, and tuples and dicts of them."""

import torch
from torch.utils.data import DataLoader, TensorDataset

pairs = TensorDataset(torch.ones(4, 2), torch.zeros(4, dtype=torch.long))
loader = DataLoader(pairs, batch_size=2)

for images, labels in loader:
    reveal(images)  # Tensor[float, requires_grad=no, leaf=yes]
    reveal(images.float())  # Tensor[float, requires_grad=no, leaf=yes]
    reveal(labels)  # Tensor[integer, requires_grad=no, leaf=yes]

for step, batch in enumerate(loader):
    moved = [part.to("cpu") for part in batch]
    reveal(moved[0])  # Tensor[float, requires_grad=no, leaf=yes]

images, labels = next(iter(loader))
reveal(images)  # Tensor[float, requires_grad=no, leaf=yes]

named = DataLoader([{"x": torch.ones(2)}, {"x": torch.ones(2)}], batch_size=2)
for batch in named:
    reveal(batch["x"])  # Tensor[float, requires_grad=no, leaf=yes]
    for key, value in batch.items():
        reveal(value)  # Tensor[float, requires_grad=no, leaf=yes]


def gather(samples):
    return samples


for batch in DataLoader(pairs, batch_size=2, collate_fn=gather):
    reveal(batch)  # list
    reveal(batch[0])  # tuple


def epoch(loader: DataLoader):
    for images, labels in loader:
        reveal(images)  # Tensor[?, requires_grad=no, leaf=yes]


globals()["epoch"](loader)
