# A list of parameters makes a parameter of what is set at its index; a list of modules and a module refuse it.
import torch
from torch import nn

scales = nn.ParameterList([nn.Parameter(torch.rand(2)), torch.rand(2)])
scales[0] = scales[0] * 2
reveal(scales[0])
by_name = nn.ParameterDict({"a": torch.rand(2)})
by_name["a"] = by_name["a"].detach() + 1
reveal(by_name["a"])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = nn.ParameterList([torch.rand(2) for _ in range(2)])

    def shrink(self):
        for index in range(2):
            self.scales[index] = self.scales[index].data * 0.5


net = Net()
net.shrink()
for scale in net.parameters():
    reveal(scale)
net.scales = torch.rand(2)
