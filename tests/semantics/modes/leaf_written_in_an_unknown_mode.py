# A leaf that was written in whatever grad mode it was is still one: with gradients on the line raises.
import random

import torch

weight = torch.randn(2, 2, requires_grad=True)
with torch.set_grad_enabled(random.random() < 0.5):
    weight.relu_()
    reveal(weight)
