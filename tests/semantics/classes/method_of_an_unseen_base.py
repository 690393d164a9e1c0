# A method that an unseen base of the class brings does with the object what it likes.
import torch


class Training:
    def configure(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def update(self, loss, optimizer):
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    def freeze(self):
        self.requires_grad_(False)


class Net(eval("Training"), torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)
        self.optimizer = self.configure()


net = Net()
net.update(net.layer(torch.ones(2)).sum(), net.optimizer)
reveal(net.layer.weight)
net.freeze()
reveal(net.layer.weight, net.layer(torch.ones(2)))
