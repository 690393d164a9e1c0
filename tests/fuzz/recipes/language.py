"""Pieces of programs that use Python as people do: functions, classes, iterators, patterns."""

from __future__ import annotations

RECIPES = """
1
def <new>(*values, scale=1.0, **others):
    total = sum(values)
    for key, value in others.items():
        total = total + <like value>
    return total * scale
<new1> = <new>(<x>, <x1>, scale=2.0)
<new2> = <new>(*[<x>, <x1>], **{'more': <x2>, 'scale': 0.5})

1
def <new>(start):
    held = <like start>
    def step(value):
        nonlocal held
        held = held + value
        return <like held>
    return step
<new1> = <new>(<x>)
<new2> = <new1>(<x1>)
<new3> = <new1>(<x2>)

1
<new> = <x>
def <new1>(value):
    global <new>
    <new> = <new> + value
    return <like <new>>
<new2> = <new1>(<x1>)

1
def <new>(values):
    for value in values:
        yield <like value>
<new1> = list(<new>([<x>, <x1>]))
<new2> = <new>([<x>])
<new3> = next(<new2>)
<new4> = [each.sum() for each in <new2>]

1
def <new>(values):
    yield from (<like value> for value in values)
    yield values[0]
<new1> = sum(each.mean() for each in <new>([<x>, <x1>]))
<new2> = {number: each for number, each in enumerate(<new>([<x>, <x1>]))}

1
@torch.no_grad()
def <new>(values):
    for value in values:
        yield <like value>
for <new1> in <new>([<x>, <x1>]):
    <new2> = <like <new1>>
<new3> = list(<new>([<x>]))

1
import asyncio
async def <new>(value):
    await asyncio.sleep(0)
    return <like value>
async def <new1>(first, second):
    one = await <new>(first)
    both = await asyncio.gather(<new>(one), <new>(second))
    return both[0] + both[1]
<new2> = asyncio.run(<new1>(<x>, <x1>))

1
import asyncio
import contextlib
async def <new>(values):
    for value in values:
        yield <like value>
@contextlib.asynccontextmanager
async def <new1>():
    with torch.no_grad():
        yield
async def <new2>():
    out = []
    async for value in <new>([<x>, <x1>]):
        out.append(value)
    async with <new1>():
        out.append(<like out[0]>)
    return out + [each async for each in <new>([<x>])]
<new3> = asyncio.run(<new2>())

1
import contextlib
@contextlib.contextmanager
def <new>(enabled):
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(enabled)
    try:
        yield before
    finally:
        torch.set_grad_enabled(before)
with <new>(False) as <new1>:
    <new2> = <like <x>>
<new3> = <like <x>>

1
class <new>:
    def __enter__(self):
        self.before = torch.is_grad_enabled()
        torch.set_grad_enabled(False)
        return self
    def __exit__(self, *error):
        torch.set_grad_enabled(self.before)
with <new>() as <new1>:
    <new2> = <like <x>>
<new3> = <like <x>>

1
from dataclasses import dataclass, field
@dataclass
class <new>:
    weight: torch.Tensor
    bias: torch.Tensor = field(default_factory=lambda: torch.zeros(2, 2))
    steps: int = 0
    def apply(self, x):
        self.steps += 1
        return <like x @ self.weight> + self.bias
<new1> = <new>(<x>)
<new2> = <new1>.apply(<x1>)
<new3> = <new>(<x>, bias=<x1>).bias

1
from typing import NamedTuple
class <new>(NamedTuple):
    loss: torch.Tensor
    value: torch.Tensor
    note: str = 'none'
<new1> = <new>(<loss <x>>, <x1>)
<new2> = <new1>.loss
<new3>, <new4>, _ = <new1>

1
from collections import namedtuple
<new> = namedtuple('<new>', ['first', 'second'])
<new1> = <new>(<x>, second=<x1>)
<new2> = <new1>.first <sign> <new1>.second
<new3> = <new1>._replace(first=<new2>)

1
class <new>:
    count = 0
    def __init__(self, weight):
        self.weight = weight
        self.history = []
    @property
    def half(self):
        return self.weight / 2
    @staticmethod
    def scaled(value, by=2.0):
        return <like value> * by
    @classmethod
    def of(cls, value):
        cls.count += 1
        return cls(<like value>)
    def __call__(self, value):
        out = <like self.weight> + value
        self.history.append(out.detach())
        return out
    def __getitem__(self, index):
        return self.weight[index]
    def __len__(self):
        return len(self.history)
<new1> = <new>.of(<x>)
<new2> = <new1>(<x1>)
<new3> = <new1>.half
<new4> = <new>.scaled(<x2>)
<new5> = <new1>[0]
<new6> = len(<new1>)

1
class <new>:
    def __init__(self, value):
        self.value = value
    def __add__(self, other):
        return <new>(self.value + other.value)
    def __mul__(self, by):
        return <new>(<like self.value> * by)
    def __iter__(self):
        return iter([self.value, self.value])
class <new1>(<new>):
    def __init__(self, value):
        super().__init__(<like value>)
        self.extra = value
<new2> = <new>(<x>) + <new1>(<x1>)
<new3> = (<new2> * 2).value
<new4>, <new5> = <new2>

1
<new> = lambda value, by=2.0, *rest: <like value> * by
<new1> = <new>(<x>)
<new2> = list(map(<new>, [<x>, <x1>]))
<new3> = sorted([<x>, <x1>], key=lambda value: float(value.detach().sum()))[0]

1
if (<new> := <loss <x>>) is not None and <new>.requires_grad:
    <new1> = <like <x>>
elif not (<x>.requires_grad or <x1>.requires_grad):
    <new2> = <like <x1>>
<new3> = (<new4> := <like <x>>) + <new4>

1
<new> = {'a': {'b': [<x>, <x1>]}, 'c': (<x2>, 'text', 1, None, 2.5, ...)}
<new>['a']['b'].append(<like <x>>)
<new1>, *<new2> = <new>['a']['b']
<new3> = {key: value for key, value in <new>.items() if key != 'c'}
<new4> = [each for part in <new>['a'].values() for each in part]
<new5> = {**<new3>, 'd': <x2>}
<new6> = [*<new4>, <new5>['d']]

1
<new> = OrderedDict()
for <new1> in ('one', 'two'):
    <new>[<new1>] = <like <x>>
<new2> = <new>.pop('one')
<new3> = list(<new>.values())
<new4> = {len(name) for name in <new>}
<new5> = <new>.get('none', <x1>)
<new6> = <new>.setdefault('three', <x1>)

1
from collections import defaultdict
<new> = defaultdict(list)
for <new1> in range(3):
    <new>['even' if <new1> % 2 == 0 else 'odd'].append(<like <x>>)
<new2> = torch.stack(<new>['even']).sum()

1
from itertools import chain, islice, zip_longest
from functools import partial, reduce
<new> = reduce(lambda a, b: a + b, [<x>, <x1>, <x2>])
<new1> = partial(torch.add, <x>)
<new2> = <new1>(<x1>)
<new3> = [each * 2 for each in chain([<x>], islice([<x1>, <x2>], 1))]
<new4> = [a for a, b in zip_longest([<x>, <x1>], [None])]

1
match {'kind': 'loss', 'value': <x>}:
    case {'kind': 'loss', 'value': torch.Tensor() as <new>}:
        <new1> = <loss <new>>
    case {'kind': str(), **<new2>}:
        <new1> = None
    case _:
        <new1> = None

1
match [<x>, <x1>, <x2>]:
    case []:
        <new> = None
    case [<new1>, *<new2>] if len(<new2>) > 1:
        <new> = <like <new1>>
    case (<new1>, <new2>) | [<new1>, <new2>, _]:
        <new> = <new1>

1
def <new>(value, mode):
    match mode:
        case 'train' | 'fit':
            return <like value>
        case None:
            return value.detach()
        case -1 | 1.5:
            return value
    raise ValueError(f'no {mode!r} mode')
<new1> = <new>(<x>, 'train')
<new2> = <new>(<x>, None)
try:
    <new3> = <new>(<x>, 'other')
except ValueError as error:
    <new3> = str(error) + 'b' 'c'

1
def <new>(value: torch.Tensor, times: int = 2) -> torch.Tensor:
    '''Again and again.'''
    assert value.ndim == 2, f'not {value.ndim}'
    if times == 0:
        return value
    return <new>(<like value>, times - 1)
<new1> = <new>(<x>)
<new2>: torch.Tensor = <new>(<x1>, times=1)

1
def <new>(value):
    try:
        return <like value>
    finally:
        value = None
def <new1>(value):
    try:
        raise RuntimeError('no')
    except (RuntimeError, KeyError) as error:
        raise ValueError('not at all') from error
    else:
        return value
<new2> = <new>(<x>)
try:
    <new1>(<x>)
except ValueError:
    <new3> = <like <x>>

1
try:
    raise ExceptionGroup('several', [ValueError('one'), KeyError('two')])
except* ValueError:
    <new> = <like <x>>
except* KeyError as group:
    <new1> = <like <x1>>

1
import functools
def <new>(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        with <mode>:
            return function(*args, **kwargs)
    return wrapped
@<new>
def <new1>(value):
    return <like value>
<new2> = <new1>(<x>)

1
def <new>(mode):
    def decorate(function):
        def inner(value):
            out = function(value)
            return out.detach() if mode == 'off' else out
        return inner
    return decorate
@<new>('off')
def <new1>(value):
    return <like value>
<new2> = <new1>(<x>)
<new3> = <new>('on')(lambda value: value * 2)(<x1>)

1
<new> = [[<x>, <x1>], [<x2>]]
for <new1>, <new2> in enumerate(<new>):
    for <new3> in <new2>:
        if <new3>.requires_grad:
            <new4> = <like <new3>>
            break
    else:
        continue
<new5> = [[each.sum() for each in row] for row in <new>]

1
for <new> in (<x>, <x1>): <new1> = <like <new>>
if <cond>: <new2> = <like <x>>
else: <new2> = <x1>
with torch.no_grad(): <new3> = <like <x>>; <new4> = <like <x1>>

1
<new> = iter([<x>, <x1>, <x2>])
<new1> = next(<new>)
<new2> = list(<new>)
<new3> = next(<new>, None)
<new4>, <new5> = reversed([<x>, <x1>])

1
<new> = (<like each> for each in (<x>, <x1>))
<new1> = list(<new>)
<new2> = list(<new>)

1
import enum
class <new>(enum.Enum):
    TRAIN = 'train'
    EVAL = 'eval'
def <new1>(value, mode):
    if mode is <new>.TRAIN:
        return <like value>
    return value.detach()
<new2> = <new1>(<x>, <new>.TRAIN)
<new3> = <new1>(<x>, <new>.EVAL)

1
<new> = <new1> = <like <x>>
<new>, <new1> = <new1>, <new> * 2
del <new>
(<new2>, [<new3>, *<new4>]) = <x>, [<x1>, <x2>]
<new5> = 1 < 2 <= 3 and 3 not in (1, 2) or not None
<new6> = <x>[..., None, 0:1], 2j, -1, ~1, 'text'
<new7> = {1, 2, *range(3)}
pass

1
class <new>:
    def __getattr__(self, name):
        return getattr(<x>, name)
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
<new1> = <new>()
<new1>.held = <x1>
<new2> = <new1>.held
setattr(<new1>, 'other', <like <x1>>)
<new3> = getattr(<new1>, 'other')
<new4> = hasattr(<new1>, 'held') and isinstance(<new3>, torch.Tensor)
"""
