"""Context managers and decorators that set the grad mode, and the names of dtypes."""

from __future__ import annotations

from gradlint.knowledge.schema import ContextRow

ROWS = (
    ContextRow(("torch.no_grad", "torch.autograd.no_grad", "torch.autograd.grad_mode.no_grad"), "off"),
    ContextRow(("torch.enable_grad", "torch.autograd.enable_grad", "torch.autograd.grad_mode.enable_grad"), "on"),
    ContextRow(
        ("torch.inference_mode", "torch.autograd.inference_mode", "torch.autograd.grad_mode.inference_mode"),
        "inference",
    ),
    ContextRow(
        ("torch.set_grad_enabled", "torch.autograd.set_grad_enabled", "torch.autograd.grad_mode.set_grad_enabled"),
        "argument",
        on_call=True,
        bare_decorator=False,
    ),
)

KIND_OF_DTYPE: dict[str, str] = {
    "torch.bool": "b",
    **dict.fromkeys(
        (
            "torch.uint8",
            "torch.uint16",
            "torch.uint32",
            "torch.uint64",
            "torch.int8",
            "torch.int16",
            "torch.short",
            "torch.int32",
            "torch.int",
            "torch.int64",
            "torch.long",
        ),
        "i",
    ),
    **dict.fromkeys(
        (
            "torch.float16",
            "torch.half",
            "torch.bfloat16",
            "torch.float32",
            "torch.float",
            "torch.float64",
            "torch.double",
            "torch.float8_e4m3fn",
            "torch.float8_e4m3fnuz",
            "torch.float8_e5m2",
            "torch.float8_e5m2fnuz",
            "torch.float8_e8m0fnu",
        ),
        "f",
    ),
    **dict.fromkeys(
        ("torch.complex32", "torch.chalf", "torch.complex64", "torch.cfloat", "torch.complex128", "torch.cdouble"), "c"
    ),
}

PRECISIONS: dict[str, str] = {
    **{f"torch.{name}": name for name in ("float16", "bfloat16", "float32", "float64")},
    "torch.half": "float16",
    "torch.float": "float32",
    "torch.double": "float64",
}
"""The floating point dtypes that are told apart, by the names they go under."""
