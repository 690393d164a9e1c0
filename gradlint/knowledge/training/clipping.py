"""Functions of torch.nn.utils that limit gradients."""

from __future__ import annotations

from gradlint.knowledge.schema import ClipRow

ROWS = (
    ClipRow("torch.nn.utils.clip_grad_norm_", "f(p, 0.1)", returns="norm"),
    ClipRow("torch.nn.utils.clip_grad_norm", "f(p, 0.1)", returns="norm"),
    ClipRow("torch.nn.utils.clip_grad.clip_grad_norm_", "f(p, 0.1)", returns="norm"),
    ClipRow("torch.nn.utils.clip_grad_value_", "f(p, 0.1)"),
    ClipRow("torch.nn.utils.clip_grad.clip_grad_value_", "f(p, 0.1)"),
    ClipRow("torch.nn.utils.clip_grads_with_norm_", "f(p, 0.1, torch.tensor(5.0))"),
)
