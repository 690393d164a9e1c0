"""Lightning: modules whose steps the trainer calls, each in its grad mode, and Fabric, whose objects are wrapped."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gradlint.knowledge.packs import (
    NOTHING_AT_ALL,
    Anything,
    Argument,
    Arguments,
    Backward,
    Call,
    Freeze,
    Hook,
    LibraryClass,
    New,
    OptimizersFrom,
    Pack,
    Python,
    SetMode,
    Touch,
    attributes,
    calls,
)

MODULE = "lightning.pytorch.LightningModule"
TRAINER = "lightning.pytorch.Trainer"
FABRIC = "lightning.fabric.Fabric"
WRAPPER = "lightning.fabric.wrappers._FabricModule"

CORE = "lightning/pytorch/core/module.py:LightningModule"
HOOKS = "lightning/pytorch/core/hooks.py:ModelHooks"
OF_HPARAMS = "lightning/pytorch/core/mixins/hparams_mixin.py:HyperparametersMixin"
OF_DEVICE = "lightning/fabric/utilities/device_dtype_mixin.py:_DeviceDtypeModuleMixin"
ITSELF = "lightning/fabric/fabric.py:Fabric"
RUN = "test_hooks_run_in_their_modes"


def paths(name: str, *inner: str) -> tuple[str, ...]:
    """The import paths of what `lightning.pytorch` offers: by its three names, and where it is written."""
    tops = ("lightning.pytorch", "lightning", "pytorch_lightning")
    return (*(f"{top}.{name}" for top in tops), *(f"{top}.{path}.{name}" for top in tops for path in inner))


def hooks(names: str, **facts: Any) -> tuple[Hook, ...]:
    """Hooks that are called alike, by their names in one string."""
    return tuple(Hook(name, **facts, test=RUN) for name in names.split())


LOSS = Call("backward", ("loss",), does=(Backward("loss"),), gives=NOTHING_AT_ALL, source=f"{CORE}.backward")
TOGGLING: dict[str, Any] = {"does": (Touch("self"), Touch("optimizer")), "gives": NOTHING_AT_ALL}

OF_MODULE = LibraryClass(
    paths("LightningModule", "core", "core.module"),
    kind="module",
    open=False,
    test="test_a_lightning_module_has_only_the_parts_it_is_given",
    members=(
        *calls("log log_dict print clip_gradients", NOTHING_AT_ALL, CORE),
        *calls("lr_schedulers", Anything(), CORE),
        *calls("save_hyperparameters", NOTHING_AT_ALL, OF_HPARAMS),
        *calls("on_train_start on_train_epoch_start on_train_epoch_end on_fit_start", NOTHING_AT_ALL, HOOKS),
        *calls("on_validation_epoch_start on_validation_epoch_end on_test_epoch_end", NOTHING_AT_ALL, HOOKS),
        Call(
            "optimizers",
            gives=OptimizersFrom("configure_optimizers"),
            test="test_lightning_optimizers_are_those_configured",
        ),
        LOSS,
        replace(LOSS, path="manual_backward", source="", test="test_manual_backward_differentiates"),
        Call(
            "freeze",
            does=(Freeze("self", "no"), SetMode("self", "eval")),
            gives=Argument("self"),
            test="test_a_lightning_module_freezes",
        ),
        Call(
            "unfreeze",
            does=(Freeze("self", "yes"), SetMode("self", "train")),
            gives=Argument("self"),
            test="test_a_lightning_module_freezes",
        ),
        Call("toggle_optimizer", ("optimizer",), **TOGGLING, source=f"{CORE}.toggle_optimizer"),
        Call("untoggle_optimizer", ("optimizer",), **TOGGLING, source=f"{CORE}.untoggle_optimizer"),
        Call(
            "load_from_checkpoint",
            of_class=True,
            gives=New(mode="train"),
            test="test_a_checkpoint_gives_a_module_in_train_mode",
        ),
        *attributes("trainer", New(TRAINER), CORE),
        *attributes("current_epoch global_step global_rank local_rank", Python("int"), CORE),
        *attributes("on_gpu automatic_optimization", Python("bool"), CORE),
        *attributes("logger loggers", Anything(), CORE),
        *attributes("hparams", New("lightning.pytorch.utilities.parsing.AttributeDict"), OF_HPARAMS),
        *attributes("device", Python("device"), OF_DEVICE),
    ),
    hooks=(
        *hooks("training_step", gradients="on", loss=True, unless="automatic_optimization"),
        *hooks("validation_step test_step predict_step", gradients="inference", mode="eval"),
        *hooks("on_validation_batch_start on_validation_batch_end", gradients="inference", mode="eval"),
        *hooks("on_test_batch_start on_test_batch_end", gradients="inference", mode="eval"),
        *hooks("on_validation_epoch_end on_test_epoch_end on_predict_epoch_end", gradients="inference"),
        *hooks("on_train_batch_start on_train_batch_end on_train_epoch_end", gradients="on"),
        *hooks("on_before_optimizer_step", gradients="on", handed=(New("torch.optim.Optimizer"),)),
    ),
)

BOTH = (New(TRAINER), New(MODULE))
OF_CALLBACK = LibraryClass(
    paths("Callback", "callbacks", "callbacks.callback"),
    source="lightning/pytorch/callbacks/callback.py:Callback",
    hooks=(
        *hooks("on_validation_batch_start on_validation_batch_end", gradients="inference", mode="eval", handed=BOTH),
        *hooks("on_test_batch_start on_test_batch_end", gradients="inference", mode="eval", handed=BOTH),
        *hooks("on_validation_epoch_end on_test_epoch_end", gradients="inference", handed=BOTH),
        *hooks("on_train_batch_start on_train_batch_end on_train_epoch_end", gradients="on", handed=BOTH),
        *hooks("on_fit_start on_train_start on_train_end", handed=BOTH),
    ),
)

OF_FABRIC = LibraryClass(
    (FABRIC, "lightning.Fabric", "lightning_fabric.Fabric", "lightning.fabric.fabric.Fabric"),
    source=ITSELF,
    members=(
        Call("setup", gives=Arguments(wrapped=WRAPPER), test="test_fabric_wraps_what_it_sets_up"),
        Call(
            "setup_module",
            ("module",),
            gives=Argument("module", wrapped=WRAPPER),
            test="test_fabric_wraps_what_it_sets_up",
        ),
        Call("setup_optimizers", gives=Arguments(), test="test_fabric_wraps_what_it_sets_up"),
        *calls("setup_dataloaders", Arguments(), ITSELF),
        Call(
            "backward",
            ("tensor",),
            does=(Backward("tensor"),),
            gives=NOTHING_AT_ALL,
            test="test_fabric_backward_differentiates",
        ),
        Call("to_device", ("obj",), gives=Argument("obj"), source=f"{ITSELF}.to_device"),
        *calls("clip_gradients", Anything(), ITSELF),
        *calls("autocast no_backward_sync init_module init_tensor rank_zero_first", Python("manager"), ITSELF),
        *calls("print barrier save log log_dict seed_everything", NOTHING_AT_ALL, ITSELF),
        *attributes("device", Python("device"), ITSELF),
        *attributes("global_rank local_rank world_size", Python("int"), ITSELF),
        *attributes("is_global_zero", Python("bool"), ITSELF),
    ),
)

pack = Pack(
    library="Lightning",
    version="lightning==2.6.6",
    roots=("lightning", "pytorch_lightning", "lightning_fabric"),
    classes=(
        OF_MODULE,
        OF_CALLBACK,
        OF_FABRIC,
        LibraryClass(
            (WRAPPER,),
            kind="module",
            open=False,
            forwards="module",
            test="test_fabric_wraps_what_it_sets_up",
        ),
        LibraryClass(
            paths("Trainer", "trainer", "trainer.trainer"), source="lightning/pytorch/trainer/trainer.py:Trainer"
        ),
        LibraryClass(
            paths("LightningDataModule", "core", "core.datamodule"),
            source="lightning/pytorch/core/datamodule.py:LightningDataModule",
        ),
        LibraryClass(
            ("lightning.pytorch.utilities.parsing.AttributeDict",),
            source="lightning/pytorch/utilities/parsing.py:AttributeDict",
        ),
        *(
            LibraryClass(paths(name, "callbacks"), source=f"lightning/pytorch/callbacks/{file}.py:{name}")
            for name, file in (
                ("ModelCheckpoint", "model_checkpoint"),
                ("EarlyStopping", "early_stopping"),
                ("LearningRateMonitor", "lr_monitor"),
            )
        ),
        *(
            LibraryClass(
                tuple(f"{top}.loggers.{name}" for top in ("lightning.pytorch", "pytorch_lightning")),
                source=f"lightning/pytorch/loggers/{file}.py:{name}",
            )
            for name, file in (
                ("TensorBoardLogger", "tensorboard"),
                ("CSVLogger", "csv_logs"),
                ("WandbLogger", "wandb"),
            )
        ),
    ),
    functions=(
        Call(
            "lightning.seed_everything",
            gives=Python("int"),
            also=("lightning.pytorch.seed_everything", "pytorch_lightning.seed_everything"),
            source="lightning/fabric/utilities/seed.py:seed_everything",
        ),
    ),
)
