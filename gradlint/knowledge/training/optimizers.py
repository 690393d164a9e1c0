"""The optimizers of torch.optim."""

from __future__ import annotations

from gradlint.knowledge.schema import OptimizerRow

ROWS = (
    OptimizerRow("torch.optim.SGD", "torch.optim.SGD(p, lr=0.1)", keeps_state=False),
    OptimizerRow("torch.optim.Adam", "torch.optim.Adam(p)"),
    OptimizerRow("torch.optim.AdamW", "torch.optim.AdamW(p)"),
    OptimizerRow("torch.optim.Adamax", "torch.optim.Adamax(p)"),
    OptimizerRow("torch.optim.NAdam", "torch.optim.NAdam(p)"),
    OptimizerRow("torch.optim.RAdam", "torch.optim.RAdam(p)"),
    OptimizerRow("torch.optim.SparseAdam", "torch.optim.SparseAdam(p)"),
    OptimizerRow("torch.optim.Adagrad", "torch.optim.Adagrad(p)"),
    OptimizerRow("torch.optim.Adadelta", "torch.optim.Adadelta(p)"),
    OptimizerRow("torch.optim.Adafactor", "torch.optim.Adafactor(p)"),
    OptimizerRow("torch.optim.ASGD", "torch.optim.ASGD(p)"),
    OptimizerRow("torch.optim.RMSprop", "torch.optim.RMSprop(p)"),
    OptimizerRow("torch.optim.Rprop", "torch.optim.Rprop(p)"),
    OptimizerRow("torch.optim.Muon", "torch.optim.Muon(p)", since=(2, 9), source="documentation of 2.9"),
    OptimizerRow("torch.optim.LBFGS", "torch.optim.LBFGS(p)", needs_closure=True, repeats_closure=True),
)
