"""What rows of packs say is seen where the library runs: each test is named by the rows that it confirms."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import distribution
from types import ModuleType
from typing import Any

import pytest
from pinned import graph_of_one_weight, holds_gradients, need, of_hooks

from gradlint.registry import packs

torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.packs, pytest.mark.filterwarnings("ignore")]


# ---- einops


@pytest.fixture
def einops() -> Any:
    need("einops==0.8.1")
    import einops

    return einops


def asked() -> Any:
    return torch.arange(6.0).reshape(2, 3).requires_grad_()


def shares(one: Any, other: Any) -> bool:
    return one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()


def test_einops_rearranges_by_views_and_copies(einops):
    leaf = asked()
    view, copy = einops.rearrange(leaf, "a b -> b a"), einops.rearrange(leaf, "a b -> (b a)")
    wide, long = einops.repeat(leaf, "a b -> a b c", c=2), einops.repeat(leaf, "a b -> a (b c)", c=2)
    assert [shares(one, leaf) for one in (view, copy, wide, long)] == [True, False, True, False]
    for one in (view, copy, wide, long):
        assert one.requires_grad and not one.is_leaf
        assert torch.autograd.grad(one.sum(), leaf)[0].count_nonzero() == 6
    assert einops.rearrange(leaf, "a b -> a b") is leaf and einops.repeat(leaf, "a b -> a b") is leaf
    assert einops.rearrange([leaf, leaf], "c a b -> a b c").requires_grad


def test_einops_reduces_differentiably(einops):
    leaf = asked()
    for how in ("mean", "sum", "max", "min", "prod"):
        reduced = einops.reduce(leaf, "a b -> a", how)
        assert reduced.requires_grad and not reduced.is_leaf and not shares(reduced, leaf)
        assert torch.autograd.grad(reduced.sum(), leaf)[0].count_nonzero() > 0
    assert einops.reduce(leaf, "a b -> a b", "mean") is leaf


def test_einops_multiplies_by_einsum(einops):
    leaf, other = asked(), torch.ones(3, 2)
    product = einops.einsum(leaf, other, "a b, b c -> a c")
    assert product.requires_grad and not product.is_leaf
    with torch.no_grad():
        other.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_einops_packs_a_new_tensor(einops):
    leaf = asked()
    packed, shapes = einops.pack([leaf, leaf], "a *")
    assert packed.requires_grad and not shares(packed, leaf) and isinstance(shapes, list)


def test_layers_of_einops_have_no_parameters_but_the_mixing_one(einops):
    from einops.layers.torch import EinMix, Rearrange, Reduce

    for layer in (Rearrange("a b -> b a"), Reduce("a b -> a", "mean")):
        assert not list(layer.parameters()) and layer.training
        assert layer(asked()).requires_grad
    mixing = EinMix("a b -> a c", weight_shape="b c", bias_shape="c", b=3, c=2)
    assert all(parameter.requires_grad for parameter in mixing.parameters())
    mixing(asked()).sum().backward()
    assert holds_gradients(mixing)


# ---- Accelerate


@pytest.fixture
def accelerator() -> Any:
    need("accelerate==1.15.0")
    from accelerate import Accelerator
    from accelerate.state import AcceleratorState, GradientState, PartialState

    for state in (AcceleratorState, GradientState, PartialState):
        state._reset_state()
    return Accelerator(cpu=True, gradient_accumulation_steps=2)


def test_prepared_objects_are_the_same(accelerator):
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    prepared, wrapped = accelerator.prepare(model, optimizer)
    assert prepared is model and wrapped.optimizer is optimizer
    assert accelerator.unwrap_model(prepared) is model
    alone = torch.nn.Linear(3, 1)
    assert accelerator.prepare(alone) is alone
    assert accelerator.prepare_model(alone) is alone


def test_a_prepared_optimizer_may_be_held_back(accelerator):
    model = torch.nn.Linear(3, 1)
    optimizer = accelerator.prepare_optimizer(torch.optim.SGD(model.parameters(), lr=0.1))
    done = []
    for _ in range(2):
        with accelerator.accumulate(model):
            before = model.weight.detach().clone()
            accelerator.backward(graph_of_one_weight(model))
            optimizer.step()
            optimizer.zero_grad()
            done.append((not torch.equal(before, model.weight), model.weight.grad is None))
    assert done == [(False, False), (True, True)]


def test_accelerator_backward_differentiates(accelerator):
    model = torch.nn.Linear(3, 1)
    loss = graph_of_one_weight(model)
    assert accelerator.backward(loss, retain_graph=True) is None
    assert holds_gradients(model)
    accelerator.backward(loss)
    with pytest.raises(RuntimeError, match="second time"):
        accelerator.backward(loss)


def test_managers_leave_gradients_on(accelerator):
    model = torch.nn.Linear(3, 1)
    for manager in (accelerator.accumulate(model), accelerator.no_sync(model), accelerator.autocast()):
        with manager:
            assert torch.is_grad_enabled()


def test_clipping_gives_a_tensor(accelerator):
    model = accelerator.prepare(torch.nn.Linear(3, 1))
    accelerator.backward(graph_of_one_weight(model))
    norm = accelerator.clip_grad_norm_(model.parameters(), 1.0)
    assert isinstance(norm, torch.Tensor) and not norm.requires_grad


# ---- transformers


SIZES = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8, "vocab_size": 16}


@pytest.fixture
def transformers() -> Any:
    need("transformers==5.23.0")
    import transformers

    transformers.logging.set_verbosity_error()
    return transformers


def test_pretrained_models_come_in_eval_mode(transformers, tmp_path):
    made = transformers.BertForSequenceClassification(transformers.BertConfig(**SIZES))
    assert made.training and all(parameter.requires_grad for parameter in made.parameters())
    made.save_pretrained(tmp_path)
    for cls in (transformers.BertForSequenceClassification, transformers.AutoModelForSequenceClassification):
        loaded = cls.from_pretrained(tmp_path)
        assert not loaded.training and all(parameter.requires_grad for parameter in loaded.parameters())
    tokens = torch.tensor([[1, 2, 3]])
    outputs = loaded(tokens, labels=torch.tensor([1]))
    assert outputs.loss.requires_grad and outputs.logits.requires_grad


def test_generate_switches_gradients_off(transformers):
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_embd=8, n_layer=1, n_head=2, vocab_size=16))
    modes = []
    model.register_forward_pre_hook(lambda *args: modes.append(torch.is_grad_enabled()))
    made = model.generate(torch.tensor([[1]]), max_new_tokens=1, do_sample=False, pad_token_id=0)
    assert modes == [False] and not made.requires_grad and torch.is_grad_enabled()


def test_trainer_calls_in_these_modes(transformers, tmp_path):
    pytest.importorskip("accelerate")
    seen: dict[str, set[tuple[bool, bool]]] = {}

    def noting(name: str) -> Any:
        def hook(self: Any, model: Any, *args: Any, **keywords: Any) -> Any:
            assert isinstance(model, torch.nn.Module)
            seen.setdefault(name, set()).add((torch.is_grad_enabled(), model.training))
            return getattr(transformers.Trainer, name)(self, model, *args, **keywords)

        return hook

    hooks = of_hooks("transformers.Trainer")
    cls = type("Noting", (transformers.Trainer,), {name: noting(name) for name in hooks})
    model = transformers.BertForSequenceClassification(transformers.BertConfig(**SIZES))
    rows = [{"input_ids": [1, 2, 3], "labels": 1}] * 2
    options = transformers.TrainingArguments(
        output_dir=str(tmp_path), max_steps=2, report_to=[], disable_tqdm=True, use_cpu=True, save_strategy="no",
        logging_strategy="no",
    )  # fmt: skip
    trainer = cls(model=model, args=options, train_dataset=rows, eval_dataset=rows)
    assert trainer.model is model
    trainer.train()
    trainer.evaluate()
    for name, hook in hooks.items():
        if hook.gradients != "?":
            assert {on for on, _ in seen[name]} == {hook.gradients == "on"}, name
        if hook.mode != "?":
            assert {training for _, training in seen[name]} == {hook.mode == "train"}, name
    assert seen["compute_loss"] == {(True, True), (False, False)}


def test_models_are_told_by_their_names(transformers):
    """Every public name that a pattern takes for a model is one that derives from nn.Module."""
    rows = {name: packs().cls(f"transformers.{name}") for name in dir(transformers)}
    named = [name for name, known in rows.items() if known is not None and known.row.kind == "module"]
    models = classes_of(transformers)
    assert len(named) > 1000
    assert [name for name in named if not models.get(name)] == []


@cache
def classes_of(transformers: ModuleType) -> dict[str, bool]:
    """For each class of the library's files, whether it derives from nn.Module; read, for importing all is slow."""
    import ast
    from pathlib import Path

    bases: dict[str, set[str]] = {}
    for path in Path(transformers.__file__ or "").parent.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                above = [re.split(r"\W", ast.unparse(base).rpartition(".")[2])[0] for base in node.bases]
                bases.setdefault(node.name, set()).update(above)
    found: dict[str, bool] = {"Module": True, "_BaseAutoModelClass": True}

    def derives(name: str) -> bool:
        if name not in found:
            found[name] = False
            found[name] = any(derives(base) for base in bases.get(name, ()))
        return found[name]

    return {name: derives(name) for name in bases}


