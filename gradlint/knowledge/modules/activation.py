"""Activations and dropout of torch.nn."""

from __future__ import annotations

from gradlint.knowledge.schema import ModuleRow

ROWS = (
    ModuleRow(
        "torch.nn.Dropout1d",
        "torch.nn.Dropout1d()",
        "torch.rand(2, 2, 4)",
        identity_in_eval=True,
        inplace_at=1,
        mixes_batch=True,
    ),
    ModuleRow(
        "torch.nn.Dropout2d",
        "torch.nn.Dropout2d()",
        "torch.rand(2, 2, 4, 4)",
        identity_in_eval=True,
        inplace_at=1,
        mixes_batch=True,
    ),
    ModuleRow(
        "torch.nn.Dropout3d",
        "torch.nn.Dropout3d()",
        "torch.rand(2, 2, 4, 4, 4)",
        identity_in_eval=True,
        inplace_at=1,
        mixes_batch=True,
    ),
    ModuleRow("torch.nn.ReLU", "torch.nn.ReLU()", "torch.rand(2, 2)", saves=("result",), inplace_at=0),
    ModuleRow("torch.nn.ReLU6", "torch.nn.ReLU6()", "torch.rand(2, 2)", saves=("input",), inplace_at=0),
    ModuleRow("torch.nn.LeakyReLU", "torch.nn.LeakyReLU()", "torch.rand(2, 2)", saves=("input",), inplace_at=1),
    ModuleRow("torch.nn.ELU", "torch.nn.ELU()", "torch.rand(2, 2)", saves=("input",), inplace_at=1),
    ModuleRow("torch.nn.SELU", "torch.nn.SELU()", "torch.rand(2, 2)", saves=("input",), inplace_at=0),
    ModuleRow("torch.nn.CELU", "torch.nn.CELU()", "torch.rand(2, 2)", saves=("input",), inplace_at=1),
    ModuleRow("torch.nn.GELU", "torch.nn.GELU()", "torch.rand(2, 2)", saves=("input",)),
    ModuleRow("torch.nn.SiLU", "torch.nn.SiLU()", "torch.rand(2, 2)", saves=("input",), inplace_at=0),
    ModuleRow("torch.nn.Mish", "torch.nn.Mish()", "torch.rand(2, 2)", saves=("input",), inplace_at=0),
    ModuleRow("torch.nn.Softplus", "torch.nn.Softplus()", "torch.rand(2, 2)", saves=("input",)),
    ModuleRow("torch.nn.Softsign", "torch.nn.Softsign()", "torch.rand(2, 2)", saves=("input",)),
    ModuleRow("torch.nn.Softshrink", "torch.nn.Softshrink()", "torch.rand(2, 2)", saves=("input",)),
    ModuleRow("torch.nn.Hardshrink", "torch.nn.Hardshrink()", "torch.rand(2, 2)", saves=("input",)),
    ModuleRow("torch.nn.Tanhshrink", "torch.nn.Tanhshrink()", "torch.rand(2, 2)", saves=("own",)),
    ModuleRow("torch.nn.Hardtanh", "torch.nn.Hardtanh()", "torch.rand(2, 2)", saves=("input",), inplace_at=2),
    ModuleRow("torch.nn.Hardswish", "torch.nn.Hardswish()", "torch.rand(2, 2)", saves=("input",), inplace_at=0),
    ModuleRow("torch.nn.Hardsigmoid", "torch.nn.Hardsigmoid()", "torch.rand(2, 2)", saves=("input",), inplace_at=0),
    ModuleRow("torch.nn.Sigmoid", "torch.nn.Sigmoid()", "torch.rand(2, 2)", saves=("result",)),
    ModuleRow("torch.nn.Tanh", "torch.nn.Tanh()", "torch.rand(2, 2)", saves=("result",)),
    ModuleRow("torch.nn.LogSigmoid", "torch.nn.LogSigmoid()", "torch.rand(2, 2)", saves=("input",)),
    ModuleRow(
        "torch.nn.PReLU", "torch.nn.PReLU()", "torch.rand(2, 2)", parameters=("weight",), saves=("input", "weight")
    ),
    ModuleRow("torch.nn.RReLU", "torch.nn.RReLU()", "torch.rand(2, 2)", saves=("input",), inplace_at=2),
    ModuleRow("torch.nn.GLU", "torch.nn.GLU()", "torch.rand(2, 2)", saves=("input",)),
    ModuleRow("torch.nn.Threshold", "torch.nn.Threshold(0, 0)", "torch.rand(2, 2)", saves=("input",), inplace_at=2),
    ModuleRow("torch.nn.Softmax", "torch.nn.Softmax(-1)", "torch.rand(2, 2)", saves=("result",)),
    ModuleRow("torch.nn.LogSoftmax", "torch.nn.LogSoftmax(-1)", "torch.rand(2, 2)", saves=("result",)),
    ModuleRow("torch.nn.Softmin", "torch.nn.Softmin(-1)", "torch.rand(2, 2)", saves=("result",)),
    ModuleRow("torch.nn.Softmax2d", "torch.nn.Softmax2d()", "torch.rand(2, 2, 4, 4)", saves=("result",)),
    ModuleRow(
        "torch.nn.Dropout",
        "torch.nn.Dropout()",
        "torch.rand(2, 2)",
        identity_in_eval=True,
        inplace_at=1,
        mixes_batch=True,
    ),
    ModuleRow(
        "torch.nn.AlphaDropout", "torch.nn.AlphaDropout()", "torch.rand(2, 2)", identity_in_eval=True, mixes_batch=True
    ),
    ModuleRow(
        "torch.nn.FeatureAlphaDropout",
        "torch.nn.FeatureAlphaDropout()",
        "torch.rand(2, 2)",
        identity_in_eval=True,
        mixes_batch=True,
    ),
)
