"""Pieces of programs with a body to be written: modes, branches, loops, handlers, functions."""

from __future__ import annotations

BLOCKS = """
4
with torch.no_grad():
    <body>

2
with <mode>:
    <body>

1
with torch.autocast('cpu', dtype=torch.bfloat16), <mode>:
    <body>

3
if <cond>:
    <body>

3
if <cond>:
    <body>
else:
    <body>

1
if <t>.requires_grad:
    <body>
elif <cond>:
    <body>
else:
    <body>

1
if <leaf>.grad is not None:
    <body>

1
if <t>.is_leaf and not <t1>.requires_grad:
    <body>
else:
    <body>

4
for <new> in range(2):
    <body>

2
for <new> in <l>:
    <body>

1
for <new>, <new1> in <d>.items():
    <body>

1
for <new> in <m>.parameters():
    <body>

1
for <new>, <new1> in enumerate(<l>):
    <body>
else:
    <new2> = <like <x>>

1
for <new>, <new1> in zip(<l>, [<f>, <f1>]):
    <body>

1
for <new> in range(3):
    if <new> == 1:
        continue
    <body>
    if random.random() < 0.3:
        break

1
while random.random() < 0.4:
    <body>

1
<new> = 0
while <new> < 2:
    <new> += 1
    <body>
else:
    <new1> = <like <x>>

1
try:
    <body>
    print(<x>.gradient)
except (AttributeError, RuntimeError) as error:
    print(error)

1
try:
    <body>
finally:
    torch.set_grad_enabled(True)

1
try:
    <body>
    if <cond>:
        raise ValueError('stop')
except (ValueError, KeyError):
    <body>
else:
    <body>
finally:
    <new> = <like <x>>

2
def <new>(value):
    <body>
    return <like value>
<new1> = <new>(<f>)

1
@<dec>
def <new>(value, other=None):
    <body>
    return value
<new1> = <new>(<f>, <f1>)

1
def <new>(first, second):
    <body>
    return first <sign> second, first
<new1>, <new2> = <new>(<x>, <x1>)

1
match len(<l>):
    case 1:
        <body>
    case 2 | 3:
        <body>
    case _:
        <body>
"""
