"""Batches from data sets and loaders: samples are stacked, numbers become tensors, tuples become lists."""

import collections

import numpy
import torch
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split

weight = torch.ones(4, 3, requires_grad=True)
plain = torch.zeros(4, 3)
labels = torch.arange(4)


class Pairs(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return plain[index], int(labels[index])


class Dicts(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return {"x": plain[index], "y": 0.5, "name": "a"}


data = TensorDataset(plain, labels)
reveal(data[0][0])  # Tensor[float, requires_grad=no, leaf=yes]
loader = DataLoader(data, batch_size=2, shuffle=True)
for x, y in loader:
    reveal(x)  # Tensor[float, requires_grad=no, leaf=yes]
    reveal(y)  # Tensor[integer, requires_grad=no, leaf=yes]
for index, (x, y) in enumerate(loader):
    reveal(x)  # Tensor[float, requires_grad=no, leaf=yes]
for x, y in DataLoader(Pairs(), batch_size=2):
    reveal(x)  # Tensor[float, requires_grad=no, leaf=yes]
    reveal(y)  # Tensor[integer, requires_grad=no, leaf=yes]
for batch in DataLoader(Dicts(), batch_size=2):
    reveal(batch["x"])  # Tensor[float, requires_grad=no, leaf=yes]
    reveal(batch["y"])  # Tensor[float, requires_grad=no, leaf=yes]
    reveal(batch["name"][0])  # str
reveal(len(loader))  # number[integer]
reveal(len(loader.dataset))  # number[integer]
x, y = next(iter(loader))
reveal(x)  # Tensor[float, requires_grad=no, leaf=yes]
first, second = random_split(data, [2, 2])
for x, y in DataLoader(first):
    reveal(x)  # Tensor[float, requires_grad=no, leaf=yes]
for x in DataLoader([plain[0], plain[1]]):
    reveal(x)  # Tensor[float, requires_grad=no, leaf=yes]
for x in DataLoader([1.0, 2.0]):
    reveal(x)  # Tensor[float, requires_grad=no, leaf=yes]
for x in DataLoader(Subset(data, [0])):
    reveal(x[0])  # Tensor[float, requires_grad=no, leaf=yes]
for batch in DataLoader(data, collate_fn=lambda rows: rows[0][0]):
    reveal(batch)  # Tensor[float, requires_grad=no, leaf=yes]
x = Pairs()[0][0]
reveal(x)  # Tensor[float, requires_grad=no, leaf=yes]

Pair = collections.namedtuple("Pair", "a b")
for flag, array, pair, nested in DataLoader([(True, numpy.ones(2), Pair(weight[0], 1), [plain, {"k": labels}])]):
    reveal(flag)  # Tensor[bool, requires_grad=no, leaf=yes]
    # vague: the dtype of an array is not followed
    reveal(array)  # Tensor[?, requires_grad=no, leaf=yes]
    reveal(pair.a)  # Tensor[float, requires_grad=yes, leaf=no]
    reveal(pair.b)  # Tensor[integer, requires_grad=no, leaf=yes]
    reveal(nested[0])  # Tensor[float, requires_grad=no, leaf=yes]
    reveal(nested[1]["k"])  # Tensor[integer, requires_grad=no, leaf=yes]
for x in DataLoader([plain, plain], batch_size=None):
    reveal(x)  # Tensor[float, requires_grad=no, leaf=yes]
for x in torch.utils.data.ConcatDataset([data, data]):
    reveal(x[1])  # Tensor[integer, requires_grad=no, leaf=yes]
