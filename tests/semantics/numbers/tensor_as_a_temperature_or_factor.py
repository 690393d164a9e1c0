# What hardly ever is a tensor, a temperature or a factor, may make more of the others where it is one.
import torch

tau = torch.nn.functional.dropout1d(torch.rand(1, 2, 2)) + 1
reveal(torch.nn.functional.gumbel_softmax(torch.ones(2, 2), tau=tau))
norm = torch.nn.functional.local_response_norm(torch.rand(1, 4, 4), 2, alpha=torch.full((3, 1, 1, 1, 1), 0.5))
reveal(norm)
