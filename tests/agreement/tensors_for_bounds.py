# A tensor that stands where mostly a number does takes part: it may require grad, and decides the size.
import torch

low = torch.rand(2, 2, 2, requires_grad=True)
matrix = torch.rand(2, 2)
clamped, also = matrix.clamp(min=low), torch.clamp(matrix, low)
one = torch.rand(2).sum().clamp(max=torch.rand(3))
weighted = torch.nn.functional.mse_loss(matrix, torch.rand(2, 2), weight=low[0])
reveal(clamped, also, one, weighted, matrix.clamp(0, 1))
clamped.sum().backward()
reveal(low)
