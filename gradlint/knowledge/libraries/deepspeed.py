"""DeepSpeed: `initialize` gives an engine, a module that differentiates, steps and clears by itself."""

from __future__ import annotations

from gradlint.knowledge.packs import (
    NOTHING_AT_ALL,
    Anything,
    Argument,
    Backward,
    Call,
    LibraryClass,
    New,
    OptimizerOver,
    Pack,
    Python,
    Several,
    Step,
    ZeroGrad,
    calls,
)

ENGINE = "deepspeed.DeepSpeedEngine"
ITSELF = "deepspeed/runtime/engine.py:DeepSpeedEngine"
TOP = "deepspeed/__init__.py"
HOLDING = (("module", Argument("model")),)

pack = Pack(
    library="DeepSpeed",
    version="deepspeed==0.19.8",
    roots=("deepspeed",),
    classes=(
        LibraryClass(
            (ENGINE, "deepspeed.runtime.engine.DeepSpeedEngine"),
            kind="module",
            open=False,
            forwards="module",
            source=f"{ITSELF}.forward",
            members=(
                Call(
                    "backward",
                    ("loss",),
                    does=(Backward("loss", create=""),),
                    gives=Argument("loss"),
                    source=f"{ITSELF}.backward",
                ),
                Call(
                    "step",
                    does=(Step("self", perhaps=True), ZeroGrad("self", perhaps=True)),
                    gives=NOTHING_AT_ALL,
                    source=f"{ITSELF}.step",
                ),
                Call("zero_grad", does=(ZeroGrad("self"),), gives=NOTHING_AT_ALL, source=f"{ITSELF}.zero_grad"),
                *calls("no_sync", Python("manager"), ITSELF),
                *calls("is_gradient_accumulation_boundary", Python("bool"), ITSELF),
                *calls("gradient_accumulation_steps train_batch_size", Python("int"), ITSELF),
                *calls("save_checkpoint", Python("bool"), ITSELF),
            ),
        ),
        LibraryClass(
            ("deepspeed.ops.adam.FusedAdam",), kind="optimizer", source="deepspeed/ops/adam/fused_adam.py:FusedAdam"
        ),
        LibraryClass(
            ("deepspeed.ops.adam.DeepSpeedCPUAdam",),
            kind="optimizer",
            source="deepspeed/ops/adam/cpu_adam.py:DeepSpeedCPUAdam",
        ),
    ),
    functions=(
        Call(
            "deepspeed.initialize",
            ("args", "model", "optimizer", "model_parameters"),
            gives=Several((New(ENGINE, holding=HOLDING), OptimizerOver("model"), Anything(), Anything())),
            source=f"{TOP}:initialize",
        ),
        Call("deepspeed.init_distributed", gives=NOTHING_AT_ALL, source="deepspeed/comm/comm.py:init_distributed"),
        Call(
            "deepspeed.add_config_arguments",
            ("parser",),
            gives=Argument("parser"),
            source=f"{TOP}:add_config_arguments",
        ),
    ),
)
