# While a loop goes over all parameters, those that it has not reached yet were taken for changed.
import torch

layers = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
layers(torch.ones(1, 2)).sum().backward()
optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
for parameter in layers.parameters():
    parameter.requires_grad = False
    reveal(layers[1].bias)
for parameter in layers.parameters():
    parameter.requires_grad = True
    reveal(layers[1].bias)
for parameter in layers.parameters():
    parameter.grad = None
    reveal(layers[1].bias)
layers(torch.ones(1, 2)).sum().backward()
optimizer.step()
for parameter in layers.parameters():
    parameter.grad = None
    reveal(layers[1].bias)
for parameter in layers.parameters():
    parameter.requires_grad_()
for _number in range(3):
    for parameter in layers.parameters():
        parameter.grad = None
        reveal(layers[1].bias)
    optimizer.step()
    layers(torch.ones(1, 2)).sum().backward()
