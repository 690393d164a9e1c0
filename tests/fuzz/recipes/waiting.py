"""Pieces of programs with code that waits: generators, what is computed when it is asked, managers around blocks."""

from __future__ import annotations

BLOCKS = """
1
class <new>:
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        return kind is not None and <cond>
with <new>():
    <body>

1
from contextlib import contextmanager
@contextmanager
def <new>(module):
    module.requires_grad_(False)
    try:
        yield module
    finally:
        module.requires_grad_(True)
with <new>(<m>):
    <body>

1
from contextlib import ExitStack
with ExitStack() as <new>:
    if <cond>:
        <new>.enter_context(<mode>)
    <body>

1
def <new>(values):
    for value in values:
        with <mode>:
            yield <like value>
for <new1> in <new>([<x>, <x1>]):
    <body>
"""

RECIPES = """
1
<new> = (<like value> for value in [<x>, <x1>])
with <mode>:
    <new1> = next(<new>)
<new2> = list(<new>)

1
with <mode>:
    <new> = map(lambda value: <like value>, [<x>, <x1>])
<new1> = list(<new>)

1
with <mode>:
    <new> = zip((<like value> for value in [<x>, <x1>]), [<x2>, <x>])
for <new1>, <new2> in <new>:
    <new3> = <new1> * <new2>

1
def <new>(values):
    for value in values:
        yield <like value>
<new1> = <new>([<x>, <x1>])
with <mode>:
    for <new2> in <new1>:
        <new3> = <like <new2>>

1
<new> = nn.Linear(2, 2)
<new1> = filter(lambda p: p.requires_grad, <new>.parameters())
<new>.bias.requires_grad_(<cond>)
<new2> = <opt <new1>>
<loss <new>(torch.randn(3, 2))>.backward()
<new2>.step()

1
def <new>(optimizer, count):
    for _ in range(count):
        optimizer.zero_grad()
        yield torch.randn(3, 2)
<new1> = nn.Linear(2, 2)
<new2> = <opt <new1>.parameters()>
for <new3> in <new>(<new2>, 3):
    <loss <new1>(<new3>)>.backward()
    <new2>.step()

1
def <new>(module):
    for part in module.parameters():
        part.requires_grad_(False)
        yield part
        part.requires_grad_(True)
<new1> = nn.Linear(2, 2)
for <new2> in <new>(<new1>):
    <new3> = <loss <new1>(torch.randn(3, 2))>
    if <cond>:
        break

1
<new> = torch.randn(2, 2, requires_grad=True)
<new1> = (<like <new>> * scale for scale in (1.0, 2.0))
if <cond>:
    <new>.requires_grad_(False)
<new2> = [value for value in <new1>]

1
<new> = [<x>, <x1>]
<new1> = (<like value> for value in <new> if value.requires_grad)
<new>[0] = <x2>.detach()
<new2> = list(<new1>)

1
def <new>(value):
    while True:
        given = yield <like value>
        value = value if given is None else given
<new1> = <new>(<x>)
<new2> = next(<new1>)
<new3> = <new1>.send(<x1>)

1
class <new>:
    def __init__(self, tensors):
        self.tensors, self.at = tensors, 0
    def __iter__(self):
        return self
    def __next__(self):
        if self.at >= len(self.tensors):
            raise StopIteration
        self.at += 1
        return <like self.tensors[self.at - 1]>
<new1> = <new>([<x>, <x1>])
<new2> = next(<new1>)
with <mode>:
    for <new3> in <new1>:
        <new4> = <like <new3>>

1
<new> = nn.Linear(2, 2)
<new1> = (p.grad for p in <new>.parameters())
<loss <new>(torch.randn(3, 2))>.backward()
<new2> = [gradient for gradient in <new1> if gradient is not None]
"""
