"""A loader gives tensors, and tuples and dicts of them."""

import torch
from torch.utils.data import DataLoader, TensorDataset

pairs = TensorDataset(torch.ones(4, 2), torch.zeros(4, dtype=torch.long))
loader = DataLoader(pairs, batch_size=2)

for images, labels in loader:
    reveal(images)  # Tensor[?, requires_grad=?, leaf=?]
    reveal(images.float())  # Tensor[float|?, requires_grad=?, leaf=?]
    reveal(labels)  # Tensor[?, requires_grad=?, leaf=?]

for step, batch in enumerate(loader):
    moved = [part.to("cpu") for part in batch]
    reveal(moved[0])  # Tensor[?, requires_grad=?, leaf=?]

images, labels = next(iter(loader))
reveal(images)  # Tensor[?, requires_grad=?, leaf=?]

named = DataLoader([{"x": torch.ones(2)}, {"x": torch.ones(2)}], batch_size=2)
for batch in named:
    reveal(batch["x"])  # Tensor[?, requires_grad=?, leaf=?]
    for key, value in batch.items():
        reveal(value)  # Tensor[?, requires_grad=?, leaf=?]


def gather(samples):
    return samples


for batch in DataLoader(pairs, batch_size=2, collate_fn=gather):
    reveal(batch)  # unknown
    reveal(batch[0])  # unknown


def epoch(loader: DataLoader):
    for images, labels in loader:
        reveal(images)  # Tensor[?, requires_grad=?, leaf=?]


globals()["epoch"](loader)
