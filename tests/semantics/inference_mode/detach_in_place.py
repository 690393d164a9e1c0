# What was made in inference mode is not detached in place.
import torch

with torch.inference_mode():
    weight = torch.nn.Parameter(torch.randn(2, 2))
weight.detach_()
reveal(weight)
