"""The learning rate schedulers of torch."""

from __future__ import annotations

from gradlint.knowledge.schema import SchedulerRow

_EXAMPLES = (
    ("LambdaLR", "s.LambdaLR(o, lambda epoch: 0.5)"),
    ("MultiplicativeLR", "s.MultiplicativeLR(o, lambda epoch: 0.5)"),
    ("StepLR", "s.StepLR(o, 1)"),
    ("MultiStepLR", "s.MultiStepLR(o, [1])"),
    ("ConstantLR", "s.ConstantLR(o)"),
    ("LinearLR", "s.LinearLR(o)"),
    ("ExponentialLR", "s.ExponentialLR(o, 0.9)"),
    ("PolynomialLR", "s.PolynomialLR(o)"),
    ("CosineAnnealingLR", "s.CosineAnnealingLR(o, 10)"),
    ("CyclicLR", "s.CyclicLR(o, 0.1, 1.0)"),
    ("OneCycleLR", "s.OneCycleLR(o, max_lr=0.1, total_steps=10)"),
    ("SequentialLR", "s.SequentialLR(o, [s.ConstantLR(o), s.StepLR(o, 1)], [2])"),
)

ROWS = (
    *(SchedulerRow(f"torch.optim.lr_scheduler.{name}", example) for name, example in _EXAMPLES),
    SchedulerRow(
        "torch.optim.lr_scheduler.ChainedScheduler",
        "s.ChainedScheduler([s.ConstantLR(o), s.StepLR(o, 1)])",
        chained=True,
    ),
    SchedulerRow(
        "torch.optim.lr_scheduler.CosineAnnealingWarmRestarts", "s.CosineAnnealingWarmRestarts(o, 10)", early=False
    ),
    SchedulerRow(
        "torch.optim.lr_scheduler.ReduceLROnPlateau", "s.ReduceLROnPlateau(o)", early=False, needs_metric=True
    ),
    SchedulerRow("torch.optim.swa_utils.SWALR", "torch.optim.swa_utils.SWALR(o, swa_lr=0.05)"),
)
