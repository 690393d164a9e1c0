# Of what a layer makes of two operands nothing was known but that something computed it.
import torch
from torch import nn

one, other = torch.rand(2, 3, requires_grad=True), torch.rand(2, 4)
both = nn.Bilinear(3, 4, 5)
made = both(one, other)
reveal(made, both.weight)
reveal(both(input2=other, input1=one))
decoder = nn.TransformerDecoderLayer(4, 1, 2)
decoded = decoder(torch.rand(3, 4), other)
reveal(decoded)
reveal(nn.CosineSimilarity()(one, torch.rand(2, 3)), nn.PairwiseDistance()(one, torch.rand(2, 3)))
indices = torch.zeros(1, 1, 1, dtype=torch.int64)
reveal(nn.MaxUnpool1d(2)(torch.rand(1, 1, 1, requires_grad=True), indices))
made.backward()
