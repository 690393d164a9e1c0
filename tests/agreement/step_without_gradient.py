# What only an inference tensor asks for is not recorded: no gradient comes, and a step without any was said to raise.
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
