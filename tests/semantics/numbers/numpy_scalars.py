# What NumPy draws is a number, and no tensor, where torch computes with it.
import numpy as np
import torch

leaf = torch.rand(2, requires_grad=True)
low, high = np.random.uniform(0, 1, 2)
scaled = leaf * low
place = np.random.randint(0, 2)
part = leaf[place] * high
mean = np.zeros(3).mean()
shifted = leaf + mean
