"""Pieces of programs that go over short sequences of known elements, and do something else for one of them."""

from __future__ import annotations

RECIPES = """
1
for <new>, <new1> in (('a', <x>), ('b', <x1>), ('c', <x2>)):
    if <new> == 'b':
        <new2> = <new1>.detach()
    else:
        <new2> = <like <new1>>

1
<new> = {'kept': <x>, 'left': <x1>}
for <new1>, <new2> in <new>.items():
    <new>[<new1>] = <like <new2>> if <new1> == 'kept' else <new2>.detach()
<new3> = sum(<loss each> for each in <new>.values())
<new4> = {name: each.requires_grad for name, each in <new>.items()}

1
<new> = nn.ModuleList([nn.Linear(2, 2), <layer>, nn.Linear(2, 2)])
<new1> = torch.randn(3, 2)
for <new2>, <new3> in enumerate(<new>):
    <new1> = <new3>(<new1>)
    if <new2> == 0:
        <new1> = <new1>.detach()
<loss <new1>>.backward()
<new4> = [layer.weight.grad for layer in <new> if isinstance(layer, nn.Linear)]

1
<new> = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)])
for <new1>, <new2> in zip(<new>, (True, False, <cond>)):
    <new1>.requires_grad_(<new2>)
<new3> = [p for layer in <new> for p in layer.parameters() if p.requires_grad]
<new4> = torch.optim.SGD(<new3>, lr=0.1)
<loss <new>[0](<new>[1](torch.randn(3, 2)))>.backward()
<new4>.step()

1
<new> = nn.ModuleDict({'one': nn.Linear(2, 2), 'two': nn.Linear(2, 2)})
for <new1>, <new2> in <new>.items():
    if <new1> in ('two', 'three'):
        for <new3> in <new2>.parameters():
            <new3>.requires_grad = False
<new4> = {name: layer(<x>) for name, layer in <new>.items()}
<loss <new4>['one'] + <new4>['two']>.backward()

1
<new> = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
for <new1>, <new2> in <new>.named_children():
    if <new1> == '0':
        <new2>.weight.requires_grad_(False)
for <new3>, <new4> in <new>.named_parameters():
    if '2.' in <new3>:
        <new4>.requires_grad_(<new3> == '2.bias')
<loss <new>(torch.randn(3, 2))>.backward()

1
<new> = [<x>, <x1>.detach(), torch.ones(2, 2)]
for <new1> in range(len(<new>)):
    <new>[<new1>] = <new>[<new1>].detach().requires_grad_(<new1> != 1)
<new2> = sum(<loss each> for each in <new>)
<new2>.backward()
while <new>:
    <new3> = <new>.pop()
    <new4> = <new3>.grad

1
def <new>(*values, **named):
    total = 0
    for value in values:
        total = total + <loss value>
    for name, value in named.items():
        if name != 'weight':
            total = total + <loss value>
    return total
<new1> = <new>(<x>, <x1>, weight=<x2>)
<new2> = <new>(<x1>, other=<x>)

1
for <new> in (0, 1):
    for <new1>, <new2> in enumerate([<x>, <x1>]):
        if <new> == <new1>:
            continue
        with torch.set_grad_enabled(<new> == 1):
            <new3> = <like <new2>>

1
<new> = [torch.randn(2, 2, requires_grad=flag) for flag in (True, False)]
<new1> = [<like each> for number, each in enumerate(<new>) if number < 1 or <cond>]
<new2>, *<new3> = [each.detach() if each.is_leaf else each for each in (*<new>, *<new1>)]
for <new4> in reversed(<new>):
    <new4>.requires_grad_()

1
<new> = {name: torch.zeros(2, 2) for name in ('w', 'b')}
for <new1> in sorted(<new>):
    <new>[<new1>].requires_grad_(<new1>.startswith('w'))
<new2> = torch.optim.SGD([{'params': [each]} for each in <new>.values() if each.requires_grad], lr=0.1)
<loss <new>['w'] + <new>['b']>.backward()
<new2>.step()
"""
