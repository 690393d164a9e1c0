# What pruning registers is made in the mode it is called in.
import torch
from torch.nn.utils import prune

with torch.inference_mode():
    layer = torch.nn.Linear(2, 2)
    pruned = prune.random_structured(layer, "weight", 0.5, 0)
    reveal(pruned.weight_mask, pruned.weight_orig)
moved = torch.nn.Linear(2, 2)
with torch.inference_mode():
    torch.nn.utils.parametrizations.weight_norm(moved)
    reveal(moved.parametrizations.weight.original0, moved.parametrizations.weight.original1)
