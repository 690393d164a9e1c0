# A GradScaler that may be switched off has not begun to scale because it was asked to.
import random

import torch

weight = torch.ones(2, requires_grad=True)
scaler = torch.amp.GradScaler("cpu", enabled=random.random() < 0.5)
scaler.scale(weight.sum()).backward()
reveal(scaler)
