# Where nothing is dropped, `dropout` writes nothing, in place or not, and saves nothing.
import torch
import torch.nn.functional as F

weight = torch.rand(2, requires_grad=True)
kept = weight.exp()
same = F.dropout(kept, 0.5, training=False, inplace=True)
reveal(kept, same)
kept.sum().backward()
shifted = weight + 1
F.dropout(shifted, 0.0, inplace=True).sum().backward()
shifted.sum().backward()
reveal(torch.dropout(shifted, 0.5, False))
