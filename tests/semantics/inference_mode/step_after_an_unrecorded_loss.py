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

with torch.inference_mode():
    other = torch.randn(2, 2, requires_grad=True)
second = torch.optim.SGD([other], lr=0.1)
try:
    other.mean().backward()
except Exception as error:
    print(error)
try:
    torch.nn.functional.mse_loss(other, torch.zeros_like(other)).backward()
except Exception as error:
    print(error)
second.step()
reveal(other)

with torch.inference_mode():
    layer = torch.nn.Linear(2, 2)
third = torch.optim.RMSprop([layer.weight])
try:
    layer(torch.randn(3, 2)).norm().backward()
except Exception as error:
    print(error)
reveal(layer.weight, layer.bias)
third.step()
