"""The classes that scale losses, for gradients too small for half precision."""

from __future__ import annotations

from gradlint.knowledge.schema import ScalerRow

TOLD = "reports of users, whose 2.2 has none"

ROWS = (
    ScalerRow("torch.amp.GradScaler", 5, "torch.amp.GradScaler('cpu')", since=(2, 3), source=TOLD),
    ScalerRow("torch.GradScaler", 5, "torch.GradScaler('cpu')", since=(2, 3), source=TOLD),
    ScalerRow("torch.amp.grad_scaler.GradScaler", 5, "torch.amp.grad_scaler.GradScaler('cpu')"),
    ScalerRow("torch.cpu.amp.GradScaler", 4, "torch.cpu.amp.GradScaler()"),
    ScalerRow("torch.cuda.amp.GradScaler", 4),
    ScalerRow("torch.cuda.amp.grad_scaler.GradScaler", 4),
)