# ---- timm


@pytest.fixture
def timm_utils(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`timm.utils` as a folder of modules, without the `__init__` of timm, which wants torchvision."""
    need("timm==1.0.20")
    for name in ("timm", "timm.utils"):
        bare = ModuleType(name)
        bare.__path__ = [str(distribution("timm").locate_file(name.replace(".", "/")))]
        monkeypatch.setitem(sys.modules, name, bare)
    yield
    for name in [name for name in sys.modules if name.startswith("timm.")]:
        del sys.modules[name]


@pytest.mark.usefixtures("timm_utils")
def test_native_scaler_differentiates_and_steps():
    from timm.utils.cuda import NativeScaler

    scaler = NativeScaler(device="cpu")
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model.weight.detach().clone()
    assert scaler(graph_of_one_weight(model), optimizer, need_update=False) is None
    assert holds_gradients(model) and torch.equal(before, model.weight)
    scaler(graph_of_one_weight(model), optimizer, clip_grad=1.0, parameters=model.parameters())
    assert not torch.equal(before, model.weight)


# ---- ignite


@pytest.fixture
def ignite() -> Any:
    need("pytorch-ignite==0.5.5")
    from ignite import engine

    return engine


def test_an_engine_calls_its_function_as_it_is(ignite):
    seen = []

    def step(engine: Any, batch: Any) -> None:
        seen.append((type(engine), torch.is_grad_enabled()))

    engine = ignite.Engine(step)
    handled = []
    engine.add_event_handler(ignite.Events.COMPLETED, lambda engine: handled.append(type(engine)))
    engine.run([1])
    with torch.no_grad():
        engine.run([1])
    assert seen == [(ignite.Engine, True), (ignite.Engine, False)]
    assert handled == [ignite.Engine, ignite.Engine]


def test_a_supervised_trainer_trains(ignite):
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model.weight.detach().clone()
    trainer = ignite.create_supervised_trainer(model, optimizer, torch.nn.functional.mse_loss)
    assert type(trainer) is ignite.Engine
    trainer.run([(torch.rand(2, 3), torch.rand(2, 1))])
    assert model.training and not torch.equal(before, model.weight)


def test_a_supervised_evaluator_has_gradients_off(ignite):
    model = torch.nn.Linear(3, 1)
    evaluator = ignite.create_supervised_evaluator(model)
    assert type(evaluator) is ignite.Engine
    output = evaluator.run([(torch.rand(2, 3), torch.rand(2, 1))]).output
    assert not model.training and not output[0].requires_grad


# ---- torchvision


def test_models_have_the_parts_that_are_told():
    """Built without memory; what is told to be of a class of torch is of no other."""
    need("torchvision==0.28.0")
    from importlib import import_module

    from gradlint.knowledge.libraries.torchvision import BUILDERS, NETWORK, PARTS, parts_of

    for file, names in BUILDERS:
        module = import_module(f"torchvision.models.{file.replace('/', '.')}")
        bare = {"weights_backbone": None} if file.startswith(("detection", "segmentation")) else {}
        for name in names.split() if file in PARTS else ():
            with torch.device("meta"):
                children = dict(getattr(module, name)(weights=None, **bare).named_modules())
            for part, path in parts_of(file, name).items():
                assert path in (NETWORK, f"torch.nn.{type(children[part]).__name__}"), (name, part)
                assert getattr(children[part], "p", 0.5) > 0, (name, part)
