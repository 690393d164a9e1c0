# einops: what is rearranged, reduced and multiplied by patterns stays in the graph.
import torch
from einops import einsum, pack, rearrange, reduce, repeat
from einops.layers.torch import EinMix, Rearrange
from torch import nn

weight = torch.randn(4, 6, requires_grad=True)
hidden = weight * 2
heads = rearrange(hidden, "b (h d) -> b h d", h=2)
reveal(heads)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(repeat(hidden, "b d -> b d r", r=2))  # Tensor[float, requires_grad=yes, leaf=no]
means = reduce(heads, "b h d -> b h", "mean")
reveal(means)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(rearrange(weight, "b d -> d b"))  # Tensor[float, requires_grad=yes, leaf=no|yes]
reveal(einsum(hidden, hidden, "a d, b d -> a b"))  # Tensor[float, requires_grad=yes, leaf=no]
both, shapes = pack([hidden, hidden], "b *")
reveal(both)  # Tensor[float, requires_grad=yes, leaf=no]
with torch.no_grad():
    reveal(rearrange(hidden, "b d -> d b"))  # Tensor[float, requires_grad=no|yes, leaf=yes]
model = nn.Sequential(Rearrange("b (h d) -> (b h) d", h=2), nn.Linear(3, 2))
reveal(model(hidden))  # Tensor[?, requires_grad=yes, leaf=no]
mixing = EinMix("b d -> b e", weight_shape="d e", d=6, e=2)
for parameter in mixing.parameters():
    reveal(parameter)  # Tensor[?, requires_grad=yes, leaf=yes]
rearrange(heads, "b h d -> b (h d)").sum().backward()
reveal(weight, "grad")  # fresh
