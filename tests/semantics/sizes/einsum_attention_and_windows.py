# What an equation gives, what attends and what moves step by step is known to have several elements.
import torch
import torch.nn.functional as F

rows = torch.rand(2, 3, requires_grad=True)
reveal(torch.einsum("ij,kj", rows, rows), torch.einsum("ij->", rows), torch.einsum("ij->j", [rows]))
reveal(F.scaled_dot_product_attention(rows[None], rows[None], rows[None]))
reveal(rows.unfold(1, 2, 1), rows.as_strided((2, 1), (1, 1)), rows.masked_fill(rows > 0.5, 0.0))
reveal(torch.fft.fft(rows), torch.fft.fft(rows, 2))
torch.einsum("ij,kj->ik", rows, rows).backward()
