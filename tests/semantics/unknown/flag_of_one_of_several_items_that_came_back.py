# a flag that is set on one of several items, another of which came back from unseen code, may be set on each of them.
import torch

doubled = eval("lambda one: one * 2")
held = {name: torch.zeros(2) for name in ("w", "b")}
for name in sorted(held):
    held["b"] = doubled(held["b"])
    held[name].requires_grad_(name.startswith("w"))
    reveal(held["w"])
reveal(held["w"])

pair = [torch.zeros(2), doubled(torch.zeros(2))]
for index in reversed(range(2)):
    pair[1] = doubled(pair[1])
    pair[index].requires_grad_(index == 0)
reveal(pair[0])
