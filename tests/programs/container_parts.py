"""Slices, merged dictionaries, copies, and views of containers."""

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)
whole = torch.arange(3)

named = dict(zip(["a", "b"], [weight, plain]))
reveal(named["a"])  # Tensor[float, requires_grad=yes, leaf=yes]
merged = {**{"a": weight}, **{"b": plain}, "c": whole}
reveal(merged["b"])  # Tensor[float, requires_grad=no, leaf=yes]
reveal(({"a": weight} | {"b": plain})["b"])  # Tensor[float, requires_grad=no, leaf=yes]
items = [weight] * 3
reveal(items[2])  # Tensor[float, requires_grad=yes, leaf=yes]
for key in {"a": weight}:
    reveal({"a": weight}[key])  # Tensor[float, requires_grad=yes, leaf=yes]
values = {"a": weight, "b": weight}
reveal(list(values.values())[0])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(list(values)[0])  # 'a'
reveal(list(values.items())[0][1])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal([*values.values()][0])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal({name: value * 2 for name, value in values.items()}["a"])  # Tensor[float, requires_grad=yes, leaf=no]
reveal([left for left, right in [(weight, plain)]][0])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal([a for row in [[weight], [weight]] for a in row][0])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(items[1:][0])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(items[::-1][0])  # Tensor[float, requires_grad=yes, leaf=yes]
copied = items.copy()
copied.reverse()
reveal(copied[0])  # Tensor[float, requires_grad=yes, leaf=yes]
items.sort(key=lambda t: t.sum().item())
reveal(items[0])  # Tensor[float, requires_grad=yes, leaf=yes]
removed = [plain.sum(), weight.sum()]
removed.remove(removed[0])
reveal(removed[0])  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
reveal(dict([("a", weight)])["a"])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(dict(a=weight)["a"])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(next(iter(values.values())))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(dict.fromkeys(["a"], weight)["a"])  # Tensor[float, requires_grad=yes, leaf=yes]
first, (second, *rest) = weight, [plain, whole]
reveal(second)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(rest[0])  # Tensor[integer, requires_grad=no, leaf=yes]
reveal([weight, plain][:1][0])  # Tensor[float, requires_grad=yes, leaf=yes]
items[0:1] = [plain]
reveal(items[0])  # Tensor[float, requires_grad=no|yes, leaf=yes]
values["c"] = weight * 2
for key in list(values):
    values[key] = values[key].detach()
# vague: a loop that goes over the keys may not have met this one
reveal(values["a"])  # Tensor[float, requires_grad=no, leaf=yes]
del values["a"]
reveal("a" in values)  # False
both = [plain, *items, weight]
reveal(both[0])  # Tensor[float, requires_grad=no|yes, leaf=yes]
reveal(both[-1])  # Tensor[float, requires_grad=no|yes, leaf=yes]
