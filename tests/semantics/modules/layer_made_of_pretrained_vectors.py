# `from_pretrained` gives a new layer on the memory that it is handed, frozen unless it is told otherwise.
import torch
from torch import nn

vectors = torch.randn(20, 4)
frozen, open_ = nn.Embedding.from_pretrained(vectors), nn.Embedding.from_pretrained(vectors, freeze=False)
bags = nn.EmbeddingBag.from_pretrained(vectors, False, mode="sum")
layer = nn.Embedding(20, 4)
other = layer.from_pretrained(vectors.double())
computed = nn.Embedding.from_pretrained(vectors.requires_grad_() * 2, freeze=False)
reveal(frozen.weight)
reveal(open_.weight)
reveal(bags.weight)
reveal(layer.weight)
reveal(other.weight)
reveal(computed.weight)
found = frozen(torch.tensor([1, 2]))
reveal(found)
with torch.no_grad():
    open_.weight.zero_()
open_(torch.tensor([1])).sum().backward()
reveal(open_.weight)
reveal(frozen.weight)
