# torchvision: a builder gives a model in train mode; its head is replaced after freezing.
import torch
from torch import nn
from torchvision import models, transforms

model = models.resnet18(weights=models.ResNet18_Weights.DEFAULT)
reveal(model)  # Module[torch.nn.Module, mode=train]
for parameter in model.parameters():
    parameter.requires_grad = False
    reveal(parameter)  # Tensor[float|?, requires_grad=no, leaf=yes]
model.fc = nn.Linear(512, 2)
reveal(model.fc.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
optimizer = torch.optim.SGD(model.fc.parameters(), lr=0.1)
reveal(transforms.Compose([]))  # Instance[torchvision.transforms.Compose]
loss = model(torch.rand(1, 3, 64, 64)).sum()
loss.backward()
optimizer.step()

other = models.vgg16()
other.features.eval()
reveal(other.features)  # Module[torch.nn.Module, mode=eval]
other.classifier[6] = nn.Linear(4096, 2)
for parameter in other.features.parameters():
    parameter.requires_grad = False
    reveal(parameter)  # Tensor[?, requires_grad=no, leaf=yes]
reveal(models.resnet50().layer4)  # Module[torch.nn.Module, mode=train]
reveal(models.resnet50().fc.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
