# harmful: unseen code may have asked a loss for gradients: that it is differentiated tells not that it was recorded.
import torch
from torch import nn

ask = eval("lambda value: value.requires_grad_()")
keep = eval("lambda value: None")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x).sum()


frozen = Net()
frozen.requires_grad_(False)
keep(frozen)
loss = frozen(torch.ones(1, 2))
ask(loss)
loss.backward()
reveal(loss)

trained = Net()
keep(trained)
total = trained(torch.ones(1, 2))
total.backward()
reveal(total)

for _ in range(2):
    features = frozen.layer(torch.ones(1, 2))
    middle = features * 2
    ask(middle)
    middle.sum().backward()
    reveal(features, middle)
