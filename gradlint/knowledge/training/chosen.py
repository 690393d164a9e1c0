"""Namespaces out of which one class or another is taken by a name that comes with the settings."""

from __future__ import annotations

ONE_OF = {
    "torch.optim": "torch.optim.Optimizer",
    "torch.optim.lr_scheduler": "torch.optim.lr_scheduler.LRScheduler",
}
"""The base of all classes that a namespace offers, by the import path of the namespace."""
