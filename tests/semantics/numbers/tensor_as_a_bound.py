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

# A bound decides the kind as well: a whole number that is clamped by a fraction is none any more.
whole = torch.arange(3)
by_fraction, by_whole = whole.clamp(0.5).requires_grad_(), whole.clamp(min=1)
by_tensor, from_start = torch.clamp(whole, max=torch.rand(3)), sum([whole, whole], torch.rand(3))
between = whole.diff(prepend=torch.rand(1, requires_grad=True))
scaled = torch.nn.functional.gumbel_softmax(torch.rand(3), tau=low[0, 0, 0])
reveal(by_fraction, by_whole, by_tensor, from_start, between, scaled)
