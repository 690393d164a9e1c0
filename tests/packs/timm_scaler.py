# timm: a model by its name, an optimizer by factory, a scaler that differentiates and steps.
import timm
import torch
from timm.optim import Lamb, create_optimizer_v2
from timm.utils import ModelEmaV2, NativeScaler

model = timm.create_model("resnet18", num_classes=10)
reveal(model)  # Module[torch.nn.Module, mode=train]
optimizer = create_optimizer_v2(model, opt="lamb", lr=0.1)
reveal(optimizer)  # Optimizer[?]
reveal(Lamb(model.parameters()))  # Optimizer[Lamb]
average = ModelEmaV2(model, decay=0.9)
reveal(average.module)  # Module[torch.nn.Module, mode=eval]
scaler = NativeScaler()
reveal(scaler)  # Instance[timm.utils.NativeScaler]
for _ in range(2):
    loss = model(torch.rand(2, 3, 32, 32)).sum()
    optimizer.zero_grad()
    scaler(loss, optimizer, clip_grad=1.0, parameters=model.parameters())
    average.update(model)
for parameter in model.parameters():
    reveal(parameter)  # Tensor[?, requires_grad=yes, leaf=yes]
