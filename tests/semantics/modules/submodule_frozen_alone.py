# What froze a part of a layer was taken to freeze all of it, and what asks a part of a frozen one to ask all again.
import torch
from torch import nn

rows = torch.rand(2, 2)
frozen = nn.TransformerEncoderLayer(2, 1, 2)
frozen.self_attn.requires_grad_(False)
out = frozen(rows)
reveal(out)
out.sum().backward()
thawed = nn.TransformerEncoderLayer(2, 1, 2)
thawed.requires_grad_(False)
thawed.linear1.requires_grad_(True)
out = thawed(rows)
reveal(out, thawed.linear1.weight, thawed.linear2.weight)
out.sum().backward()
reveal(thawed.linear1.weight, thawed.linear2.weight)
swept = nn.TransformerEncoderLayer(2, 1, 2)
for parameter in swept.self_attn.parameters():
    parameter.requires_grad = False
out = swept(rows)
reveal(out)
out.sum().backward()
attention = nn.MultiheadAttention(2, 1)
attention.out_proj.weight.requires_grad = False
out, _ = attention(rows, rows, rows)
reveal(out, attention.out_proj.weight, attention.out_proj.bias)
whole = nn.TransformerEncoderLayer(2, 1, 2)
for parameter in whole.parameters():
    parameter.requires_grad = False
reveal(whole(rows), whole.linear1.weight)
for parameter in whole.linear1.parameters():
    parameter.requires_grad = True
reveal(whole(rows))
