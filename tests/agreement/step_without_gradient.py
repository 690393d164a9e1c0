# todo: a step leaves alone what may have no gradient: it may well not write what was made in inference mode.
import torch

with torch.inference_mode():
    weight = torch.randn(2, 2, requires_grad=True)
optimizer = torch.optim.Adam([weight])
loss = weight.pow(2).mean()
try:
    loss.backward()
except Exception as error:
    print(error)
optimizer.step()
reveal(weight)
