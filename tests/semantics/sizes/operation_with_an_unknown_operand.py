# What is computed with something that nobody knows has sizes that nobody knows; a legacy constructor is given sizes.
import random

import torch

number = torch.tensor(1.0, requires_grad=True)
matrix = torch.rand(2, 2)
strange = random.choice([matrix, torch.rand(2, 2, 2), torch.FloatTensor(2, 3, 4).zero_()])
reveal(number * strange, torch.FloatTensor(2, 3, 4), torch.tensor([[1.0], [2.0]]), matrix.T + number)
matrix.unsqueeze_(0)
reveal(matrix, matrix * 2, matrix.sum(), torch.zeros(2, 2, 2).mT, torch.stack([number, number]))
