"""Every kind of statement and expression is handled, and no program that LibCST parses makes the interpreter raise."""

from __future__ import annotations

import inspect

import libcst as cst
import pytest

from gradlint import linter
from gradlint.interpreter.engine.dispatch import EXPRESSIONS, STATEMENTS

INSIDE = {cst.From, cst.Else, cst.Finally, cst.ExceptHandler, cst.ExceptStarHandler, cst.MatchCase, cst.Annotation}
"""What is run by the statement or expression in which it stands."""


def kinds_of(*bases):
    """The concrete classes of LibCST that derive from these."""
    every = [kind for _, kind in inspect.getmembers(cst, inspect.isclass) if issubclass(kind, bases)]
    return [kind for kind in every if not kind.__name__.startswith("_") and not kind.__name__.startswith("Base")]


@pytest.mark.parametrize("kind", kinds_of(cst.BaseSmallStatement, cst.BaseCompoundStatement, cst.BaseSuite))
def test_every_statement_is_run(kind):
    assert kind in STATEMENTS or kind in INSIDE


@pytest.mark.parametrize("kind", kinds_of(cst.BaseExpression))
def test_every_expression_is_evaluated(kind):
    assert kind in EXPRESSIONS or kind in INSIDE


PROGRAMS = r"""
import torch; x = torch.ones(1); y: int = 1; y: int; pass
from torch import *
from . import *; from .. import a as b; from .c.d import (e, f,)
import a.b.c, a.b as ab
type Pair[T: int, *Ts, **P] = tuple[T, *Ts]
def f[T](x: T, /, y=lambda: 1, *args: *tuple[int], z: "int" = 2, **kw) -> T: return x
class A[T](B, *bases, metaclass=M, key=f(1), **options): x: int = 1; def_ = property(lambda self: self)
try:\n    f()\nexcept* (ValueError, TypeError) as group:\n    raise\nelse:\n    pass\nfinally:\n    del x
try:\n    f()\nexcept:\n    raise ValueError from None
for i in range(3):\n    try:\n        continue\n    finally:\n        break
while True:\n    with a as b, c as (d, *e), f():\n        break\nelse:\n    x = 1
with (open("a") as f, open("b") as g,):\n    pass
async def f():\n    async for x in y:\n        await x\n    else:\n        pass\n    async with a as b:\n        return [i async for i in b if await i]
def f():\n    x = yield\n    y = yield from x\n    yield x, y\n    return (yield)
@decorators[0].of(1)(lambda f: f)\n@(a := f)\ndef g(): ...
@a.b\n@c()\nclass D: ...
def f():\n    global x, y\n    def g():\n        nonlocal z\n        z = 1\n    z = 2\n    del x, (y, [z]), a.b, c[0], c[1:2]
a, (b, *c), [d, [e]] = *x, y = z = 1, 2
a.b, c[0], *d.e = f
for a, *b in c: x[a], y.z = b
for x[0] in y: pass
for x.y in z: pass
x += 1; x -= 1; x *= 1; x /= 1; x //= 1; x %= 1; x **= 1; x @= 1; x &= 1; x |= 1; x ^= 1; x <<= 1; x >>= 1
x.y += 1; x[0] @= 1; x[1:, ..., None] |= y
1 < x <= 2 != y is not None in z not in w == v
-x + +x - ~x; not x; x if y else z; x and y or z; x ** -y; x @ y // z % w << 1 >> 2 & 3 ^ 4 | 5
{**a, "b": c, **{}}; {*a, b}; [*a, *b]; (*a,); (); []; {}
f(*a, b, *c, d=1, **e, **{"f": g}); f(x for x in y); f(a := 1)
f"{x!r:>{width}} {f'{y}'} {z=}" "plain"; b"bytes"[0]; rb"raw" b"more"; u"text" f"{1}"
f"{x:{y:{z}}}"; f"{{}}{'a' 'b'}"; f'{(lambda: 1)()}'
0x_ff + 0b1 + 0o7 + 1_000 + 1e400 + 1.5j + 10**1000
x[1]; x[1:2]; x[::2]; x[..., None, 1:2, *y]; x[()]; x[a := 1]
[x for x in y if z if w for v in x]; {x: y for x, y in z}; {x for x in y}; ((a := x) for x in y)
[[y for y in x] for x in z if (w := x)]
lambda *a, b=1, **c: (a, b, c); lambda: (yield); lambda x, /, y: x
assert x, f"no {y}"; assert (x, y)
match x:\n    case 1 | "a" | None | True | -1 | 1 + 2j: pass\n    case [a, *_, b]: pass\n    case (c, d): pass\n    case [*rest]: pass
match x, y:\n    case {"k": v, A.b: [w], **more} if v: pass\n    case A(1, b=C()) as d: pass\n    case A.B.c: pass\n    case _: pass
match x:\n    case str() | int(): pass\n    case {}: pass\n    case []: pass\n    case ("a" "b"): pass\n    case (1,): pass
if x: pass\nelif y: pass\nelse: pass
if (n := len(x)) > 1: print(n)
def f(x): return f(f(x))
class A:\n    def __getattr__(self, name): return getattr(self, name)\n    def __call__(self): return self()
A = A(); A.a.b.c[0](1)(2).d = 3; A().x = A
x = x; del x; x; x()
super().x; super(A, self).y(1); class_ = super
return_ = exec("1"); eval("1"); globals()["x"] = 1; locals(); vars(x)
print(*(), **{}); print(end=""); int("1" * 10)
def f(a=f, *, b=f, **c): f(a=a, b=b, **c)
x = [x]; x[0] = x; x.append(x)\nfor y in x: x = y
while x: x = x.x
class A(A): pass
class A:\n    class B:\n        class C(A):\n            x = 1\n            def f(self): return __class__
import torch\nwith torch.no_grad: x = 1\nwith torch.no_grad() as a, torch.set_grad_enabled(x): pass
import torch\nx = torch.ones(1, 2, *y, **z); x.a.b(x).c += x; x[x] = x[x > 0] = x
import torch\nx = torch.zeros(); x = torch.zeros(None, dtype=x); x.view(x, x).add_(); x.requires_grad_(1, 2, 3)
import torch\nfrom torch import nn\nclass M(nn.Module):\n    def forward(self): return self(self)\nm = M(); m(m); m.m = m; m()
import torch\nx = torch.nn.Linear(); x = torch.nn.Sequential(x, *x, x=x); x(x, x)[0](x); x[0:1][1]; x["a"]
import torch\noptimizer = torch.optim.SGD([x], [y]); optimizer.step(optimizer); optimizer.param_groups[0]["params"][0].grad
import contextlib\n@contextlib.contextmanager\ndef a():\n    with a():\n        yield a()\nwith a() as b, a():\n    b()
import contextlib\n@contextlib.contextmanager\ndef a():\n    return 1\n    yield\nwith a():\n    x = 1
async def a(): return await a()\nawait a()
__name__; __file__; __debug__; ...; NotImplemented; _
Tree = dict[str, "int | Tree"]\ndef f(x: Tree): return x\nPair = tuple["Pair", "Twin"]; Twin = list[Pair]\ndef g(x: Pair): g(x[0])
def f(x):\n    raise x\nx = {f(1): f(2), **f(3)}; y = [f(x), *f(x)]; z = f(f(1), *f(2), **f(3))
""".strip().splitlines()

NEWER = """
{**x for x in y}; [*x for x in y]; {*x for x in y}; (*x for x in y)
lazy import a.b as c, d; lazy from a import (b as c, d); lazy from . import e
""".strip().splitlines()
"""What only a LibCST that knows Python 3.15 parses."""


@pytest.mark.parametrize("program", PROGRAMS + (NEWER if hasattr(cst, "StarredDictComp") else []))
def test_no_program_makes_the_interpreter_raise(program):
    linter.analyse(program.replace("\\n", "\n") + "\n", [])
