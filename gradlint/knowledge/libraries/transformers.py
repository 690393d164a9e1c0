"""Hugging Face transformers: models by their names, `from_pretrained` in eval mode, and what Trainer calls."""

from __future__ import annotations

from gradlint.knowledge.packs import (
    NOTHING_AT_ALL,
    Anything,
    Argument,
    Attribute,
    Call,
    Hook,
    LibraryClass,
    New,
    Pack,
    Python,
    attributes,
    calls,
)

MODULE = "torch.nn.Module"
PRETRAINED = "transformers.PreTrainedModel"
CONFIG = "transformers.PreTrainedConfig"

OF_MODELS = "transformers/modeling_utils.py:PreTrainedModel"
OF_UTILS = "transformers/modeling_utils.py:ModuleUtilsMixin"
OF_AUTO = "transformers/models/auto/auto_factory.py:_BaseAutoModelClass"
OF_TRAINER = "transformers/trainer.py:Trainer"
CALLED = "test_trainer_calls_in_these_modes"


def loaded(path: str, source: str, *patterns: str) -> LibraryClass:
    """Plain objects that `from_pretrained` loads."""
    load = Call("from_pretrained", of_class=True, gives=New(), source=f"{source}.from_pretrained")
    return LibraryClass((path, *patterns), members=(load,), source=source)


def schedule(name: str, *parameters: str) -> Call:
    """A function that gives a scheduler of torch over an optimizer."""
    return Call(
        f"transformers.{name}",
        parameters,
        gives=New("torch.optim.lr_scheduler.LambdaLR", holding=(("optimizer", Argument("optimizer")),)),
        also=(f"transformers.optimization.{name}",),
        source=f"transformers/optimization.py:{name}",
    )


MODEL = LibraryClass(
    (PRETRAINED, "transformers.modeling_utils.PreTrainedModel"),
    kind="module",
    open=False,
    source=OF_MODELS,
    members=(
        Call("from_pretrained", of_class=True, gives=New(mode="eval"), test="test_pretrained_models_come_in_eval_mode"),
        Call("from_config", of_class=True, gives=New(mode="train"), source=f"{OF_AUTO}.from_config"),
        Call("_from_config", of_class=True, gives=New(mode="train"), source=f"{OF_MODELS}._from_config"),
        Call("generate", gives=Anything(), test="test_generate_switches_gradients_off"),
        *calls("save_pretrained post_init gradient_checkpointing_enable", NOTHING_AT_ALL, OF_MODELS),
        *calls("num_parameters", Python("int"), OF_UTILS),
        *attributes("device", Python("device"), OF_UTILS),
        Attribute("config", New(CONFIG), source=f"{OF_MODELS}.__init__"),
    ),
)

TRAINER = LibraryClass(
    ("transformers.Trainer", "transformers.trainer.Trainer", "transformers.Seq2SeqTrainer"),
    parameters=("model", "args"),
    holds=(("model", Argument("model")), ("args", Argument("args"))),
    source=f"{OF_TRAINER}.__init__",
    members=(
        *calls("log save_model", NOTHING_AT_ALL, OF_TRAINER),
        *calls("is_world_process_zero is_local_process_zero", Python("bool"), OF_TRAINER),
        Call("_prepare_inputs", ("inputs",), gives=Argument("inputs"), source=f"{OF_TRAINER}._prepare_inputs"),
        Attribute("state", New("transformers.TrainerState"), source=f"{OF_TRAINER}.__init__"),
        Attribute(
            "accelerator",
            New("accelerate.Accelerator"),
            source=f"{OF_TRAINER}.create_accelerator_and_postprocess",
        ),
    ),
    hooks=(
        Hook("compute_loss", handed=(New(MODULE),), test=CALLED),
        Hook("training_step", gradients="on", handed=(New(MODULE),), test=CALLED),
        Hook("prediction_step", gradients="on", mode="eval", handed=(New(MODULE),), test=CALLED),
    ),
)

pack = Pack(
    library="transformers",
    version="transformers==5.23.0",
    roots=("transformers",),
    classes=(
        MODEL,
        LibraryClass(
            ("transformers.DataCollator*", "transformers.*ForRope"),
            source="transformers/data/data_collator.py:DataCollatorForLanguageModeling",
        ),
        LibraryClass(
            (
                "transformers.*Model",
                "transformers.*For[A-Z]*",
                "transformers.*WithProjection",
                "transformers.*Backbone",
            ),
            kind="module",
            bases=(PRETRAINED,),
            own=True,
            outputs=("loss", "logits", "last_hidden_state", "pooler_output"),
            test="test_models_are_told_by_their_names",
        ),
        TRAINER,
        LibraryClass(("transformers.TrainerCallback",), source="transformers/trainer_callback.py:TrainerCallback"),
        LibraryClass(("transformers.TrainerState",), source="transformers/trainer_callback.py:TrainerState"),
        LibraryClass(
            ("transformers.TrainingArguments", "transformers.Seq2SeqTrainingArguments"),
            source="transformers/training_args.py:TrainingArguments",
        ),
        loaded(
            CONFIG,
            "transformers/configuration_utils.py:PreTrainedConfig",
            "transformers.PretrainedConfig",
            "transformers.*Config",
        ),
        loaded(
            "transformers.PreTrainedTokenizerBase",
            "transformers/tokenization_utils_base.py:PreTrainedTokenizerBase",
            "transformers.*Tokenizer",
            "transformers.*TokenizerFast",
        ),
        loaded(
            "transformers.ProcessorMixin", "transformers/processing_utils.py:ProcessorMixin", "transformers.*Processor"
        ),
    ),
    functions=(
        Call("transformers.set_seed", gives=NOTHING_AT_ALL, source="transformers/trainer_utils.py:set_seed"),
        schedule("get_scheduler", "name", "optimizer"),
        schedule("get_constant_schedule_with_warmup", "optimizer"),
        schedule("get_linear_schedule_with_warmup", "optimizer"),
        schedule("get_cosine_schedule_with_warmup", "optimizer"),
        schedule("get_polynomial_decay_schedule_with_warmup", "optimizer"),
    ),
)
