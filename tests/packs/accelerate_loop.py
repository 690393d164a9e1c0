# A training loop with Accelerate: what is prepared stays what it was, and backward goes through the accelerator.
import torch
from accelerate import Accelerator
from torch import nn


def train():
    accelerator = Accelerator(gradient_accumulation_steps=2, cpu=True)
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(4, 3), torch.rand(4, 1)), 2)
    model, optimizer, data, scheduler = accelerator.prepare(model, optimizer, data, scheduler)
    reveal(model)  # Module[torch.nn.Sequential, mode=train]
    model.train()
    for inputs, targets in data:
        with accelerator.accumulate(model):
            loss = nn.functional.mse_loss(model(inputs), targets)
            reveal(loss)  # Tensor[float, requires_grad=yes, leaf=no]
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                norm = accelerator.clip_grad_norm_(model.parameters(), 1.0)
                reveal(norm.requires_grad)  # False
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
    accelerator.print(loss.item())
    unwrapped = accelerator.unwrap_model(model)
    reveal(unwrapped)  # Module[torch.nn.Sequential, mode=train]
    return evaluate(accelerator, model, data)


def evaluate(accelerator, model, data):
    model.eval()
    reveal(model)  # Module[torch.nn.Sequential, mode=eval]
    total = 0.0
    for inputs, targets in data:
        with torch.no_grad():
            outputs = model(inputs)
        reveal(outputs)  # Tensor[float, requires_grad=no, leaf=yes]
        outputs, targets = accelerator.gather_for_metrics((outputs, targets))
        total += (outputs - targets).abs().sum().item()
    return total


train()
