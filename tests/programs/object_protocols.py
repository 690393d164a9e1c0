"""What classes of the program do for `len`, `in`, `for`, subscripts, calls, missing attributes, operators."""

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)


class Bag:
    def __init__(self, *items):
        self.items = list(items)

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)

    def __contains__(self, item):
        return True

    def __getitem__(self, index):
        return self.items[index]

    def __setitem__(self, index, value):
        self.items[index] = value

    def __delitem__(self, index):
        self.items = [plain]

    def __call__(self, x):
        return x * 2

    def __neg__(self):
        return weight

    def __matmul__(self, other):
        return weight

    def __radd__(self, other):
        return weight * 1

    def __iadd__(self, other):
        self.items.append(other)
        return self

    def __eq__(self, other):
        return weight

    def __lt__(self, other):
        return plain

    def __invert__(self):
        return plain

    def __reversed__(self):
        return iter([plain])

    def __hash__(self):
        return 1


bag = Bag(weight, weight)
for item in bag:
    reveal(item)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(len(bag))  # number[integer]
reveal(2 in bag)  # number[bool]
reveal(bag[0])  # Tensor[float, requires_grad=yes, leaf=yes]
bag[0] = plain
reveal(bag[0])  # Tensor[float, requires_grad=no, leaf=yes]
reveal(bag(plain))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(-bag)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(bag @ 2)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(2 + bag)  # Tensor[float, requires_grad=yes, leaf=no]
bag += plain
reveal(bag[2])  # Tensor[float, requires_grad=no, leaf=yes]
reveal(bag == plain)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(bag < plain)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(~bag)  # Tensor[float, requires_grad=no, leaf=yes]
first, *rest = bag
reveal(first)  # Tensor[float, requires_grad=no|yes, leaf=yes]
reveal(list(bag)[0])  # Tensor[float, requires_grad=no|yes, leaf=yes]
reveal([item for item in bag][0])  # Tensor[float, requires_grad=no|yes, leaf=yes]
reveal(next(iter(bag)))  # Tensor[float, requires_grad=no|yes, leaf=yes]
for item in reversed(bag):
    reveal(item)  # Tensor[float, requires_grad=no, leaf=yes]
del bag[0]
reveal(bag[0])  # Tensor[float, requires_grad=no, leaf=yes]


class Counting:
    def __init__(self, limit):
        self.left = limit

    def __iter__(self):
        return self

    def __next__(self):
        if self.left == 0:
            raise StopIteration
        self.left -= 1
        return weight * 2


for item in Counting(3):
    reveal(item)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(next(Counting(3)))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(list(Counting(2))[0])  # Tensor[float, requires_grad=yes, leaf=no]


class Batches:
    def __init__(self, data):
        self.data = data

    def __iter__(self):
        for item in self.data:
            yield item, item.detach()


for item, fixed in Batches([weight]):
    reveal(item)  # Tensor[float, requires_grad=yes, leaf=yes]
    reveal(fixed)  # Tensor[float, requires_grad=no, leaf=yes]
for index, (item, fixed) in enumerate(Batches([weight])):
    reveal(fixed)  # Tensor[float, requires_grad=no, leaf=yes]


class Old:
    def __getitem__(self, index):
        if index > 2:
            raise IndexError
        return weight[index]


for item in Old():
    reveal(item)  # Tensor[float, requires_grad=yes, leaf=no]


class Config:
    def __init__(self, **values):
        self._values = values

    def __getattr__(self, name):
        return self._values[name]

    def __setattr__(self, name, value):
        super().__setattr__(name, value)


config = Config(rate=0.1, start=weight)
reveal(config.start)  # Tensor[float, requires_grad=yes, leaf=yes]
config.extra = plain
reveal(config.extra)  # Tensor[float, requires_grad=no, leaf=yes]


class Rows:
    def __getitem__(self, rows):
        return weight[rows]


reveal(Rows()[0:1])  # Tensor[float, requires_grad=yes, leaf=no]
