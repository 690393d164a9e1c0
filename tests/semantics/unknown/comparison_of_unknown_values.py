# What is compared may be tensors, where nobody knows what it is.
import torch

average = torch.optim.swa_utils.AveragedModel(torch.nn.Linear(2, 2))
smaller = average.module.weight < average.module.weight
reveal(smaller)
