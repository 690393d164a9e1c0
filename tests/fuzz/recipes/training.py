"""Pieces of programs that train: loops, optimizers, schedulers, scalers, loaders, clipping, saving and loading."""

from __future__ import annotations

RECIPES = """
3
<new> = nn.Sequential(nn.Linear(2, 4), <act>, nn.Linear(4, 2))
<new1> = <opt <new>.parameters()>
for <new2> in range(2):
    <new1>.zero_grad()
    <new3> = <new>(torch.randn(3, 2))
    <new4> = <loss <new3>>
    <new4>.backward()
    <new1>.step()

1
<new> = <layer>
<new1> = torch.optim.SGD(<new>.parameters(), lr=0.1)
<new2> = torch.optim.lr_scheduler.StepLR(<new1>, 1)
for <new3> in range(2):
    for <new4> in range(2):
        <new5> = <loss <x>> + sum(p.sum() for p in <new>.parameters())
        <new1>.zero_grad(set_to_none=False)
        <new5>.backward()
        torch.nn.utils.clip_grad_norm_(<new>.parameters(), 1.0)
        <new1>.step()
    <new2>.step()

1
<new> = nn.Linear(2, 2)
<new1> = <opt <new>.parameters()>
<new2> = torch.amp.GradScaler('cpu')
for <new3> in range(2):
    <new1>.zero_grad()
    with torch.autocast('cpu', dtype=torch.bfloat16):
        <new4> = <new>(torch.randn(3, 2))
        <new5> = <loss <new4>.float()>
    <new2>.scale(<new5>).backward()
    <new2>.unscale_(<new1>)
    torch.nn.utils.clip_grad_norm_(<new>.parameters(), 1.0)
    <new2>.step(<new1>)
    <new2>.update()

1
<new> = nn.Linear(2, 2)
<new1> = torch.optim.SGD(<new>.parameters(), lr=0.1)
<new2> = torch.GradScaler('cpu', enabled=<cond>)
<new3> = <loss <new>(torch.randn(3, 2))>
<new2>.scale(<new3>).backward()
torch.nn.utils.clip_grad_value_(<new>.parameters(), 1.0)
<new2>.step(<new1>)
<new2>.update()
<new1>.zero_grad()

1
<new> = torch.randn(2, 2, requires_grad=True)
<new1> = torch.optim.SGD([<new>], lr=0.1)
<new2> = torch.amp.GradScaler('cpu')
<new2>.scale(<loss <new>>).backward()
<new2>.scale(<loss <new>>).backward()
<new2>.unscale_(<new1>)
try:
    <new2>.unscale_(<new1>)
    print('went well')
except RuntimeError as error:
    print(error)
<new2>.step(<new1>)
try:
    <new2>.step(<new1>)
    print('went well')
except RuntimeError as error:
    print(error)
try:
    <new2>.unscale_(<new1>)
    print('went well')
except RuntimeError as error:
    print(error)
<new2>.update()

1
<new> = torch.randn(2, 2, requires_grad=True)
<new1> = torch.optim.SGD([<new>], lr=0.1)
<new2> = torch.amp.GradScaler('cpu')
<new2>.scale(<loss <new>>).backward()
<loss <new>>.backward()
torch.nn.utils.clip_grad_norm_([<new>], 1.0)
<new1>.zero_grad()
<new2>.scale(<loss <new>>).backward()
<new2>.step(<new1>)
<new2>.update()

2
<new> = nn.Linear(2, 2)
<new1> = <opt <new>.parameters()>
<new1>.zero_grad()
for <new2>, <new3> in enumerate([torch.randn(3, 2) for _ in range(4)]):
    <new4> = <loss <new>(<new3>)> / 2
    <new4>.backward()
    if (<new2> + 1) % 2 == 0:
        <new1>.step()
        <new1>.zero_grad()

1
<new> = nn.Linear(2, 1)
<new1> = torch.optim.LBFGS(<new>.parameters(), max_iter=2)
<new2> = torch.randn(3, 2)
def <new3>():
    <new1>.zero_grad()
    loss = <loss <new>(<new2>)>
    loss.backward()
    return loss
for <new4> in range(2):
    <new5> = <new1>.step(<new3>)

1
from torch.utils.data import DataLoader, TensorDataset
<new> = TensorDataset(torch.randn(4, 2), torch.tensor([0, 1, 0, 1]))
<new1> = nn.Linear(2, 2)
<new2> = <opt <new1>.parameters()>
<new3> = nn.CrossEntropyLoss()
<new4> = 0.0
for <new5>, <new6> in DataLoader(<new>, batch_size=2, shuffle=True):
    <new2>.zero_grad()
    <new7> = <new3>(<new1>(<new5>), <new6>)
    <new7>.backward()
    <new2>.step()
    <new4> += <new7>.item()

1
from torch.utils.data import DataLoader, Dataset
class <new>(Dataset):
    def __init__(self, size):
        self.values = torch.randn(size, 2)
    def __len__(self):
        return len(self.values)
    def __getitem__(self, index):
        return {'x': self.values[index], 'y': self.values[index].sum()}
<new1> = DataLoader(<new>(4), batch_size=2)
<new2> = next(iter(<new1>))
for <new3>, <new4> in enumerate(<new1>):
    <new5> = <like <new4>['x']>
<new6> = len(<new1>)

1
<new> = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Dropout(0.5))
<new>.eval()
with torch.no_grad():
    <new1> = <new>(torch.randn(3, 2))
<new>.train()
<new2> = <new>(torch.randn(3, 2))
<new>.train()
<new>.eval()
<new>.eval()
<new3> = <loss <new>(torch.randn(3, 2))>

1
def <new>(model, optimizer, batch):
    model.train()
    optimizer.zero_grad()
    loss = <loss model(batch)>
    loss.backward()
    optimizer.step()
    return loss.detach()
@torch.no_grad()
def <new1>(model, batch):
    model.eval()
    out = model(batch)
    return <loss out>
<new2> = <layer>
<new2> = nn.Linear(2, 2)
<new3> = <opt <new2>.parameters()>
<new4> = <new>(<new2>, <new3>, torch.randn(3, 2))
<new5> = <new1>(<new2>, torch.randn(3, 2))
<new6> = <new>(<new2>, <new3>, torch.randn(3, 2))

1
class <new>:
    def __init__(self, model):
        self.model = model
        self.optimizer = <opt model.parameters()>
        self.losses = []
        self.best = None
    def fit(self, batches):
        for batch in batches:
            loss = self.loss(batch)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.losses.append(loss.item())
        return self
    def loss(self, batch):
        return <loss self.model(batch)>
    @torch.no_grad()
    def predict(self, batch):
        return self.model(batch)
<new1> = <new>(nn.Linear(2, 2)).fit([torch.randn(3, 2), torch.randn(3, 2)])
<new2> = <new1>.predict(torch.randn(3, 2))

1
import io
<new> = nn.Linear(2, 2)
<new1> = io.BytesIO()
torch.save(<new>.state_dict(), <new1>)
<new1>.seek(0)
<new2> = torch.load(<new1>)
<new3> = nn.Linear(2, 2)
<new3>.load_state_dict(<new2>)
<new4> = copy.deepcopy(<new>.state_dict())
<new5> = {key: value.clone() for key, value in <new>.state_dict().items()}
<new>.load_state_dict(<new5>)

1
<new> = nn.Linear(2, 2)
<new1> = copy.deepcopy(<new>)
for <new2> in <new1>.parameters():
    <new2>.requires_grad = False
<new3> = <opt <new>.parameters()>
<new4> = F.mse_loss(<new>(<x>), <new1>(<x>))
<new4>.backward()
<new3>.step()
with torch.no_grad():
    for <new5>, <new6> in zip(<new>.parameters(), <new1>.parameters()):
        <new6>.mul_(0.9).add_(<new5>, alpha=0.1)
        <new6>.data.copy_(0.5 * <new5>.data + 0.5 * <new6>.data)

1
<new> = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
for <new1>, <new2> in <new>.named_parameters():
    if <new1>.startswith('0'):
        <new2>.requires_grad_(False)
<new3> = torch.optim.SGD([p for p in <new>.parameters() if p.requires_grad], lr=0.1)
<new4> = torch.optim.Adam(filter(lambda p: p.requires_grad, <new>.parameters()))
<loss <new>(torch.randn(3, 2))>.backward()
<new3>.step()
<new>[0].requires_grad_(True)

1
<new> = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
<new1> = []
for <new2>, <new3> in <new>.named_parameters():
    if <new2>.endswith('bias'):
        <new1>.append(<new3>)
<new4> = torch.optim.SGD(<new1>, lr=0.1)
<loss <new>(torch.randn(3, 2))>.backward()
<new4>.step()
<new4>.zero_grad()

1
<new> = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
<new1> = [<leaf>]
<new1> += [p for n, p in <new>.named_parameters() if n.startswith('2')]
for <new2> in <new1>:
    <new2>.requires_grad_(<cond>)
<new3> = torch.optim.SGD([p for p in <new1> if <cond>] or <new>.parameters(), lr=0.1)
<loss <new>(torch.randn(3, 2))>.backward()
<new3>.zero_grad()

1
<new> = nn.Linear(2, 2)
<new1> = nn.Linear(2, 2)
<new2> = <new> if <cond> else <new1>
<loss <new1>(<new>(torch.randn(3, 2)))>.backward()
for <new3> in <new2>.parameters():
    <new3>.requires_grad_(False)
<new4> = torch.optim.SGD(nn.ModuleList([nn.ReLU(), <new2>]).parameters(), lr=0.1)
<new4>.step()
<new4>.zero_grad()
<new1>.requires_grad_(True)

1
<new> = nn.Linear(2, 2)
<new1> = nn.Linear(2, 2)
<new2> = torch.optim.SGD([{'params': <new>.parameters()}, {'params': <new1>.parameters(), 'lr': 0.01}], lr=0.1)
<new2>.add_param_group({'params': [<leaf>]})
<loss <new1>(<new>(torch.randn(3, 2)))>.backward()
<new2>.step()
for <new3> in <new2>.param_groups:
    <new3>['lr'] *= 0.5
    for <new4> in <new3>['params']:
        <new4>.grad = None

1
<new> = torch.randn(2, 2, requires_grad=True)
<new1> = torch.optim.SGD([<new>], lr=0.1)
<loss <new>>.backward()
<new1>.step()
<loss <new>>.backward()
<new1>.step()
<new1>.zero_grad()
<new1>.zero_grad()
<new1>.step()

1
<new> = torch.randn(2, 2, requires_grad=True)
<new1> = torch.optim.SGD([<new>], lr=0.1)
<loss <new>>.backward()
<loss <new>>.backward()
<new1>.zero_grad()
<new1>.zero_grad()
<new1>.step()
<loss <new>>.backward()
<new1>.step()
<loss <new>>.backward()
<loss <new>>.backward()
<new1>.zero_grad()
<loss <new>>.backward()
<new1>.zero_grad()
<loss <new>>.backward()
<new1>.step()
<new1>.step()
<new1>.zero_grad()

1
<new> = nn.Linear(2, 1)
<new1> = nn.Linear(1, 2)
<new2> = <opt <new>.parameters()>
<new3> = <opt <new1>.parameters()>
for <new4> in range(2):
    <new5> = <new1>(torch.randn(3, 1))
    <new6> = <loss <new>(<new5>.detach())>
    <new2>.zero_grad()
    <new6>.backward()
    <new2>.step()
    <new7> = <loss <new>(<new5>)>
    <new3>.zero_grad()
    <new7>.backward()
    <new3>.step()

1
<new> = []
<new1> = 0.0
<new2> = nn.Linear(2, 2)
for <new3> in range(3):
    <new4> = <loss <new2>(torch.randn(3, 2))>
    <new>.append(<new4>)
    <new1> = <new1> + <new4>
<new5> = torch.stack(<new>).mean()
<new5>.backward(retain_graph=True)
<new1>.backward()

1
<new> = torch.optim.swa_utils.AveragedModel(nn.Linear(2, 2))
<new1> = nn.Linear(2, 2)
<new>.update_parameters(<new1>)
<new2> = <new>(torch.randn(3, 2))

1
<new> = torch.randn(2, 2, requires_grad=True)
<new1> = torch.optim.Adam([<new>])
<new2> = torch.optim.lr_scheduler.ReduceLROnPlateau(<new1>)
<new3> = <loss <new>>
<new3>.backward()
<new1>.step()
<new2>.step(<new3>.item())
<new4> = <new1>.state_dict()
<new1>.load_state_dict(<new4>)
"""
