"""Distributions of torch: samples leave the graph, `rsample()` and what is computed does not."""

import torch
from torch.distributions import Categorical, Normal, kl_divergence

mean = torch.zeros(2, requires_grad=True)
normal = Normal(mean, 1.0)

reveal(normal.sample())  # Tensor[float, requires_grad=no, leaf=yes]
reveal(normal.rsample((3,)))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(normal.log_prob(torch.ones(2)))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(kl_divergence(normal, Normal(torch.zeros(2), 1.0)))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(Normal(0.0, 1.0).log_prob(mean))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(Normal(torch.zeros(2), torch.ones(2)).rsample())  # Tensor[float, requires_grad=no, leaf=yes]
reveal(Categorical(logits=mean).log_prob(torch.tensor(1)))  # Tensor[float, requires_grad=yes, leaf=no]
