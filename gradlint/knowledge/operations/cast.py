"""Casts to another dtype or device, and to Python."""

from __future__ import annotations

from gradlint.knowledge.schema import Operation, Result

ROWS = (
    Operation(
        "float",
        ("torch.Tensor.float",),
        results=(Result("self or fresh", dtype="float", precision="float32"),),
        others=("x if f(t := f(x)) is t else t",),
    ),
    Operation(
        "double",
        ("torch.Tensor.double",),
        results=(Result("self or fresh", dtype="float", precision="float64"),),
        others=("x if f(t := f(x)) is t else t",),
    ),
    Operation(
        "half",
        ("torch.Tensor.half",),
        results=(Result("self or fresh", dtype="float", precision="float16"),),
        others=("x if f(t := f(x)) is t else t",),
    ),
    Operation(
        "bfloat16",
        ("torch.Tensor.bfloat16",),
        results=(Result("self or fresh", dtype="float", precision="bfloat16"),),
        others=("x if f(t := f(x)) is t else t",),
    ),
    Operation(
        "long",
        ("torch.Tensor.long",),
        results=(Result("self or fresh", dtype="integer", differentiable=False),),
        others=("x if f(t := f(x)) is t else t",),
    ),
    Operation(
        "int",
        ("torch.Tensor.int",),
        results=(Result("self or fresh", dtype="integer", differentiable=False),),
        others=("x if f(t := f(x)) is t else t",),
    ),
    Operation(
        "short",
        ("torch.Tensor.short",),
        results=(Result("self or fresh", dtype="integer", differentiable=False),),
        others=("x if f(t := f(x)) is t else t",),
    ),
    Operation(
        "char",
        ("torch.Tensor.char",),
        results=(Result("self or fresh", dtype="integer", differentiable=False),),
        others=("x if f(t := f(x)) is t else t",),
    ),
    Operation(
        "byte",
        ("torch.Tensor.byte",),
        results=(Result("self or fresh", dtype="integer", differentiable=False),),
        others=("x if f(t := f(x)) is t else t",),
    ),
    Operation(
        "bool",
        ("torch.Tensor.bool",),
        results=(Result("self or fresh", dtype="bool", differentiable=False),),
        others=("x if f(t := f(x)) is t else t",),
    ),
    Operation(
        "cfloat",
        ("torch.Tensor.cfloat",),
        results=(Result("self or fresh", dtype="complex"),),
        others=("x if f(t := f(x)) is t else t",),
    ),
    Operation(
        "cdouble",
        ("torch.Tensor.cdouble",),
        results=(Result("self or fresh", dtype="complex"),),
        others=("x if f(t := f(x)) is t else t",),
    ),
    Operation(
        "chalf",
        ("torch.Tensor.chalf",),
        results=(Result("self or fresh", dtype="complex"),),
        others=("x if f(t := f(x)) is t else t",),
    ),
    Operation(
        "to",
        ("torch.Tensor.to",),
        parameters=("input", "target"),
        results=(Result("self or fresh"),),
        takes_dtype=True,
        others=("f(x, copy=True)",),
    ),
    Operation(
        "type",
        ("torch.Tensor.type",),
        parameters=("input", "dtype"),
        example="f(x, x.dtype)",
        results=(Result("self or fresh"),),
        others=("f(x, torch.float16 if x.is_floating_point() else x.dtype)",),
    ),
    Operation(
        "type_as",
        ("torch.Tensor.type_as",),
        parameters=("input", "other"),
        operands=("input", "other"),
        example="f(x, y)",
        results=(Result("self or fresh", dtype="second"),),
        ignores=("other",),
    ),
    Operation("cpu", ("torch.Tensor.cpu",), results=(Result("self or fresh"),), measured=False),
    Operation(
        "cuda",
        ("torch.Tensor.cuda",),
        parameters=("input", "device", "non_blocking"),
        results=(Result("self or fresh"),),
        measured=False,
    ),
    Operation("item", ("torch.Tensor.item",), example="f(x[0, 0])", results=(Result("number", differentiable=False),)),
    Operation("tolist", ("torch.Tensor.tolist",), results=(Result("list", differentiable=False),)),
)
