# A layer that tracks no statistics has its parameters and lacks its buffers; it was the other way round.
import random

import torch

norm = torch.nn.BatchNorm1d(4, track_running_stats=False)
reveal(norm.weight, norm.bias, norm.running_mean, norm.num_batches_tracked)
plain = torch.nn.BatchNorm1d(4, affine=False, track_running_stats=random.random() < 0.5)
reveal(plain.weight, plain.running_mean)
