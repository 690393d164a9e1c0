"""ignite: engines call the functions they are given, with an engine and a batch, in whatever mode `run()` is called."""

from __future__ import annotations

from gradlint.knowledge.packs import (
    NOTHING_AT_ALL,
    Argument,
    Call,
    Decorator,
    Hand,
    Hook,
    LibraryClass,
    New,
    Pack,
)

ENGINE = "ignite.engine.Engine"
FILE = "ignite/engine/engine.py:Engine"
STEP = Hook("process_function", handed=(New(ENGINE),), test="test_an_engine_calls_its_function_as_it_is")
HANDLER = Hook("handler", handed=(New(ENGINE),), test="test_an_engine_calls_its_function_as_it_is")

pack = Pack(
    library="ignite",
    version="pytorch-ignite==0.5.5",
    roots=("ignite",),
    classes=(
        LibraryClass(
            (ENGINE, "ignite.engine.engine.Engine"),
            parameters=("process_function",),
            does=(Hand("process_function", STEP),),
            members=(
                Call("on", gives=Decorator(), source=f"{FILE}.on"),
                Call(
                    "add_event_handler",
                    ("event_name", "handler"),
                    does=(Hand("handler", HANDLER),),
                    gives=New("ignite.engine.events.RemovableEventHandle"),
                    source=f"{FILE}.add_event_handler",
                ),
                Call("terminate", gives=NOTHING_AT_ALL, source=f"{FILE}.terminate"),
            ),
            source=f"{FILE}.__init__",
        ),
        LibraryClass(
            ("ignite.engine.events.RemovableEventHandle",),
            source="ignite/engine/events.py:RemovableEventHandle",
        ),
        LibraryClass(
            ("ignite.metrics.Metric", "ignite.metrics.[A-Z]*"),
            members=(Call("attach", gives=NOTHING_AT_ALL, source="ignite/metrics/metric.py:Metric.attach"),),
            source="ignite/metrics/metric.py:Metric",
        ),
        LibraryClass(("ignite.handlers.[A-Z]*",), source="ignite/handlers/checkpoint.py:Checkpoint"),
    ),
    functions=(
        Call(
            "ignite.engine.create_supervised_trainer",
            ("model", "optimizer", "loss_fn"),
            gives=New(ENGINE, holding=(("model", Argument("model")), ("optimizer", Argument("optimizer")))),
            test="test_a_supervised_trainer_trains",
        ),
        Call(
            "ignite.engine.create_supervised_evaluator",
            ("model",),
            gives=New(ENGINE, holding=(("model", Argument("model")),)),
            test="test_a_supervised_evaluator_has_gradients_off",
        ),
    ),
)
