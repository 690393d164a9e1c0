"""Pooling, padding and other changes of shape of torch.nn."""

from __future__ import annotations

from gradlint.knowledge.schema import ModuleRow, Result

ROWS = (
    ModuleRow("torch.nn.MaxPool1d", "torch.nn.MaxPool1d(2)", "torch.rand(2, 2, 4)", saves=("input",)),
    ModuleRow("torch.nn.AdaptiveMaxPool1d", "torch.nn.AdaptiveMaxPool1d(1)", "torch.rand(2, 2, 4)", saves=("input",)),
    ModuleRow("torch.nn.AvgPool1d", "torch.nn.AvgPool1d(2)", "torch.rand(2, 2, 4)", saves=("input",)),
    ModuleRow("torch.nn.AdaptiveAvgPool1d", "torch.nn.AdaptiveAvgPool1d(1)", "torch.rand(2, 2, 4)"),
    ModuleRow("torch.nn.LPPool1d", "torch.nn.LPPool1d(2, 2)", "torch.rand(2, 2, 4)", saves=("input",)),
    ModuleRow("torch.nn.ZeroPad1d", "torch.nn.ZeroPad1d(1)", "torch.rand(2, 2, 4)"),
    ModuleRow("torch.nn.ReflectionPad1d", "torch.nn.ReflectionPad1d(1)", "torch.rand(2, 2, 4)", saves=("input",)),
    ModuleRow("torch.nn.ReplicationPad1d", "torch.nn.ReplicationPad1d(1)", "torch.rand(2, 2, 4)", saves=("input",)),
    ModuleRow("torch.nn.CircularPad1d", "torch.nn.CircularPad1d(1)", "torch.rand(2, 2, 4)", saves=("own",)),
    ModuleRow("torch.nn.ConstantPad1d", "torch.nn.ConstantPad1d(1, 0.0)", "torch.rand(2, 2, 4)"),
    ModuleRow("torch.nn.MaxPool2d", "torch.nn.MaxPool2d(2)", "torch.rand(2, 2, 4, 4)", saves=("input",)),
    ModuleRow(
        "torch.nn.AdaptiveMaxPool2d", "torch.nn.AdaptiveMaxPool2d(1)", "torch.rand(2, 2, 4, 4)", saves=("input",)
    ),
    ModuleRow("torch.nn.AvgPool2d", "torch.nn.AvgPool2d(2)", "torch.rand(2, 2, 4, 4)", saves=("input",)),
    ModuleRow("torch.nn.AdaptiveAvgPool2d", "torch.nn.AdaptiveAvgPool2d(1)", "torch.rand(2, 2, 4, 4)"),
    ModuleRow("torch.nn.LPPool2d", "torch.nn.LPPool2d(2, 2)", "torch.rand(2, 2, 4, 4)", saves=("input",)),
    ModuleRow("torch.nn.ZeroPad2d", "torch.nn.ZeroPad2d(1)", "torch.rand(2, 2, 4, 4)"),
    ModuleRow("torch.nn.ReflectionPad2d", "torch.nn.ReflectionPad2d(1)", "torch.rand(2, 2, 4, 4)", saves=("input",)),
    ModuleRow("torch.nn.ReplicationPad2d", "torch.nn.ReplicationPad2d(1)", "torch.rand(2, 2, 4, 4)", saves=("input",)),
    ModuleRow("torch.nn.CircularPad2d", "torch.nn.CircularPad2d(1)", "torch.rand(2, 2, 4, 4)", saves=("own",)),
    ModuleRow("torch.nn.ConstantPad2d", "torch.nn.ConstantPad2d(1, 0.0)", "torch.rand(2, 2, 4, 4)"),
    ModuleRow("torch.nn.MaxPool3d", "torch.nn.MaxPool3d(2)", "torch.rand(2, 2, 4, 4, 4)", saves=("input",)),
    ModuleRow(
        "torch.nn.AdaptiveMaxPool3d", "torch.nn.AdaptiveMaxPool3d(1)", "torch.rand(2, 2, 4, 4, 4)", saves=("input",)
    ),
    ModuleRow("torch.nn.AvgPool3d", "torch.nn.AvgPool3d(2)", "torch.rand(2, 2, 4, 4, 4)", saves=("input",)),
    ModuleRow("torch.nn.AdaptiveAvgPool3d", "torch.nn.AdaptiveAvgPool3d(1)", "torch.rand(2, 2, 4, 4, 4)"),
    ModuleRow("torch.nn.LPPool3d", "torch.nn.LPPool3d(2, 2)", "torch.rand(2, 2, 4, 4, 4)", saves=("input",)),
    ModuleRow("torch.nn.ZeroPad3d", "torch.nn.ZeroPad3d(1)", "torch.rand(2, 2, 4, 4, 4)"),
    ModuleRow("torch.nn.ReflectionPad3d", "torch.nn.ReflectionPad3d(1)", "torch.rand(2, 2, 4, 4, 4)", saves=("input",)),
    ModuleRow(
        "torch.nn.ReplicationPad3d", "torch.nn.ReplicationPad3d(1)", "torch.rand(2, 2, 4, 4, 4)", saves=("input",)
    ),
    ModuleRow("torch.nn.CircularPad3d", "torch.nn.CircularPad3d(1)", "torch.rand(2, 2, 4, 4, 4)", saves=("own",)),
    ModuleRow("torch.nn.ConstantPad3d", "torch.nn.ConstantPad3d(1, 0.0)", "torch.rand(2, 2, 4, 4, 4)"),
    ModuleRow(
        "torch.nn.FractionalMaxPool2d",
        "torch.nn.FractionalMaxPool2d(2, output_size=2)",
        "torch.rand(2, 2, 4, 4)",
        saves=("input",),
    ),
    ModuleRow(
        "torch.nn.FractionalMaxPool3d",
        "torch.nn.FractionalMaxPool3d(2, output_size=2)",
        "torch.rand(2, 2, 4, 4, 4)",
        saves=("input",),
    ),
    ModuleRow(
        "torch.nn.Flatten",
        "torch.nn.Flatten()",
        "torch.rand(2, 2, 4, 4)",
        result=Result("self or view or fresh"),
        others=("torch.rand(2, 2)", "torch.rand(2, 3, 4).transpose(1, 2)"),
    ),
    ModuleRow("torch.nn.Unflatten", "torch.nn.Unflatten(1, (1, 2))", "torch.rand(2, 2)", result=Result("view")),
    ModuleRow("torch.nn.Upsample", "torch.nn.Upsample(scale_factor=2)", "torch.rand(2, 2, 4, 4)"),
    ModuleRow("torch.nn.UpsamplingNearest2d", "torch.nn.UpsamplingNearest2d(scale_factor=2)", "torch.rand(2, 2, 4, 4)"),
    ModuleRow(
        "torch.nn.UpsamplingBilinear2d", "torch.nn.UpsamplingBilinear2d(scale_factor=2)", "torch.rand(2, 2, 4, 4)"
    ),
    ModuleRow("torch.nn.PixelShuffle", "torch.nn.PixelShuffle(2)", "torch.rand(1, 4, 2, 2)"),
    ModuleRow("torch.nn.PixelUnshuffle", "torch.nn.PixelUnshuffle(2)", "torch.rand(2, 2, 4, 4)"),
    ModuleRow("torch.nn.ChannelShuffle", "torch.nn.ChannelShuffle(2)", "torch.rand(2, 2, 4, 4)"),
    ModuleRow("torch.nn.Fold", "torch.nn.Fold((2, 2), 1)", "torch.rand(1, 1, 4)"),
    ModuleRow("torch.nn.Unfold", "torch.nn.Unfold(1)", "torch.rand(2, 2, 4, 4)"),
)
