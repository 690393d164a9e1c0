# Fabric: modules come back wrapped, optimizers stand for themselves, backward goes through the fabric.
import torch
from lightning.fabric import Fabric
from torch import nn

fabric = Fabric(accelerator="cpu", devices=1)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
model, optimizer = fabric.setup(net, optimizer)
reveal(model)  # Module[lightning.fabric.wrappers._FabricModule, mode=train]
data = fabric.setup_dataloaders(torch.utils.data.DataLoader(torch.rand(4, 3), 2))
for batch in data:
    optimizer.zero_grad()
    loss = model(batch).sum()
    reveal(loss)  # Tensor[float, requires_grad=yes, leaf=no]
    fabric.backward(loss)
    optimizer.step()
model.eval()
reveal(net)  # Module[torch.nn.Linear, mode=eval]
with torch.no_grad():
    reveal(model(torch.rand(1, 3)).requires_grad)  # False
reveal(fabric.device)  # device
