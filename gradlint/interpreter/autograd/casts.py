"""Casts: `to(...)` and the like give the same tensor, or a copy of another kind that autograd follows."""

from __future__ import annotations

from gradlint.domain.facts import ANY_DEVICE, ANY_DTYPE, Dtypes
from gradlint.domain.objects import Tensor
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import Constant, ImportPath, PlainObject, PythonNumber, Value
from gradlint.interpreter.autograd.compute import apply
from gradlint.interpreter.autograd.results import Requested
from gradlint.interpreter.autograd.tensor import device_asked, dtype_named, precision_named
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site


def cast(m: Interpreter, node: Site, owner: Value, requested: Requested, method: str = "to") -> Value:
    """`to(...)`: the same object where nothing has to change, else a copy that autograd follows."""
    row = m.torch.operations[f"torch.Tensor.{method}"]
    return apply(m, node, row, [("input", owner)], requested)


def to(m: Interpreter, node: Site, owner: Value, args: Arguments, chain: str) -> Value:
    tensor = m.only(owner, Tensor)
    own = tensor.dtype if tensor else ANY_DTYPE
    values = [*args.positional, *(v for k, v in args.keywords.items() if k in ("dtype", "other", "device"))]
    device = next((found for value in values if (found := device_asked(m, value)) is not None), None)
    if args.unknown or args.keywords.keys() & COPYING or len(args.positional) > MOST_ASKED:
        device = ANY_DEVICE
    for value in values:
        kind = _target(m, value, own)
        if kind is not None:
            return cast(m, node, owner, Requested(kind, precision_named(value), device))
    return cast(m, node, owner, Requested(device=device))


COPYING = frozenset({"copy", "memory_format"})
"""The arguments of `to` that make it copy though nothing else changes."""
MOST_ASKED = 2
"""A third argument may say that `to` is to copy."""


def _target(m: Interpreter, value: Value, own: Dtypes) -> Dtypes | None:
    """The kind in an argument of `to`; None where it is a device or a flag."""
    dtype = dtype_named(value)
    if dtype is not None:
        return dtype
    other = m.only(value, Tensor)
    if other is not None:
        return other.dtype
    if all(
        type(o) in (Constant, PythonNumber) or (type(o) is PlainObject and o.kind != "dtype")
        for o in alternatives(value)
    ):
        return None
    if type(value) is ImportPath and value.path.startswith("torch.device"):
        return None
    return own | ANY_DTYPE
