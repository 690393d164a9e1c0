# An optimizer writes no parameter without a gradient, so it does not raise at one made in inference mode, as was said.
import torch

with torch.inference_mode():
    weight = torch.nn.Conv1d(2, 2, 2).weight
optimizer = torch.optim.SGD([weight], lr=0.1, momentum=0.9)
optimizer.step()
