"""Situations in which silent mistakes happen, with choices between what is wrong and what is right.

`<<a|b>>` is one of these, a line that begins with `?` may be left out, `$model` is one of the names of `NAMES`. The
number before each says how often it is taken.
"""

from __future__ import annotations

from tests.fuzz.situations.training import TRAINING

NAMES: dict[str, tuple[str, ...]] = {
    "model": ("model", "net", "encoder", "backbone", "student", "policy"),
    "head": ("head", "decoder", "critic", "teacher", "probe"),
    "opt": ("optimizer", "opt", "optim", "sgd"),
    "other": ("second", "opt_b", "optimizer_d"),
    "loss": ("loss", "err", "objective", "cost"),
    "x": ("x", "batch", "images", "inputs"),
    "y": ("y", "out", "pred", "hidden"),
    "z": ("z", "result", "feat"),
    "w": ("w", "weight", "theta", "alpha"),
    "v": ("v", "bias", "beta"),
    "i": ("i", "step", "epoch", "_"),
    "p": ("p", "param", "q"),
    "total": ("total", "running", "acc"),
    "log": ("log", "history", "losses"),
    "sd": ("best", "snapshot", "saved", "state"),
    "f": ("train", "run", "fit", "work"),
    "g": ("evaluate", "compute", "probe_it", "helper"),
    "check": ("validate", "evaluate", "train_epoch", "test_step"),
    "Net": ("Net", "Encoder", "Block", "Model"),
    "Op": ("Square", "Custom", "Op"),
}

