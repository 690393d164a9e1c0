"""Errors of torch and Python at mistakes, and the rules whose mistakes lead to each.

What the evidence of rules shows needs no row; a row says which rule is the likeliest of several, names rules whose
evidence does not raise, and leaves open what Python says of other things as well.
"""

from __future__ import annotations

from gradlint.frozen import frozen


@frozen()
class ErrorRow:
    """An error by its name, and the parts of its message in order, between which anything may stand. `codes` are the
    rules whose mistakes lead to it, the likeliest first. What is said of other things as well counts where one of the
    words `near` stands in the lines that it came through, or, where these are not shown, one of the words `alone` in
    the message."""

    error: str
    parts: tuple[str, ...]
    codes: tuple[str, ...]
    near: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()

    def tells_of(self, message: str, shown: str) -> bool:
        """Return whether the row speaks of a message that came through the lines `shown`."""
        at = 0
        for part in self.parts:
            at = message.find(part, at)
            if at < 0:
                return False
            at += len(part)
        words, where = (self.near, shown) if shown else (self.alone, message)
        return not self.near or any(word in where for word in words)


def _row(error: str, message: str, codes: str, near: str = "", alone: str = "") -> ErrorRow:
    """A row; three dots in the message stand for what varies."""
    parts = tuple(part.strip() for part in message.split("..."))
    return ErrorRow(error, parts, tuple(codes.split()), tuple(near.split()), tuple(alone.split()))


ROWS = (
    _row("RuntimeError", "does not require grad and does not have a grad_fn",
         "GRD619 GRD602 GRD404 GRD409 GRD601 GRD603 GRD604 GRD408 GRD911"),
    _row("RuntimeError", "Trying to backward through the graph a second time", "GRD503 GRD505 GRD508"),
    _row("RuntimeError", "has been modified by an inplace operation", "GRD304 GRD305 GRD505 GRD504"),
    _row("RuntimeError", "a view of a leaf Variable that requires grad", "GRD302 GRD301"),
    _row("RuntimeError", "a leaf Variable that requires grad", "GRD301 GRD303"),
    _row("RuntimeError", "Tensors of floating point ... dtype can require gradients", "GRD101 GRD102"),
    _row("RuntimeError", "appears to not have been used in the graph", "GRD613"),
    _row("RuntimeError", "you can only change requires_grad flags of leaf variables", "GRD113 GRD122"),
    _row("RuntimeError", "is a view and is being modified inplace", "GRD302"),
    _row("RuntimeError", "derivative for ... is not implemented", "GRD605"),
    _row("RuntimeError", "returned an incorrect number of gradients", "GRD901"),
    _row("RuntimeError", "Legacy autograd function with non-static forward method", "GRD902"),
    _row("RuntimeError", "cannot register a hook on a tensor that doesn't require gradient", "GRD205"),
    _row("RuntimeError", "unscale_() has already been called on this optimizer since the last update()", "GRD709"),
    _row("AssertionError", "No inf checks were recorded prior to update", "GRD709"),
    _row("AssertionError", "No inf checks were recorded for this optimizer", "GRD702 GRD719"),
    _row("RuntimeError", "Function ... returned nan values in its", "GRD617"),
    _row("RuntimeError", "Expected to have finished reduction in the prior iteration", "GRD411"),
    _row("RuntimeError", "use_reentrant=True, torch.utils.checkpoint is incompatible with .grad()", "GRD912"),
    _row("TypeError", "cannot assign ... as parameter ... (torch.nn.Parameter or None expected)", "GRD121"),
    _row("AttributeError", "'NoneType' object has no attribute", "GRD202 GRD203 GRD308", ".grad",
         "'abs' 'add_' 'clamp_' 'clone' 'copy_' 'data' 'detach' 'detach_' 'div_' 'mul_' 'norm' 'zero_'"),
    _row("TypeError", "unsupported operand type(s) for ... 'NoneType'", "GRD202 GRD308", ".grad", "'Tensor' 'float'"),
    _row("TypeError", "'bool' object is not callable", "GRD105", ".requires_grad(", "'bool'"),
    _row("TypeError", "object does not support the context manager protocol", "GRD403",
         "no_grad enable_grad inference_mode set_grad_enabled", "'type'"),
    _row("TypeError", "float() argument must be ... not 'NoneType'", "GRD711", ".step("),
)  # fmt: skip
"""The first that speaks of a message counts."""
PYTHONS = frozenset({
    "NoneType", "not 'NoneType'", "'NoneType' object has no attribute", "unsupported operand type(s)",
    "'bool' object is not callable", "object does not support the context manager protocol",
})  # fmt: skip
"""The errors that evidence shows and Python raises for much else: rows say when they count."""
