"""Accelerate: objects prepared for any set of devices keep their names, and `accelerator.backward` differentiates."""

from __future__ import annotations

from gradlint.knowledge.packs import (
    NOTHING_AT_ALL,
    Argument,
    Arguments,
    ATensor,
    Attribute,
    Backward,
    Call,
    Consume,
    LibraryClass,
    Pack,
    Python,
)

AT = "accelerate/accelerator.py:"

ACCELERATOR = LibraryClass(
    ("accelerate.Accelerator", "accelerate.accelerator.Accelerator"),
    source=AT + "185-640",
    members=(
        Call("prepare", gives=Arguments(perhaps=True), test="test_prepared_objects_are_the_same"),
        Call("prepare_model", ("model",), gives=Argument("model"), test="test_prepared_objects_are_the_same"),
        Call(
            "prepare_optimizer",
            ("optimizer",),
            gives=Argument("optimizer", perhaps=True),
            test="test_a_prepared_optimizer_may_be_held_back",
        ),
        Call("prepare_scheduler", ("scheduler",), gives=Argument("scheduler"), source=AT + "2788-2827"),
        Call("prepare_data_loader", ("data_loader",), gives=Argument("data_loader"), source=AT + "2685-2742"),
        Call(
            "backward",
            ("loss",),
            does=(Backward("loss"),),
            gives=NOTHING_AT_ALL,
            test="test_accelerator_backward_differentiates",
        ),
        Call("unwrap_model", ("model",), gives=Argument("model"), test="test_prepared_objects_are_the_same"),
        Call("accumulate", gives=Python("manager"), test="test_managers_leave_gradients_on"),
        Call("no_sync", ("model",), gives=Python("manager"), test="test_managers_leave_gradients_on"),
        Call("autocast", gives=Python("manager"), test="test_managers_leave_gradients_on"),
        Call("profile", gives=Python("manager"), source=AT + "4244-4301"),
        Call("main_process_first", gives=Python("manager"), source=AT + "1089-1109"),
        Call("local_main_process_first", gives=Python("manager"), source=AT + "1111-1131"),
        Call("split_between_processes", ("inputs",), gives=Argument("inputs"), source=AT + "834-873"),
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
            source=AT + "3050-3075",
        ),
        Call("unscale_gradients", ("optimizer",), gives=NOTHING_AT_ALL, source=AT + "2922-2953"),
        Call("print", gives=NOTHING_AT_ALL, source=AT + "1383-1398"),
        Call("log", gives=NOTHING_AT_ALL, source=AT + "3398-3427"),
        Call("wait_for_everyone", gives=NOTHING_AT_ALL, source=AT + "3288-3311"),
        Call("init_trackers", gives=NOTHING_AT_ALL, source=AT + "3313-3363"),
        Call("end_training", gives=NOTHING_AT_ALL, source=AT + "3429-3448"),
        Call("save", gives=NOTHING_AT_ALL, source=AT + "3450-3478"),
        Call("save_state", gives=Python("str"), source=AT + "3625-3758"),
        Call("on_main_process", ("function",), gives=Argument("function"), source=AT + "875-912"),
        Call("on_local_main_process", ("function",), gives=Argument("function"), source=AT + "914-954"),
        Call("skip_first_batches", ("dataloader",), gives=Argument("dataloader"), source=AT + "4314-4348"),
        *(Attribute(name, Python("bool"), source=f"{AT}{lines}") for name, lines in (
            ("is_main_process", "734-736"), ("is_local_main_process", "739-741"), ("is_last_process", "744-745"),
            ("sync_gradients", "1240-1241"), ("optimizer_step_was_skipped", "4304-4312"),
        )),
        *(Attribute(name, Python("int"), source=f"{AT}{lines}") for name, lines in (
            ("num_processes", "676-677"), ("process_index", "680-681"), ("local_process_index", "684-685"),
            ("gradient_accumulation_steps", "1248-1249"),
        )),
        Attribute("device", Python("device"), source=AT + "688-689"),
        Attribute("mixed_precision", Python("str"), source=AT + "748-749"),
    ),
)  # fmt: skip

pack = Pack(
    library="Accelerate",
    version="accelerate==1.15.0",
    roots=("accelerate",),
    classes=(ACCELERATOR,),
    functions=(Call("accelerate.utils.set_seed", gives=NOTHING_AT_ALL, source="accelerate/utils/random.py:31-70"),),
)
