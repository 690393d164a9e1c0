# A part whose class has a `train` of its own is in the mode that this leaves it in.
from torch import nn


class Fixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Dropout()

    def train(self, mode=True):
        return self


class Frozen(nn.Module):
    def train(self, mode=True):
        reveal(self)
        return super().train(False)


net = nn.Sequential(Fixed(), Frozen())
net[0].training = net[0].inner.training = False
net.train()
reveal(net, net[0], net[0].inner, net[1])
net.eval()
net.train()
reveal(net, net[0], net[0].inner, net[1])
