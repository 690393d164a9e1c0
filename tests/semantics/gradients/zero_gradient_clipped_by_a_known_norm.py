# A gradient that is zero by nature stays one that arrived when it is clipped by a norm that is known.
import torch

weight = torch.randn(2, 2, requires_grad=True)
loss = torch.nn.functional.smooth_l1_loss(weight, weight)
(weight * loss).sum().backward()
torch.nn.utils.clip_grads_with_norm_([weight], 0.1, torch.tensor(5.0))
reveal(weight)
