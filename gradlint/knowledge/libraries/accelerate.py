"""Accelerate: objects prepared for any set of devices keep their names, and `accelerator.backward` differentiates."""

from __future__ import annotations

from gradlint.knowledge.packs import (
    NOTHING_AT_ALL,
    Anything,
    Argument,
    Arguments,
    ATensor,
    Attribute,
    Backward,
    Call,
    Consume,
    Either,
    LibraryClass,
    New,
    Pack,
    Python,
    attributes,
    calls,
)

ITSELF = "accelerate/accelerator.py:Accelerator"
SAME = "test_prepared_objects_are_the_same"
MANAGERS = "test_managers_leave_gradients_on"

ACCELERATOR = LibraryClass(
    ("accelerate.Accelerator", "accelerate.accelerator.Accelerator"),
    source=ITSELF,
    members=(
        Call("prepare", gives=Arguments(perhaps=True), test=SAME),
        Call("prepare_model", ("model",), gives=Argument("model"), test=SAME),
        Call(
            "prepare_optimizer",
            ("optimizer",),
            gives=Argument("optimizer", perhaps=True),
            test="test_a_prepared_optimizer_may_be_held_back",
        ),
        Call("prepare_scheduler", ("scheduler",), gives=Argument("scheduler"), source=f"{ITSELF}.prepare_scheduler"),
        Call(
            "prepare_data_loader",
            ("data_loader",),
            gives=Argument("data_loader"),
            source=f"{ITSELF}.prepare_data_loader",
        ),
        Call(
            "backward",
            ("loss",),
            does=(Backward("loss"),),
            gives=NOTHING_AT_ALL,
            test="test_accelerator_backward_differentiates",
        ),
        Call("unwrap_model", ("model",), gives=Argument("model"), test=SAME),
        *(Call(name, gives=Python("manager"), test=MANAGERS) for name in ("accumulate", "no_sync", "autocast")),
        *calls("profile main_process_first local_main_process_first", Python("manager"), ITSELF),
        Call(
            "clip_grad_norm_",
            ("parameters",),
            does=(Consume("parameters"),),
            gives=ATensor("no"),
            test="test_clipping_gives_a_tensor",
        ),
        Call(
            "clip_grad_value_",
            ("parameters",),
            does=(Consume("parameters"),),
            gives=NOTHING_AT_ALL,
            source=f"{ITSELF}.clip_grad_value_",
        ),
        *calls("unscale_gradients print log wait_for_everyone init_trackers end_training", NOTHING_AT_ALL, ITSELF),
        *calls("save register_for_checkpointing", NOTHING_AT_ALL, ITSELF),
        *calls("gather gather_for_metrics pad_across_processes", Anything(), ITSELF),
        *calls("save_state", Python("str"), ITSELF),
        Call("on_main_process", ("function",), gives=Argument("function"), source=f"{ITSELF}.on_main_process"),
        Call(
            "on_local_main_process", ("function",), gives=Argument("function"), source=f"{ITSELF}.on_local_main_process"
        ),
        Call(
            "skip_first_batches", ("dataloader",), gives=Argument("dataloader"), source=f"{ITSELF}.skip_first_batches"
        ),
        *attributes("is_main_process is_local_main_process is_last_process", Python("bool"), ITSELF),
        *attributes("sync_gradients optimizer_step_was_skipped", Python("bool"), ITSELF),
        *attributes("num_processes process_index local_process_index", Python("int"), ITSELF),
        *attributes("gradient_accumulation_steps", Python("int"), ITSELF),
        *attributes("device", Python("device"), ITSELF),
        Attribute("scaler", Either((New("torch.amp.GradScaler"), NOTHING_AT_ALL)), source=f"{ITSELF}.__init__"),
        *attributes("mixed_precision", Python("str"), ITSELF),
    ),
)

pack = Pack(
    library="Accelerate",
    version="accelerate==1.15.0",
    roots=("accelerate",),
    classes=(ACCELERATOR,),
    functions=(Call("accelerate.utils.set_seed", gives=NOTHING_AT_ALL, source="accelerate/utils/random.py:set_seed"),),
)
