"""What rows of the pack for Lightning say is seen where it runs: each test is named by the rows that it confirms."""

from __future__ import annotations

import logging
import warnings
from typing import Any

import pytest
from pinned import graph_of_one_weight, holds_gradients, need, of_hooks

torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.packs, pytest.mark.filterwarnings("ignore")]


# ---- Lightning


@pytest.fixture
def lightning() -> Any:
    need("lightning==2.6.6")
    import lightning

    for name in ("lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return lightning


def rows_of(width: int = 3) -> Any:
    return torch.utils.data.DataLoader(torch.rand(4, width), 2)


def trainer_of(lightning: Any, **options: Any) -> Any:
    quiet = dict.fromkeys(("logger", "enable_checkpointing", "enable_progress_bar", "enable_model_summary"), False)
    return lightning.Trainer(max_epochs=1, accelerator="cpu", **quiet, **options)


def net_of(lightning: Any, **members: Any) -> Any:
    """A LightningModule with one layer and these members."""

    def __init__(self: Any) -> None:
        lightning.LightningModule.__init__(self)
        self.layer = torch.nn.Linear(3, 1)

    def configure_optimizers(self: Any) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def training_step(self: Any, batch: Any, index: int) -> Any:
        return self.layer(batch).sum()

    known = {"__init__": __init__, "configure_optimizers": configure_optimizers, "training_step": training_step}
    return type("Net", (lightning.LightningModule,), known | members)()


def test_a_lightning_module_has_only_the_parts_it_is_given(lightning):
    net = net_of(lightning)
    assert isinstance(net, torch.nn.Module) and net.training
    assert [name for name, _ in net.named_parameters()] == ["layer.weight", "layer.bias"]
    assert all(parameter.requires_grad for parameter in net.parameters())


def test_hooks_run_in_their_modes(lightning):
    """Which grad mode each hook runs in, of the module and of callbacks, and whether it is in eval mode."""
    seen: dict[str, set[tuple[bool, bool]]] = {}

    def note(name: str, net: Any) -> None:
        seen.setdefault(name, set()).add((torch.is_grad_enabled(), net.training))

    def step(name: str) -> Any:
        def hook(self: Any, batch: Any, index: int) -> Any:
            note(name, self)
            return self.layer(batch).sum()

        return hook

    def moment(name: str) -> Any:
        return lambda self, *args, **keywords: note(name, self)

    own = of_hooks("lightning.pytorch.LightningModule")
    steps = {name: step(name) for name in own if name.endswith("_step") and not name.startswith("on_")}
    net = net_of(lightning, **steps, **{name: moment(name) for name in own if name.startswith("on_")})

    def of_callback(name: str) -> Any:
        return lambda self, trainer, module, *args, **keywords: note(f"callback {name}", module)

    others = of_hooks("lightning.pytorch.Callback")
    callback = type("Noting", (lightning.Callback,), {name: of_callback(name) for name in others})()
    for inference in (True, False):
        trainer = trainer_of(lightning, callbacks=[callback], inference_mode=inference)
        trainer.fit(net, rows_of(), rows_of())
        trainer.validate(net, rows_of(), verbose=False)
        trainer.test(net, rows_of(), verbose=False)
        trainer.predict(net, rows_of())
    wrong = []
    for prefix, hooks in (("", own), ("callback ", others)):
        for name, hook in hooks.items():
            modes = seen[prefix + name]
            if hook.gradients != "?" and {on for on, _ in modes} != {hook.gradients == "on"}:
                wrong.append((prefix + name, modes))
            if hook.mode != "?" and {training for _, training in modes} != {hook.mode == "train"}:
                wrong.append((prefix + name, modes))
    assert wrong == []


def test_lightning_optimizers_are_those_configured(lightning):
    given = []

    def training_step(self: Any, batch: Any, index: int) -> None:
        given.append(self.optimizers())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.lr_schedulers()

    for count in (1, 2):

        def configure_optimizers(self: Any, count: int = count) -> Any:
            made = [torch.optim.SGD(self.parameters(), lr=0.1) for _ in range(count)]
            return made[0] if count == 1 else made

        net = net_of(lightning, configure_optimizers=configure_optimizers, training_step=training_step)
        net.automatic_optimization = False
        trainer_of(lightning).fit(net, rows_of())
    one, two = given[0], given[-1]
    assert isinstance(one.optimizer, torch.optim.SGD)
    assert isinstance(two, list) and len(two) == 2


def test_manual_backward_differentiates(lightning):
    seen = []

    def training_step(self: Any, batch: Any, index: int) -> None:
        self.zero_grad()
        assert self.manual_backward(self.layer(batch).sum()) is None
        seen.append(holds_gradients(self))

    net = net_of(lightning, training_step=training_step)
    net.automatic_optimization = False
    trainer_of(lightning).fit(net, rows_of())
    assert all(seen) and seen


def test_a_lightning_module_freezes(lightning):
    net = net_of(lightning)
    assert net.freeze() is net
    assert not net.training and not any(parameter.requires_grad for parameter in net.parameters())
    assert net.unfreeze() is net
    assert net.training and all(parameter.requires_grad for parameter in net.parameters())


def test_a_checkpoint_gives_a_module_in_train_mode(lightning, tmp_path):
    net = net_of(lightning).eval()
    trainer = trainer_of(lightning)
    trainer.strategy.connect(net)
    trainer.save_checkpoint(tmp_path / "net.ckpt")
    assert type(net).load_from_checkpoint(tmp_path / "net.ckpt").training


def test_fabric_wraps_what_it_sets_up(lightning):
    from lightning.fabric.wrappers import _FabricModule, _FabricOptimizer

    fabric = lightning.Fabric(accelerator="cpu", devices=1)
    net = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    model, wrapped = fabric.setup(net, optimizer)
    assert type(model) is _FabricModule and model.module is net and isinstance(model, torch.nn.Module)
    assert list(model.parameters()) == list(net.parameters())
    assert isinstance(wrapped, _FabricOptimizer) and wrapped.optimizer is optimizer
    assert model.eval() is model and not net.training
    assert type(fabric.setup(torch.nn.Linear(3, 1))) is _FabricModule
    assert type(fabric.setup_module(torch.nn.Linear(3, 1))) is _FabricModule
    assert type(fabric.setup_optimizers(torch.optim.SGD(net.parameters(), lr=0.1))).__mro__[1] is _FabricOptimizer


def test_fabric_backward_differentiates(lightning):
    fabric = lightning.Fabric(accelerator="cpu", devices=1)
    model = fabric.setup(torch.nn.Linear(3, 1))
    assert fabric.backward(graph_of_one_weight(model)) is None
    assert holds_gradients(model)
