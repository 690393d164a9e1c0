"""Situations of training, written like those of `situations`."""

from __future__ import annotations

TRAINING: tuple[tuple[int, str], ...] = (
    (10, """\
$model = <<nn.Linear(2, 1)|nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))|
    nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5), nn.Linear(4, 1))>>
$opt = torch.optim.<<SGD($model.parameters(), lr=0.1)|Adam($model.parameters())|
    SGD($model.parameters(), lr=0.1, momentum=0.9)>>
?$sched = torch.optim.lr_scheduler.StepLR($opt, <<1|2>>)
$x = torch.ones(4, 2)
$total, $log = 0, []
for $i in range(<<3|4>>):
    $opt.zero_grad<<()|()|()|()|(set_to_none=False)|>>
    $loss = $model($x).pow(2).mean()
    $loss.backward<<()|()|()|()|(retain_graph=True)|(create_graph=True)|>>
?    <<nn.utils|torch.nn.utils>>.clip_grad_norm_($model.parameters(), <<1.0|0.1>>)
    $opt.step<<()|()|()|()|>>
?    $sched.step()
?    $total <<+=|+=|= $total +>> $loss<<||.item()|.detach()>>
?    $log.append($loss<<||.item()|.detach()>>)
"""),
    (4, """\
$model = nn.Linear(2, 1)
$opt = torch.optim.SGD($model.parameters(), lr=0.1)
$x = torch.ones(4, 2)
for $i in range(4):
<<?|>>    $opt.zero_grad()
    $loss = $model($x).pow(2).mean() / 2
    $loss.backward()
    if ($i + 1) % 2 == 0:
        $opt.step()
<<?|>>        $opt.zero_grad()
"""),
    (4, """\
$model, $head = nn.Linear(2, 2), nn.Linear(2, 1)
$opt = torch.optim.SGD(<<$model.parameters()|[*$model.parameters(), *$head.parameters()]|$head.parameters()>>, lr=0.1)
?<<$model|$head>>.requires_grad_(False)
for $i in range(2):
    $opt.zero_grad()
    $y = $model(torch.ones(3, 2))<<||.detach()>>
    $loss = $head($y).mean()
    $loss.backward()
    $opt.step()
"""),
    (3, """\
$model, $head = nn.Linear(2, 2), nn.Linear(2, 1)
$opt = torch.optim.SGD($model.parameters(), lr=0.1)
$other = torch.optim.SGD($head.parameters(), lr=0.1)
for $i in range(2):
    $y = $model(torch.ones(3, 2))
    $other.zero_grad()
    $loss = $head($y<<||.detach()>>).mean()
    $loss.backward(<<|retain_graph=True>>)
    $other.step()
    $opt.zero_grad()
    $z = $head($model(torch.ones(3, 2))).pow(2).mean()
    $z.backward()
    $opt.step()
"""),
    (3, """\
$model = nn.Linear(2, 1)
$opt = torch.optim.SGD($model.parameters(), lr=0.1)
$scaler = torch.amp.GradScaler('cpu')
for $i in range(2):
    $opt.zero_grad()
    $loss = $model(torch.ones(3, 2)).mean()
    $scaler.scale($loss).backward()
?    $scaler.unscale_($opt)
    nn.utils.clip_grad_norm_($model.parameters(), 1.0)
    $scaler.step($opt)
    $scaler.update()
"""),
    (3, """\
$w = torch.ones(3, requires_grad=True)
for $i in range(3):
    $loss = ($w * 2 - 1).pow(2).sum()
    $loss.backward()
    with torch.no_grad():
        $w -= 0.1 * $w.grad
    <<$w.grad = None|$w.grad.zero_()|pass>>
"""),
    (3, """\
$model = nn.Linear(2, 1)
$params = <<$model.parameters()|list($model.parameters())|$model.parameters()>>
$opt = torch.optim.SGD(<<$params|$model.parameters()|$params>>, lr=0.1)
for $i in range(2):
    $opt.zero_grad()
    $model(torch.ones(3, 2)).mean().backward()
    <<nn.utils.clip_grad_norm_($params, 1.0)|nn.utils.clip_grad_value_($params, 1.0)|pass>>
    $opt.step()
"""),
    (3, """\
$model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
$opt = torch.optim.SGD($model.parameters(), lr=0.1)
<<$model[1] = nn.Linear(2, 1)|$model[0].weight = nn.Parameter(torch.ones(2, 2))|$model[1].bias = None|pass>>
?$opt = torch.optim.SGD($model.parameters(), lr=0.1)
$model(torch.ones(3, 2)).mean().backward()
$opt.step()
"""),
    (3, """\
$w = torch.zeros(2<<|, requires_grad=True>>)
$v = torch.ones(2, requires_grad=True)
?$w.requires_grad_()
$opt = torch.optim.SGD([$w, $v], lr=0.1)
($w * $v).sum().backward()
$opt.step()
"""),
    (4, """\
$model = nn.Linear(2, 1)
$opt = torch.optim.SGD($model.parameters(), lr=0.1)
$sched = torch.optim.lr_scheduler.StepLR($opt, 1)
for $i in range(3):
    $opt.zero_grad()
<<?|>>    nn.utils.clip_grad_norm_($model.parameters(), 1.0)
<<?|>>    $sched.step()
    $loss = $model(torch.ones(2, 2)).mean()
    $loss.backward()
    $opt.step()
<<?|?|>>    nn.utils.clip_grad_norm_($model.parameters(), 1.0)
?    $sched.step()
"""),
    (4, """\
$model = nn.Linear(2, 1)
$opt = torch.optim.<<SGD($model.parameters(), lr=0.1)|Adam($model.parameters())>>
for $i in range(3):
<<?|>>    $opt.zero_grad()
<<?|?|>>    $opt.step()
    $loss = $model(torch.ones(2, 2)).mean()
<<||?>>    $loss.backward()
<<?|?|?|>>    $opt.zero_grad()
<<?|>>    $opt.step()
"""),
    (3, """\
$model, $head = nn.Linear(2, 2), nn.Linear(2, 1)
$opt = torch.optim.SGD([*$model.parameters(), *$head.parameters()], lr=0.1)
for $i in range(2):
    $opt.zero_grad()
    <<with torch.no_grad():|with torch.no_grad():|if True:>>
        $y = $model(torch.ones(3, 2))
    $loss = $head($y<<||.detach()>>).mean()
    $loss.backward()
    $opt.step()
"""),
    (3, """\
$w = torch.ones(3, requires_grad=True)
$y = $w * 2
<<?|>>$y.retain_grad()
$y.sum().backward()
<<?|>>$y.retain_grad()
$g = $y.grad
"""),
    (3, """\
$w, $v = torch.ones(2, requires_grad=True), torch.zeros(1, requires_grad=True)
for $i in range(3):
    $loss = ($w * torch.rand(2)).sum() + $v.sum()
    $loss.backward()
<<?|>>    $w.data -= 0.1 * $w.grad
    with torch.no_grad():
        $v.sub_(0.1 * $v.grad)
?    $w.grad = None
?    $v.grad = None
"""),
)  # fmt: skip
