"""Cases for GRD604: losses of whole numbers and truth values, and such numbers beside what has a gradient."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Segmenter(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.conv = nn.Conv2d(3, classes, 1)

    def forward(self, x):
        return self.conv(x)

    def predict(self, x):
        return self.forward(x).argmax(dim=1)


def dice(predicted, wanted):
    overlap = (predicted * wanted).sum()
    return 1 - 2 * overlap / (predicted.sum() + wanted.sum())


class Trainer:
    def __init__(self):
        self.net = Segmenter()

    def epoch(self, loader):
        for images, masks in loader:
            predicted = self.net.predict(images)
            loss = dice(predicted.float(), masks)
            loss.backward()  # GRD604

    def soft_step(self, images, masks: torch.Tensor):
        scores = self.net(images)
        accuracy = (scores.argmax(1) == masks).float().mean()  # GRD604
        loss = F.cross_entropy(scores, masks)
        (loss + 0.1 * (1 - accuracy)).backward()  # ok: the loss itself has a graph
        return accuracy


def thresholded(model: nn.Linear, x, y):
    F.binary_cross_entropy((torch.sigmoid(model(x)) > 0.5).float(), y).backward()  # GRD604


def one_hot_errors(model: nn.Linear, x, y):
    chosen = F.one_hot(torch.argmax(model(x), -1), 3).float()
    error = (chosen - y) ** 2
    error.mean().backward()  # GRD604


def rounded(model: nn.Linear, x):
    count = torch.round(model(x)).long()
    torch.autograd.backward([count.to(torch.float32).sum()])  # GRD604


def straight_through(model: nn.Linear, x):
    soft = model(x).softmax(-1)
    hard = F.one_hot(soft.argmax(-1), 2).float()
    ((hard - soft).detach() + soft)[..., 0].sum().backward()  # ok: straight through


def masked(model: nn.Linear, x):
    out = model(x)
    keep = (out > 0).float()
    (out * keep).sum().backward()  # ok: a mask multiplies what has a gradient
    return keep


def gathered(model: nn.Linear, x):
    scores = model(x)
    best = scores.argmax(1, keepdim=True)
    scores.gather(1, best).sum().backward(retain_graph=True)  # ok: the scores at the places found
    return best


def gumbel(model: nn.Linear, x):
    sample = F.gumbel_softmax(model(x), hard=True)
    F.l1_loss(sample, x).backward()  # ok: hard=True passes the soft gradient


def pseudo_labels(student: nn.Linear, teacher: nn.Linear, x):
    labels = teacher(x).argmax(-1)  # GRD401
    torch.autograd.grad(F.cross_entropy(student(x), labels), student.weight)  # ok: the target side


def zero_one(model: nn.Linear, batches):
    total = torch.zeros(())
    for x, y in batches:
        total = total + torch.where(model(x).squeeze() > 0, 1.0, 0.0).sum()
    (total / 10).backward()  # GRD604


def ranked(model: nn.Linear, x):
    order = model(x).flatten().argsort()
    return torch.autograd.grad(order.double().std(), list(model.parameters()))  # GRD604


def hinge(model: nn.Linear, x, y):
    margin = y * model(x)
    worst = margin.max(0)
    worst[0].neg().exp().mean().backward()  # ok: max gives values that have a gradient
    return worst[1]


def roughness(model: nn.Linear, x, y):
    scores = model(x)
    chosen = scores.argmax(1).float()  # GRD604
    rough = (chosen[1:] - chosen[:-1]).abs().sum()
    (F.cross_entropy(scores, y, label_smoothing=0.1) + 0.2 * rough).backward()


def masked(model: nn.Linear, x, y):
    scores = model(x)
    right = scores.argmax(1) == y
    (scores.exp().sum() + (scores[:, 0] * right).sum()).backward()  # ok: a mask of what has a gradient


roughness(nn.Linear(2, 3), torch.rand(4, 2), torch.zeros(4, dtype=torch.long))
masked(nn.Linear(2, 3), torch.rand(4, 2), torch.zeros(4, dtype=torch.long))
data = TensorDataset(torch.rand(8, 3, 4, 4), torch.zeros(8, 4, 4))
Trainer().epoch(DataLoader(data, batch_size=4))
thresholded(nn.Linear(2, 1), torch.rand(8, 2), torch.ones(8, 1))
one_hot_errors(nn.Linear(2, 3), torch.rand(8, 2), torch.eye(3)[torch.arange(8) % 3])



def weighted_by_the_best(model, x, scale):
    with torch.no_grad():
        best = model(x).argmax(-1, keepdim=True)
    (model(x).gather(-1, best) * scale).mean().backward()  # ok: the index only chooses


class Named:
    """Losses and what is shown of them, by name."""

    def __init__(self):
        self.model = nn.Linear(2, 3)

    def losses(self, x, y):
        scores = self.model(x)
        wrong = (scores.argmax(1) != y).float().mean()  # GRD604
        return {"entropy": F.cross_entropy(scores, y), "wrong": wrong}

    def pair(self, x, y):
        scores = self.model(x)
        return F.cross_entropy(scores, y), (scores.max(1)[1] == y).float().mean()  # GRD604

    def shown(self, x, y):
        scores = self.model(x)
        right = (scores.argmax(1) == y).sum() / len(y)  # ok: is shown
        return {"entropy": F.cross_entropy(scores, y), "right": right}


def by_name(named: Named, x, y):
    sum(named.losses(x, y).values()).backward()  # ok: the other term is trained by


def of_a_pair(named: Named, x, y):
    entropy, right = named.pair(x, y)
    (entropy + 0.5 * (1 - right)).backward()


def only_one(named: Named, x, y):
    losses = named.shown(x, y)
    losses["entropy"].backward()  # ok: the other one is not added
    print(losses["right"])


def in_a_list(named: Named, x, y):
    scores = named.model(x)
    losses = [F.cross_entropy(scores, y), scores.round().mean()]
    losses.append(scores.long().float().abs().mean())  # GRD604
    sum(losses).backward()


def by_their_number(named: Named, x, y):
    scores = named.model(x)
    many = (scores > 0).sum()
    (scores.relu().sum() / many + F.cross_entropy(scores, y)).backward()  # ok: divided by how many there are


def hard_or_soft(named: Named, x, y, hard):
    scores = named.model(x)
    if hard:
        predicted = scores.argmax(1).float()
    else:
        predicted = scores.softmax(1)[:, 1]
    F.mse_loss(predicted, torch.zeros(len(x))).backward()  # GRD604


def hard_where_it_is_only_counted(named: Named, x, y, hard):
    scores = named.model(x)
    predicted = scores.argmax(1).float() if hard else scores.softmax(1)[:, 1]
    loss = F.mse_loss(predicted, y.float())
    if hard:
        return loss
    (loss * 0.5).backward()  # ok: only the other way comes here
    return loss


def hard_on_some(named: Named, x, y):
    scores = named.model(x)
    hard = (scores.argmax(1) != y).float()
    (hard * F.cross_entropy(scores, y, reduction="none")).sum().backward()  # ok: a mask


named, x, y = Named(), torch.rand(4, 2), torch.zeros(4, dtype=torch.long)
by_name(named, x, y), of_a_pair(named, x, y), only_one(named, x, y)
in_a_list(named, x, y), by_their_number(named, x, y), hard_on_some(named, x, y)