SITUATIONS: tuple[tuple[int, str], ...] = (
    *TRAINING,
    # gradients that are not there
    (4, """\
$w = torch.randn(3, requires_grad=True)
$y = $w<< * 2|.exp()|.clone()|.double()|.view(3)|>>
?$y.retain_grad()
$y.sum().backward()
?$y.retain_grad()
$g = $y.grad
"""),
    (3, """\
$w = torch.randn(3, requires_grad=True)<<||.double()|.to(torch.float64)|.float()| * 0.1>>
$loss = ($w * 2).sum()
$loss.backward()
$g = <<$w.grad|[$w.grad]|$w.grad is None|str($w.grad)>>
"""),
    (3, """\
$w = torch.ones(3, requires_grad=True)
$v = $w.<<clone()|detach().clone()|clone().detach()|detach()>>
$v.requires_grad_(<<|True>>)
($v * 2).sum().backward()
$g = $v.grad
"""),
    (3, """\
$x = torch.ones(3)
$y = $x * 2
$x.requires_grad<<_()| = True>>
?$y = $x * 2
$w = torch.ones(3, requires_grad=True)
($y * $w).sum().backward()
$g = $x.grad
"""),
    (3, """\
$params = {'a': torch.ones(2, requires_grad=True), 'b': torch.zeros(2, requires_grad=True)}
$params = {k: <<t * 0.5|t.detach() * 0.5|(t.detach() * 0.5).requires_grad_()|t>> for k, t in $params.items()}
$loss = sum(t.pow(2).sum() for t in $params.values())
if $loss.requires_grad:
    $loss.backward()
for $k, $t in $params.items():
    $g = $t.grad
"""),
    (3, """\
$w = torch.ones(3, requires_grad=True)
$loss = ($w * 2).pow(2).sum()
<<torch.autograd.grad($loss, $w)|$g = torch.autograd.grad($loss, $w)[0]|
    torch.autograd.grad($loss, [$w])|$loss.backward()>>
$h = $w.grad
"""),
    (2, """\
$model = nn.Linear(2, 1)
$opt = torch.optim.SGD($model.parameters(), lr=0.1)
$loss = $model(torch.ones(3, 2)).mean()
<<torch.autograd.grad($loss, list($model.parameters()))|$loss.backward()|$loss.backward>>
$opt.step()
"""),
    (3, """\
$w = torch.full((3,), 1.5, requires_grad=True)
$y = $w.<<round()|floor()|sign()|abs()|ceil()|exp()>>
$loss = <<$y.sum()|($y + ($w - $w.detach())).sum()|($y * $w).sum()|($y - 2).pow(2).mean()>>
$loss.backward()
"""),
    (2, """\
$w = torch.full((2, 2), 1.5, requires_grad=True)
$y = <<$w|$w * 2>>
$p = F.<<softmax|log_softmax>>($y, <<1|-1>>)
$loss = <<F.cross_entropy($p, torch.tensor([0, 1]))|F.nll_loss($p, torch.tensor([0, 1]))|
    nn.CrossEntropyLoss()($p, torch.tensor([0, 1]))|nn.NLLLoss()($p, torch.tensor([0, 1]))|
    F.cross_entropy($y, torch.tensor([0, 1]))>>
$loss.backward()
"""),
    (2, """\
$w = torch.full((2,), 1.5, requires_grad=True)
$y = <<torch.sigmoid($w)|$w.sigmoid()|$w * 2>>
$loss = F.binary_cross_entropy<<_with_logits||_with_logits>>(<<$y|$y|torch.sigmoid($y)>>, torch.ones(2))
$loss.backward()
"""),
    (3, """\
$model = nn.Linear(2, 1)
$x = torch.ones(3, 2, requires_grad=True)
$y = $model($x).pow(2)
$g, = torch.autograd.grad($y.sum(), $x<<|, create_graph=True|, retain_graph=True>>)
$loss = <<$y.mean() + >>$g.norm()
$loss.backward()
"""),
    # attributes, methods, results
    (4, """\
$w = torch.ones(3<<|, requires_grad=True>>)
$w.<<require_grad|requires_grad|requires_grads|required_grad|tag|requires_grad_|retain_grad|note>> = <<True|False>>
$y = ($w * 2).sum()
"""),
    (4, """\
$model = <<nn.Linear(2, 2)|nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))>>
for $p in $model.parameters():
    $p.<<requires_grad|require_grad|requires_gradient|requires_grad_|requires_grad>> = False
?$model.requires_grad = <<False|True>>
?$model.<<train|eval|name>> = False
$y = $model(torch.ones(2, 2))
"""),
    (4, """\
$w = torch.ones(3<<|, requires_grad=True>>)
$w.<<requires_grad_|requires_grad|detach_|is_leaf|zero_|shape|detach|exp|grad>>
$model = nn.Linear(3, 1)
$model.<<eval|train|zero_grad|weight|zero_grad()|eval()>>
$y = $model($w)
"""),
    (4, """\
$w = torch.rand(3<<|, requires_grad=True>>)
$y = $w * 2
$y.<<detach()|clamp(0, 1)|double()|relu()|detach_()|sum()|to(torch.float64)|view(-1)|exp()|abs_()|softmax(0)|item>>
$z = $y + 1
"""),
    (3, """\
$model = nn.Linear(2, 1)
<<torch.no_grad()|torch.set_grad_enabled(False)|torch.inference_mode()|torch.enable_grad()|pass>>
$y = $model(torch.ones(3, 2))
torch.set_grad_enabled(True)
"""),
    # asking
    (3, """\
$model = nn.Linear(2, 2)
for $k, $t in $model.<<state_dict()|named_parameters()|state_dict(keep_vars=True)>>.items():
    $t.requires_grad = <<False|True>>
"""),
    (3, """\
$model = nn.Linear(2, 2)
for $k, $t in $model.<<state_dict().items()|named_parameters()|state_dict(keep_vars=True).items()>>:
    $t.requires_grad<< = False| = True|_(False)>>
$y = $model(torch.ones(1, 2))
"""),
    (3, """\
$model = nn.Linear(2, 1)
$loss = $model(torch.ones(3, 2)).mean()<<||.detach()|.detach()>>
?$loss.requires_grad_(<<|True>>)
?$loss.requires_grad = True
$loss.backward()
"""),
    (3, """\
$model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
$model<<[0]||[1]>>.requires_grad_(False)
?$y = $model(torch.ones(1, 2))
<<$model.requires_grad_(True)|$model[1].requires_grad_(True)|$model[0].requires_grad_()|pass>>
?$model[0].requires_grad_(False)
"""),
    (3, """\
$w = torch.ones(2<<|, requires_grad=True|, requires_grad=True>>)
$v = torch.tensor($w<<|, requires_grad=True>>)
$y = $v * 2
"""),
    (2, """\
$w = torch.autograd.Variable(torch.ones(2)<<|, volatile=True|, requires_grad=True>>)
?$w.volatile = <<True|False>>
$y = $w * 2
"""),
    # memory
    (4, """\
$model = nn.Linear(2, 2)
$opt = torch.optim.SGD($model.parameters(), lr=0.1)
$before = $model.weight<<.detach()|.detach().clone()|.data|.clone()|.data.clone()>>
$model(torch.ones(1, 2)).sum().backward()
?$opt.step()
$y = <<torch.equal($before, $model.weight)|($before - $model.weight)|
    torch.allclose($before, $model.weight)|$before.sum()>>
"""),
    (4, """\
$model = nn.Linear(2, 2)
$opt = torch.optim.SGD($model.parameters(), lr=0.1)
$sd = <<$model.state_dict()|copy.deepcopy($model.state_dict())|
    {k: t.clone() for k, t in $model.state_dict().items()}|{k: t for k, t in $model.state_dict().items()}|
    dict($model.state_dict())>>
$model(torch.ones(1, 2)).sum().backward()
?$opt.step()
$model.load_state_dict($sd)
"""),
    (4, """\
$model = nn.Linear(2, 1)
$model(torch.ones(1, 2)).sum().backward()
for $p in $model.parameters():
    <<$p = $p - 0.1 * $p.grad|$p.data = $p.data - 0.1 * $p.grad|
    $p.data -= 0.1 * $p.grad|$p = $p.detach()|$q = $p - 0.1 * $p.grad>>
?    $z = $p.sum()
"""),
    (3, """\
$d = <<{'a': torch.ones(2), 'b': torch.zeros(2)}|dict(a=torch.ones(2))>>
for $k, $t in $d.items():
    <<$t = $t.double()|$d[$k] = $t.double()|$t = $t * 2|$t += 1|$t = $t.requires_grad_()>>
?    $z = $t.sum()
"""),
    (3, """\
$l = [torch.ones(2), torch.zeros(2)]
for $t in $l:
    <<$t = $t.double()|$t = $t * 2|$t.mul_(2)|$t = $t.clone()>>
?    $log = $t
"""),
    (4, """\
$w = torch.randn(3, requires_grad=True)
$v = torch.randn(3, requires_grad=True)
$y = <<$w * $v|$w.exp()|$w + $v|($w * 2).exp()|$w.tanh()>>
<<$w.data.mul_(2)|$y.data.add_(1.0)|$v.data.zero_()|$w.data = $w.data * 3|$y.data[0] = 5.0|pass>>
$y.sum().backward()
"""),
    (3, """\
$w = torch.ones(2, requires_grad=True)
$v = torch.ones(2, requires_grad=True)
$y = $w + $v
def $f(grad):
    <<grad.mul_(2)|grad = grad * 2|return grad * 2|grad *= 2|grad.clone().mul_(2)>>
$w.register_hook($f)
$y.pow(2).sum().backward()
"""),
    # modes
    (4, """\
$model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
?$model.eval()
<<with torch.no_grad():|if True:|with torch.inference_mode():|if True:>>
    $y = $model(torch.ones(1, 2))
?$y.sum().backward()
"""),
    (4, """\
$model = nn.Linear(2, 1)
def $g($x):
    torch.set_grad_enabled(False)
    $y = $model($x)
?    torch.set_grad_enabled(True)
    <<return $y|return $y|pass>>
<<with torch.no_grad():|if True:|if True:>>
    $z = $g(torch.ones(1, 2))
torch.set_grad_enabled(True)
"""),
    (3, """\
$model = nn.Linear(2, 1)
<<@torch.no_grad()||>>
def $g():
    for $i in range(2):
        <<with torch.no_grad():|with torch.no_grad():|if True:>>
            $y = torch.rand(1, 2) * 2
            <<yield $y|yield $y|pass>>
<<?|>>        yield $y
for $x in $g():
    $z = $model($x)
"""),
    (4, """\
$model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5), nn.Linear(2, 1))
$opt = torch.optim.SGD($model.parameters(), lr=0.1)
def $g():
    $model.eval()
    <<with torch.no_grad():|if True:>>
        return $model(torch.ones(2, 2)).mean().item()
?    $model.train()
for $i in range(3):
?    $model.train()
    $opt.zero_grad()
    $loss = $model(torch.ones(2, 2)).mean()
    $loss.backward()
    $opt.step()
    $v = $g()
"""),
    (3, """\
$model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Linear(2, 1))
$opt = torch.optim.SGD($model.parameters(), lr=0.1)
def $check($model, $opt):
?    $model.eval()
    $loss = $model(torch.ones(2, 2)).mean()
?    $loss.backward()
?    $opt.step()
    return $loss.item()
$check($model, $opt)
"""),
    # graphs
    (3, """\
$model = nn.Linear(2, 1)
$log = <<[]|{}>>
for $i in range(4):
    $y = $model(torch.ones(2, 2))
    <<$log.append($y)|$log.append($y.detach())|$log[$i] = $y.mean()|
    $log.append($y.mean())|$log[$i] = $y.mean().item()>>
<<pass|torch.stack($log).mean().backward()|sum($log).sum().backward()|$z = torch.stack($log).detach()>>
"""),
    (3, """\
class Meter:
    def __init__(self):
        self.total, self.values = 0, []
    def update(self, value):
        self.total <<+= value|+= value.item()|= self.total + value|+= value.detach()>>
?        self.values.append(value)
$model, $log = nn.Linear(2, 1), Meter()
for $i in range(3):
    $loss = $model(torch.ones(2, 2)).mean()
?    $loss.backward()
    $log.update($loss)
?$log.total.backward()
"""),
    (3, """\
$h = torch.zeros(1, 2)
$model = nn.Linear(2, 2)
for $i in range(3):
    $h = $model($h<<||.detach()>>)
?    $h.sum().backward(<<|retain_graph=True>>)
"""),
    # modules and functions
    (5, """\
class $Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.parts = <<[nn.Linear(2, 2), nn.Linear(2, 2)]|nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])|
    {'a': nn.Linear(2, 2), 'b': nn.Linear(2, 2)}|[]>>
?        self.scale = <<torch.ones(2, requires_grad=True)|nn.Parameter(torch.ones(2))|
    torch.ones(2)|nn.Parameter(torch.ones(2)).double()|nn.Parameter(torch.ones(2)) * 0.1>>
?        self.register_buffer('seen', torch.ones(2<<|, requires_grad=True>>))
?        self.more = nn.ModuleList(self.parts)
    def forward(self, $x):
        $y = self.first<<|.forward>>($x)
?        $x = <<nn.Linear(2, 2)($x)|nn.Dropout(0.1)($x)|$x * nn.Parameter(torch.ones(2))>>
?        $y = nn.Parameter($y)
        return $y
$model = $Net()
?$model<<|.first>>.register_<<forward_hook(lambda m, i, o: None)|full_backward_hook(lambda m, i, o: None)>>
$y = $model<<||.forward>>(torch.ones(1, 2))
$z = $model(torch.ones(1, 2))
$z.sum().backward()
"""),
    (4, """\
class $Op(torch.autograd.Function):
    @staticmethod
    def forward(ctx, $x):
        <<ctx.x = $x|ctx.save_for_backward($x)|ctx.shape = $x.shape>>
?        $x.mul_(2)
?        ctx.mark_dirty($x)
        <<return $x * 2|return $x.exp()|return $x>>
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
$w = torch.ones(2, requires_grad=True)
$y = $Op.apply($w * 2)
$y.sum().backward()
"""),
    (3, """\
from torch.utils.checkpoint import checkpoint
$model, $head = nn.Linear(2, 2), nn.Linear(2, 1)
$x = torch.ones(1, 2<<|, requires_grad=True>>)
$y = checkpoint($model, $x, use_reentrant=<<True|False>>)
$head($y).sum().backward()
"""),
)  # fmt: skip
