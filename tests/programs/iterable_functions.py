"""`zip`, `map`, `filter`, `sorted`, `max`, `sum` and their like go over elements; where the order is known it is kept."""

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)
whole = torch.arange(3)

for left, right in zip([weight, plain], [whole, whole]):
    reveal(left)  # Tensor[float, requires_grad=no|yes, leaf=yes]
    reveal(right)  # Tensor[integer, requires_grad=no, leaf=yes]
for index, (left, right) in enumerate(zip([weight], [whole])):
    reveal(right)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(list(map(lambda x: x * 2, [weight]))[0])  # Tensor[float, requires_grad=yes, leaf=no]
reveal(list(map(torch.detach, [weight]))[0])  # Tensor[float, requires_grad=no, leaf=yes]
reveal([*map(torch.add, [weight], [plain])][0])  # Tensor[float, requires_grad=yes, leaf=no]
reveal(list(filter(lambda x: x.requires_grad, [weight, weight]))[0])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(list(filter(None, [weight.sum(), None]))[0])  # Tensor[float, requires_grad=yes, leaf=no]
reveal(sorted([weight, weight], key=lambda t: t.sum().item())[0])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(max([weight, weight], key=lambda t: t.sum().item()))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(min(weight.sum(), weight.mean()))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(max(1, 2))  # 1 or 2
reveal(sum([weight, weight]))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(sum(t.sum() for t in [weight, weight]))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(sum([1, 2]))  # 3
reveal(sum([[weight], [weight]], [])[0])  # Tensor[float, requires_grad=yes, leaf=yes]
pairs = [(weight, plain), (weight, plain)]
lefts, rights = zip(*pairs)
reveal(lefts[0])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(rights[0])  # Tensor[float, requires_grad=no, leaf=yes]
reveal(tuple([weight, plain])[1])  # Tensor[float, requires_grad=no, leaf=yes]
reveal(list(reversed([plain, weight]))[0])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(dict(zip(["a", "b"], [weight, plain]))["a"])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(any(t.requires_grad for t in [weight]))  # True
reveal(len([weight]))  # 1
for index in reversed(range(3)):
    reveal(index)  # 0 or 1 or 2
for item in iter(lambda: weight, None):
    reveal(item)  # Tensor[float, requires_grad=yes, leaf=yes]
    break
