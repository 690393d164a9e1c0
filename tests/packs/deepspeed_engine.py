# DeepSpeed: the engine is a module that differentiates and steps.
import deepspeed
import torch
from torch import nn

net = nn.Linear(3, 1)
engine, optimizer, _, _ = deepspeed.initialize(model=net, model_parameters=net.parameters(), config={})
reveal(engine)  # Module[deepspeed.DeepSpeedEngine, mode=train]
reveal(optimizer)  # Optimizer[?]
for _ in range(3):
    loss = engine(torch.rand(2, 3)).sum()
    reveal(loss)  # Tensor[float, requires_grad=yes, leaf=no]
    engine.backward(loss)
    engine.step()
engine.eval()
reveal(net)  # Module[torch.nn.Linear, mode=eval]
