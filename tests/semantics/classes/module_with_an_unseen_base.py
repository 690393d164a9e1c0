# What unseen code is the base of a module may give it parameters, and its result may hold lists.
import torch


class Parts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

    def forward(self, x):
        hidden = self.layer(x)
        return hidden.sum(), [hidden]


class Net(eval("Parts"), torch.nn.Module):
    pass


net = Net()
loss, kept = net(torch.ones(2))
reveal(loss, kept[0])
kept[0].retain_grad()
reveal(kept[0])
loss.backward()
reveal(kept[0].grad)


class One(eval("torch.nn.Linear"), torch.nn.Module):
    pass


reveal(One(2, 2)(torch.ones(2)))
