"""Modules are called, and what comes out requires grad as their parameters and inputs do."""

import torch
from torch import nn

images = torch.rand(4, 8)
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2))
reveal(model)  # Module[torch.nn.Sequential, mode=train]
out = model(images)
reveal(out)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(model[0](images))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(nn.ReLU()(images))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(nn.Flatten()(images))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(nn.CrossEntropyLoss()(out, torch.tensor([0, 1, 1, 0])))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(nn.MSELoss()(images, images))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(nn.Embedding(10, 3)(torch.tensor([1, 2])))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(nn.Dropout(0.5)(images))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(nn.functional.softmax(out, dim=1))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(out.argmax(dim=1))  # Tensor[integer, requires_grad=no, leaf=yes]
model.eval()
reveal(model)  # Module[torch.nn.Sequential, mode=eval]
with torch.no_grad():
    reveal(model(images))  # Tensor[float, requires_grad=no, leaf=yes]
