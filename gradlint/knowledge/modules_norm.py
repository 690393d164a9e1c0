"""Normalisation of torch.nn."""

from __future__ import annotations

from gradlint.knowledge.rows import ModuleRow

ROWS = (
    ModuleRow(
        "torch.nn.BatchNorm1d",
        "torch.nn.BatchNorm1d(2)",
        "torch.rand(2, 2, 4)",
        parameters=("weight", "bias"),
        buffers=("running_mean", "running_var", "num_batches_tracked"),
        saves=("input", "weight"),
        mixes_batch=True,
    ),
    ModuleRow(
        "torch.nn.LazyBatchNorm1d",
        "torch.nn.LazyBatchNorm1d()",
        "torch.rand(2, 2, 4)",
        parameters=("weight", "bias"),
        buffers=("running_mean", "running_var", "num_batches_tracked"),
        saves=("input", "weight"),
        mixes_batch=True,
    ),
    ModuleRow(
        "torch.nn.InstanceNorm1d", "torch.nn.InstanceNorm1d(2)", "torch.rand(2, 2, 4)", saves=("input", "weight")
    ),
    ModuleRow(
        "torch.nn.LazyInstanceNorm1d",
        "torch.nn.LazyInstanceNorm1d()",
        "torch.rand(2, 2, 4)",
        parameters=("weight", "bias"),
        buffers=("running_mean", "running_var", "num_batches_tracked"),
        saves=("input",),
        mixes_batch=True,
    ),
    ModuleRow(
        "torch.nn.BatchNorm2d",
        "torch.nn.BatchNorm2d(2)",
        "torch.rand(2, 2, 4, 4)",
        parameters=("weight", "bias"),
        buffers=("running_mean", "running_var", "num_batches_tracked"),
        saves=("input", "weight"),
        mixes_batch=True,
    ),
    ModuleRow(
        "torch.nn.LazyBatchNorm2d",
        "torch.nn.LazyBatchNorm2d()",
        "torch.rand(2, 2, 4, 4)",
        parameters=("weight", "bias"),
        buffers=("running_mean", "running_var", "num_batches_tracked"),
        saves=("input", "weight"),
        mixes_batch=True,
    ),
    ModuleRow(
        "torch.nn.InstanceNorm2d", "torch.nn.InstanceNorm2d(2)", "torch.rand(2, 2, 4, 4)", saves=("input", "weight")
    ),
    ModuleRow(
        "torch.nn.LazyInstanceNorm2d",
        "torch.nn.LazyInstanceNorm2d()",
        "torch.rand(2, 2, 4, 4)",
        parameters=("weight", "bias"),
        buffers=("running_mean", "running_var", "num_batches_tracked"),
        saves=("input",),
        mixes_batch=True,
    ),
    ModuleRow(
        "torch.nn.BatchNorm3d",
        "torch.nn.BatchNorm3d(2)",
        "torch.rand(2, 2, 4, 4, 4)",
        parameters=("weight", "bias"),
        buffers=("running_mean", "running_var", "num_batches_tracked"),
        saves=("input", "weight"),
        mixes_batch=True,
    ),
    ModuleRow(
        "torch.nn.LazyBatchNorm3d",
        "torch.nn.LazyBatchNorm3d()",
        "torch.rand(2, 2, 4, 4, 4)",
        parameters=("weight", "bias"),
        buffers=("running_mean", "running_var", "num_batches_tracked"),
        saves=("input", "weight"),
        mixes_batch=True,
    ),
    ModuleRow(
        "torch.nn.InstanceNorm3d", "torch.nn.InstanceNorm3d(2)", "torch.rand(2, 2, 4, 4, 4)", saves=("input", "weight")
    ),
    ModuleRow(
        "torch.nn.LazyInstanceNorm3d",
        "torch.nn.LazyInstanceNorm3d()",
        "torch.rand(2, 2, 4, 4, 4)",
        parameters=("weight", "bias"),
        buffers=("running_mean", "running_var", "num_batches_tracked"),
        saves=("input",),
        mixes_batch=True,
    ),
    ModuleRow(
        "torch.nn.SyncBatchNorm",
        "torch.nn.SyncBatchNorm(2)",
        "torch.rand(2, 2, 4, 4)",
        parameters=("weight", "bias"),
        buffers=("running_mean", "running_var", "num_batches_tracked"),
        saves=("input", "weight"),
        mixes_batch=True,
    ),
    ModuleRow(
        "torch.nn.LayerNorm",
        "torch.nn.LayerNorm(2)",
        "torch.rand(2, 2)",
        parameters=("weight", "bias"),
        saves=("bias", "input", "weight"),
    ),
    ModuleRow(
        "torch.nn.RMSNorm",
        "torch.nn.RMSNorm(2)",
        "torch.rand(2, 2)",
        parameters=("weight",),
        saves=("input if input", "weight if input", "own"),
        since=(2, 4),
        source="reports of users, whose 2.3 has none",
    ),
    ModuleRow(
        "torch.nn.GroupNorm",
        "torch.nn.GroupNorm(1, 2)",
        "torch.rand(2, 2, 4)",
        parameters=("weight", "bias"),
        saves=("input", "weight"),
    ),
    ModuleRow("torch.nn.LocalResponseNorm", "torch.nn.LocalResponseNorm(2)", "torch.rand(2, 2, 4)", saves=("input",)),
)
