"""What training scripts do with models: lists of layers, filters, groups of parameters, wrappers, exchanged parts."""

import copy

import torch
from torch import nn

x = torch.ones(2, 4)


class VGG(nn.Module):
    def __init__(self, cfg=(8, "M", 16)):
        super().__init__()
        layers = []
        width = 3
        for v in cfg:
            if v == "M":
                layers.append(nn.MaxPool2d(2))
            else:
                layers += [nn.Conv2d(width, v, 3, padding=1), nn.BatchNorm2d(v), nn.ReLU(inplace=True)]
                width = v
        self.features = nn.Sequential(*layers)
        self.fc = nn.Linear(16, 10)

    def forward(self, x):
        x = self.features(x)
        return self.fc(x.mean((2, 3)))


net = VGG()
img = torch.ones(1, 3, 8, 8)
reveal(net.features)  # Module[torch.nn.Sequential, mode=train]
reveal(net(img))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(net.fc.in_features)  # number[integer]
net.fc = nn.Linear(net.fc.in_features, 5)
reveal(net(img))  # Tensor[float, requires_grad=yes, leaf=no]
for p in filter(lambda p: p.requires_grad, net.parameters()):
    reveal(p)  # Tensor[float, requires_grad=yes, leaf=yes]
for name, module in net.named_modules():
    if isinstance(module, nn.BatchNorm2d):
        module.eval()
        module.weight.requires_grad = False
        reveal(module)  # Module[torch.nn.BatchNorm2d, mode=eval]
reveal(net.fc.weight)  # Tensor[float, requires_grad=yes, leaf=yes]


def replace(model):
    for name, child in model.named_children():
        if isinstance(child, nn.BatchNorm2d):
            setattr(model, name, nn.GroupNorm(1, child.num_features))
        else:
            replace(child)


replace(net)
reveal(net.fc)  # Module[torch.nn.Linear, mode=train]
reveal(net.fc.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(net(img))  # Tensor[float, requires_grad=yes, leaf=no]


class Wrapper(nn.Module):
    def __init__(self, backbone, dim):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(dim, 2)
        for p in self.backbone.parameters():
            p.requires_grad = False

    def forward(self, x):
        with torch.no_grad():
            f = self.backbone(x)
        return self.head(f)


w = Wrapper(nn.Sequential(nn.Linear(4, 4), nn.Tanh()), 4)
reveal(w(x))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(w.backbone[0].weight)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(w.head.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
params = [{"params": w.backbone.parameters(), "lr": 1e-4}, {"params": w.head.parameters()}]
opt = torch.optim.Adam(params, lr=1e-3)
decay, no_decay = [], []
for n, p in w.named_parameters():
    if not p.requires_grad:
        continue
    if p.ndim <= 1 or n.endswith(".bias"):
        no_decay.append(p)
    else:
        decay.append(p)
reveal(decay[0])  # Tensor[float, requires_grad=yes, leaf=yes]
if hasattr(w, "module"):
    w = w.module
reveal(w.head.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
lstm = nn.LSTM(4, 4, num_layers=2, batch_first=True)
out, (h, c) = lstm(torch.ones(1, 2, 4))
reveal(out)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(h)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(lstm.weight_hh_l0)  # Tensor[float, requires_grad=yes, leaf=yes]
lstm.flatten_parameters()
for n, p in lstm.named_parameters():
    if "bias" in n:
        nn.init.zeros_(p)
    elif "weight" in n:
        nn.init.orthogonal_(p)
reveal(lstm.weight_ih_l1)  # Tensor[float, requires_grad=yes, leaf=yes]
mha = nn.MultiheadAttention(4, 2, batch_first=True)
o, a = mha(torch.ones(1, 2, 4), torch.ones(1, 2, 4), torch.ones(1, 2, 4))
reveal(o)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(a)  # Tensor[float, requires_grad=yes, leaf=no]
enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, batch_first=True), 2)
reveal(enc(torch.ones(1, 2, 4)))  # Tensor[float, requires_grad=yes, leaf=no]
bn = nn.BatchNorm1d(4)
reveal(bn.running_mean)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(bn.eval()(x))  # Tensor[float, requires_grad=yes, leaf=no]
dp = nn.DataParallel(w)
reveal(dp.module.head.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
sd = {k.replace("module.", ""): v for k, v in dp.state_dict().items()}
w.load_state_dict(sd)
missing = w.load_state_dict(sd, strict=False)
reveal(w.head.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
n_params = sum(p.numel() for p in w.parameters())
reveal(n_params)  # number[integer]
first = next(w.parameters())
reveal(first)  # Tensor[float, requires_grad=no|yes, leaf=yes]
reveal(first.device)  # device
reveal(next(iter(w.parameters())).dtype)  # dtype


class Mixed(nn.ModuleList):
    def forward(self, x):
        for m in self:
            x = m(x)
        return x


mix = Mixed([nn.Linear(4, 4), nn.ReLU()])
reveal(mix(x))  # Tensor[float, requires_grad=yes, leaf=no]
t = copy.deepcopy(w).eval()
for p in t.parameters():
    p.requires_grad = False
reveal(t.head.weight)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(t)  # Module[?, mode=eval]
layers = nn.ModuleList([copy.deepcopy(nn.Linear(4, 4)) for _ in range(3)])
reveal(layers[0].weight)  # Tensor[float, requires_grad=yes, leaf=yes]
