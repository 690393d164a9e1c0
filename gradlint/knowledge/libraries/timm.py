"""timm: models by factory, its optimizers, the scaler that differentiates and steps, averaged copies of models."""

from __future__ import annotations

from gradlint.knowledge.packs import (
    NOTHING_AT_ALL,
    Anything,
    Backward,
    Call,
    Consume,
    Copy,
    LibraryClass,
    New,
    OptimizerOver,
    Pack,
    Python,
    Step,
    Touch,
)

SCALER = "timm/utils/cuda.py:"
EMA = "timm/utils/model_ema.py:"

SCALING = Call(
    "__call__",
    ("loss", "optimizer", "clip_grad", "clip_mode", "parameters", "create_graph", "need_update"),
    does=(Backward("loss", retain=""), Consume("parameters"), Step("optimizer", perhaps=True)),
    gives=NOTHING_AT_ALL,
    test="test_native_scaler_differentiates_and_steps",
)
UPDATE = Call("update", ("model",), gives=NOTHING_AT_ALL, source=EMA + "ModelEmaV2.update")

pack = Pack(
    library="timm",
    version="timm==1.0.20",
    roots=("timm",),
    classes=(
        LibraryClass(
            ("timm.utils.NativeScaler", "timm.utils.cuda.NativeScaler"),
            members=(SCALING,),
            source=SCALER + "NativeScaler",
        ),
        LibraryClass(
            ("timm.utils.ApexScaler", "timm.utils.cuda.ApexScaler"), members=(SCALING,), source=SCALER + "ApexScaler"
        ),
        LibraryClass(
            ("timm.utils.ModelEma", "timm.utils.model_ema.ModelEma"),
            parameters=("model",),
            holds=(("ema", Copy("model", mode="eval", requires_grad="no")),),
            members=(UPDATE,),
            source=EMA + "ModelEma.__init__",
        ),
        LibraryClass(
            ("timm.utils.ModelEmaV2", "timm.utils.ModelEmaV3", "timm.utils.model_ema.ModelEmaV*"),
            kind="module",
            open=False,
            forwards="module",
            parameters=("model",),
            holds=(("module", Copy("model", mode="eval")),),
            members=(UPDATE, Call("set", ("model",), gives=NOTHING_AT_ALL, source=EMA + "ModelEmaV2.set")),
            source=EMA + "ModelEmaV2.__init__",
        ),
        LibraryClass(
            ("timm.utils.AverageMeter", "timm.utils.metrics.AverageMeter"),
            source="timm/utils/metrics.py:AverageMeter",
        ),
        *(
            LibraryClass((f"timm.optim.{name}",), kind="optimizer", source=f"timm/optim/{file}.py:{name}")
            for name, file in (
                ("AdaBelief", "adabelief"),
                ("Adafactor", "adafactor"),
                ("AdamP", "adamp"),
                ("Adan", "adan"),
                ("Lamb", "lamb"),
                ("Lars", "lars"),
                ("Lion", "lion"),
                ("MADGRAD", "madgrad"),
                ("NAdamW", "nadamw"),
                ("NvNovoGrad", "nvnovograd"),
                ("RMSpropTF", "rmsprop_tf"),
                ("SGDP", "sgdp"),
                ("SGDW", "sgdw"),
            )
        ),
    ),
    functions=(
        Call(
            "timm.create_model",
            ("model_name",),
            gives=New("torch.nn.Module", mode="train"),
            also=("timm.models.create_model", "timm.models.factory.create_model"),
            source="timm/models/_factory.py:create_model",
        ),
        Call(
            "timm.optim.create_optimizer_v2",
            ("model_or_params",),
            gives=OptimizerOver("model_or_params"),
            also=("timm.optim.optim_factory.create_optimizer_v2",),
            source="timm/optim/_optim_factory.py:create_optimizer_v2",
        ),
        Call(
            "timm.optim.create_optimizer",
            ("args", "model"),
            gives=OptimizerOver("model"),
            also=("timm.optim.optim_factory.create_optimizer",),
            source="timm/optim/_optim_factory.py:create_optimizer",
        ),
        Call(
            "timm.utils.unwrap_model",
            ("model",),
            gives=Anything(),
            source="timm/utils/model.py:unwrap_model",
        ),
        Call(
            "timm.utils.dispatch_clip_grad",
            ("parameters",),
            does=(Consume("parameters"),),
            gives=NOTHING_AT_ALL,
            source="timm/utils/clip_grad.py:dispatch_clip_grad",
        ),
        Call("timm.utils.random_seed", gives=NOTHING_AT_ALL, source="timm/utils/random.py:random_seed"),
        Call("timm.list_models", gives=Python("list"), source="timm/models/_registry.py:list_models"),
        Call(
            "timm.utils.freeze",
            ("root_module",),
            does=(Touch("root_module"),),
            gives=NOTHING_AT_ALL,
            source="timm/utils/model.py:freeze",
        ),
        Call(
            "timm.utils.unfreeze",
            ("root_module",),
            does=(Touch("root_module"),),
            gives=NOTHING_AT_ALL,
            source="timm/utils/model.py:unfreeze",
        ),
    ),
)
