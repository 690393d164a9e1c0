"""What a training loop tells: the events of its protocols and the facts they carry, program by program."""

from __future__ import annotations

from typing import Any

import pytest
from training_events import START, heard, only

from gradlint import events
from gradlint.domain import (
    NO,
    NONE,
    PLAIN,
    READY,
    SCALED,
    STEPPED,
    USED,
    YES,
    Belief,
    CauseKind,
    Optimizer,
    Tensor,
)
from gradlint.testing.widening import heard_events

# ---- steps, clearing, clipping


@pytest.mark.parametrize(
    ("body", "grads"),
    [
        ("optimizer.zero_grad(); loss().backward(); optimizer.step()", {"fresh"}),
        ("loss().backward(); optimizer.step()", {"fresh", "mixed"}),
        ("loss().backward(); optimizer.zero_grad(); optimizer.step()", {"lost"}),
        ("optimizer.zero_grad(); optimizer.step(); loss().backward()", {"none", "lost"}),
        ("optimizer.step(); optimizer.zero_grad(); loss().backward()", {"none", "fresh"}),
        ("model.zero_grad(); loss().backward(); optimizer.step()", {"fresh"}),
        ("optimizer.step()", {"none"}),
    ],
)
def test_what_a_step_finds_in_a_loop(body: str, grads: set[str]) -> None:
    text = f"loss = lambda: model(x).sum()\nfor _ in range(3):\n    {body}\n"
    stepped = heard(events.OptimizerStepped, text)
    assert {str(answer) for event in stepped for answer in event.grad.answers()} == grads
    assert {event.later for event in stepped} == {NO, YES}
    assert all(not event.grad.is_unsure and event.parameters for event in stepped)


def test_a_step_tells_of_its_closure() -> None:
    given = only(events.OptimizerStepped, "optimizer.step(lambda: model(x).sum())")
    assert isinstance(given.returned, Tensor)
    without = only(events.OptimizerStepped, "optimizer.step()")
    assert without.closure == without.returned and without.unit is PLAIN


def test_an_optimizer_is_built_from_parts_and_may_escape() -> None:
    event = heard(events.OptimizerBuilt, "torch.optim.SGD([{'params': model.parameters()}, {'params': [model.bias]}])")[
        1
    ]
    assert [len(part) for part in event.parts] == [2, 1] and len(event.parameters) == 3
    assert any(one is event.parts[1][0] for one in event.parts[0])
    for handed, escapes in (("train(optimizer)", True), ("print(optimizer)", False)):
        told = heard_events(f"{START}from elsewhere import train\n{handed}\n")
        built = next(event for event in told if type(event) is events.OptimizerBuilt)
        (finished,) = [event for event in told if type(event) is events.ModuleFinished]
        assert (built.graph in finished.escaped) == escapes


def test_clipping_tells_the_state_and_the_unit() -> None:
    text = "scaler.scale(model(x).sum()).backward()\n{}nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
    assert only(events.GradientsClipped, text.format("")).unit is SCALED
    assert only(events.GradientsClipped, text.format("scaler.unscale_(optimizer)\n")).unit is PLAIN
    guarded = only(events.GradientsClipped, text.format("if amp:\n    scaler.unscale_(optimizer)\n"))
    assert guarded.unit is PLAIN | SCALED
    late = "model(x).sum().backward()\noptimizer.step()\nnn.utils.clip_grad_value_(model.parameters(), 1.0)\n"
    assert only(events.GradientsClipped, late).grad is USED
    assert only(events.GradientsClipped, "nn.utils.clip_grad_norm_(model.parameters(), 1.0)").grad is NONE


# ---- scalers and schedulers


def test_a_scaler_tells_where_its_optimizer_stands() -> None:
    text = """
for _ in range(3):
    optimizer.zero_grad()
    scaler.scale(model(x).sum()).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
"""
    told = [(event.what, str(event.stage), str(event.unit)) for event in heard(events.ScalerUsed, text)]
    once = [("scale", "?", "?"), ("unscale_", "ready", "scaled"), ("step", "unscaled", "plain"), ("update", "?", "?")]
    assert told == once * 2
    stepped = heard(events.OptimizerStepped, text)
    assert all(event.unit is PLAIN for event in stepped)
    forgotten = heard(
        events.ScalerUsed, text.replace("    scaler.update()\n", "").replace("    scaler.unscale_(optimizer)\n", "")
    )
    assert [event.stage for event in forgotten if event.what == "step"] == [READY, STEPPED]


def test_a_loss_that_is_not_scaled_and_a_step_past_the_scaler_show() -> None:
    plain = "scaler.scale(x.sum())\nmodel(x).sum().backward()\nscaler.step(optimizer)\n"
    step = next(event for event in heard(events.ScalerUsed, plain) if event.what == "step")
    assert step.unit is PLAIN and step.stage is READY
    past = "scaler.scale(model(x).sum()).backward()\noptimizer.step()\n"
    assert only(events.OptimizerStepped, past).unit is SCALED
    assert only(events.BackwardRun, past).unit is SCALED
    never = only(events.ScalerUsed, "model(x).sum().backward()\nscaler.step(optimizer)\n")
    assert never.scaler.begun is NO and never.scaler.enabled is YES
    two = "other = torch.optim.SGD([x], lr=1)\nscaler.scale(x.sum())\nscaler.unscale_(other)\nscaler.step(optimizer)\n"
    assert [str(event.stage) for event in heard(events.ScalerUsed, two)] == ["?", "ready", "ready"]


def test_a_scheduler_tells_whether_its_optimizer_has_stepped() -> None:
    text = """
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
for _ in range(2):
    scheduler.step()
    optimizer.step()
"""
    first, later = heard(events.SchedulerStepped, text)
    assert isinstance(first.optimizer, Optimizer) and first.scheduler.kind == "StepLR"
    assert first.optimizer.stepped is NO and later.optimizer is not None and later.optimizer.stepped is YES


# ---- backward


def test_a_second_backward_finds_the_graph_freed() -> None:
    for more, freed in (("", YES), ("retain_graph=True", NO), ("create_graph=True", NO)):
        text = f"loss = (model.weight ** 2).sum()\nloss.backward({more})\nloss.backward()\n"
        assert heard(events.BackwardRun, text)[1].freed is freed
    shared = "h = model.weight ** 2\ntorch.autograd.backward([h.sum(), h.mean()])\n"
    assert [event.freed for event in heard(events.BackwardRun, shared)] == [NO, NO]
    by_grad = "loss = (model.weight ** 2).sum()\ntorch.autograd.grad(loss, model.weight)\nloss.backward()\n"
    assert heard(events.BackwardRun, by_grad)[1].freed is YES
    apart = "a = model.weight ** 2\nb = model.bias ** 2\n(a.sum() + b.sum()).backward(inputs=[model.weight])\n"
    assert heard(events.BackwardRun, f"{apart}b.sum().backward()\n")[1].freed is NO
    assert heard(events.BackwardRun, f"{apart}a.sum().backward()\n")[1].freed is YES


def test_backward_tells_what_it_is_to_differentiate_by() -> None:
    event = only(events.BackwardRun, "torch.autograd.grad(model.weight.sum(), [model.bias], allow_unused=True)")
    assert event.unreached is YES and event.allow_unused is YES and event.inputs is not None and len(event.inputs) == 1
    event = only(events.BackwardRun, "torch.autograd.grad(model.weight.sum(), model.weight)")
    assert event.unreached is NO and event.gradient is NO
    event = only(events.BackwardRun, "(model.weight * 2).backward(torch.ones(1, 2))")
    assert event.gradient is YES and event.inputs is None


# ---- hooks, iterators, bindings, yields, results


def test_a_hook_is_told_and_what_it_writes() -> None:
    text = """
def halve(gradient):
    gradient.mul_(0.5)
model.weight.register_hook(halve)
model(x).sum().backward()
"""
    event = only(events.HookRegistered, text)
    assert event.by == "hook" and isinstance(event.of, Tensor)
    assert [event.target.made for event in heard(events.WrittenInPlace, text)] == ["hook"]


def test_an_iterator_is_told_each_time_it_is_consumed() -> None:
    text = "p = model.parameters()\ntorch.optim.SGD(p, lr=0.1)\nnn.utils.clip_grad_norm_(p, 1.0)\n"
    told = [(event.by, event.iterator.used) for event in heard(events.IteratorConsumed, text)][1:]
    assert told == [("optimizer", NO), ("clip_grad_norm_", YES)]
    assert heard(events.GradientsClipped, text)[0].parameters == ()
    loop = "p = model.parameters()\nfor _ in range(2):\n    nn.utils.clip_grad_norm_(p, 1.0)\n"
    assert [event.iterator.used for event in heard(events.IteratorConsumed, loop)[1:]] == [NO, YES]


@pytest.mark.parametrize(
    ("body", "read", "looped"),
    [
        ("for p in model.parameters():\n    p = p - 0.1 * p.grad\n", False, True),
        ("for p in model.parameters():\n    p = p - 0.1 * p.grad\n    print(p)\n", True, True),
        ("new = []\nfor p in model.parameters():\n    p = p - 0.1 * p.grad\n    new.append(p)\n", True, True),
        ("for p in model.parameters():\n    p = p - 0.1 * p.grad\nprint(p)\n", True, True),
        ("w = model.weight\nfor _ in range(3):\n    print(w)\n    w = w - 0.1 * w.grad\n", True, False),
        ("w = model.weight\nfor p in range(3):\n    w = w - 0.1 * w.grad\n", False, False),
    ],
)
def test_a_name_bound_anew_in_a_loop(body: str, read: bool, looped: bool) -> None:
    told = heard(events.NameRebound, f"model(x).sum().backward()\n{body}")
    assert {(event.read, event.looped) for event in told} == {(read, looped)}
    assert told[0].updates and isinstance(told[0].value, Tensor) and isinstance(told[0].old, Tensor)


def test_a_generator_tells_in_which_mode_it_waits() -> None:
    text = """
from contextlib import contextmanager
def inside():
    with torch.no_grad():
        yield x
def outside():
    with torch.no_grad():
        y = x * 2
    yield y
@torch.no_grad()
def decorated():
    yield x
@contextmanager
def manager():
    with torch.no_grad():
        yield
list(inside()), list(outside()), list(decorated())
with manager():
    pass
"""
    told = [(event.extent, event.grad_mode, event.manager) for event in heard(events.Yielded, text)]
    assert told == [("with", NO, False), ("", YES, False), ("decorator", NO, False), ("with", NO, True)]


def test_a_discarded_result_tells_of_what_it_is() -> None:
    def told(text: str) -> tuple[str, Any]:
        event = heard(events.ResultDiscarded, text)[-1]
        return event.called, type(event.of)

    assert told("x.detach()\n") == ("torch.Tensor.detach", Tensor)
    assert told("torch.relu(x)\n") == ("torch.relu", Tensor)
    assert told("x.detach\n")[0] == ""
    assert told("x + 1\n")[0] == ""


def test_events_tell_under_which_conditions_they_happen() -> None:
    text = """
for i in range(4):
    model(x).sum().backward()
    if (i + 1) % 2 == 0:
        optimizer.step()
    else:
        pass
    optimizer.zero_grad()
"""
    (step, _), (clear, _) = heard(events.OptimizerStepped, text), heard(events.GradientsCleared, text)
    assert [held for _, held in step.conditions] == [True] and clear.conditions == ()


def test_a_part_that_an_optimizer_holds_is_replaced() -> None:
    text = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
net = Net()
held = torch.optim.SGD(net.parameters(), lr=0.1)
net.fc = nn.Linear(2, 3)
"""
    last = heard(events.AttributeAssigned, text)[-1]
    assert last.attr == "fc" and len(last.holders) == 1


def test_unknown_code_may_do_anything_to_a_protocol() -> None:
    text = "from elsewhere import train\nscaler.scale(model(x).sum()).backward()\ntrain(model, optimizer, scaler)\n"
    event = only(events.OptimizerStepped, f"{text}optimizer.step()\n")
    assert event.grad.is_unsure and event.unit.is_unsure and event.optimizer.stepped.is_unsure
    step = next(e for e in heard(events.ScalerUsed, f"{text}scaler.step(optimizer)\n") if e.what == "step")
    assert step.stage.is_unsure and step.scaler.begun.is_unsure


def test_what_nobody_was_seen_to_make_is_known_by_use() -> None:
    text = """
def fit(net, opt, grad_scaler, plan):
    for batch in range(3):
        opt.zero_grad()
        grad_scaler.scale(net(x).sum()).backward()
        grad_scaler.unscale_(opt)
        grad_scaler.step(opt)
        grad_scaler.update()
        opt.step()
        print(plan.get_last_lr())
        plan.step()
"""
    used = heard(events.ScalerUsed, text)
    assert {event.what for event in used} == {"scale", "unscale_", "step", "update"}
    assert {event.belief for event in used} == {Belief.FROM_USAGE}
    assert not any(event.unit <= SCALED for event in used)
    assert {event.belief for event in heard(events.SchedulerStepped, text)} == {Belief.FROM_USAGE}


def test_a_backward_told_only_its_options_shows_a_tensor() -> None:
    text = """
from elsewhere import judge
def fit(engine):
    loss = judge(x)
    loss.backward({how})
    engine.backward(loss, retain_graph=True)
    engine.backward(dout=loss)
"""
    for how in ("", "retain_graph=True", "create_graph=True"):
        assert only(events.BackwardRun, text.format(how=how)).root.belief is Belief.FROM_USAGE
    assert heard(events.BackwardRun, text.format(how="dout=x")) == []


def test_what_is_called_as_well_as_its_forward_is_a_module() -> None:
    text = """
def fit(car):
    car.forward(x)
"""
    assert heard(events.ModuleCalled, text) == []
    assert {event.how for event in heard(events.ModuleCalled, f"{text}    car(x)\n")} == {"forward", "call"}


@pytest.mark.parametrize(("method", "unsure"), [("clone", False), ("fit", True), ("train_part", True)])
def test_a_method_that_nobody_knows_leaves_gradients_of_its_module_alone_at_best(method, unsure) -> None:
    """What is known of them then is likely at most, and nothing if the name of the method speaks of training."""
    text = f"""
from elsewhere import wrap
whole = wrap(model)
opt = torch.optim.Adam(whole.parameters())
part = whole.{method}()
opt.zero_grad()
part(x).sum().backward()
opt.step()
"""
    event = only(events.OptimizerStepped, text)
    assert event.unit.is_unsure
    assert event.grad.is_unsure is unsure
    assert event.belief > Belief.ANNOTATED


# ---- what a loop leaves, and how things are written


def mixed_at(text: str) -> list[Any]:
    """Where the last step found a gradient that was added to a used one."""
    return [
        mark.node
        for mark in heard(events.OptimizerStepped, text)[-1].parameters[0].causes
        if mark.kind is CauseKind.MIXED
    ]


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("model(x).sum().backward(); optimizer.step()", True),
        ("model(x).sum().backward(); optimizer.step(); optimizer.zero_grad()", False),
        ("if i % 2: optimizer.zero_grad()\n    model(x).sum().backward(); optimizer.step()", False),
        ("model(x).sum().backward()\n    if i % 2: optimizer.step()", True),
    ],
)
def test_a_backward_marks_what_a_step_has_used_and_nobody_cleared(body: str, left: bool) -> None:
    text = f"for i in range(4):\n    {body}\n"
    assert bool(mixed_at(text)) == left


def test_events_say_how_optimizers_scalers_and_losses_are_written() -> None:
    text = """
holder = {"g": optimizer}
loss = model(x).mean()
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
loss = loss.detach() * model.weight.sum()
loss.backward()
holder["g"].step()
model.zero_grad()
optimizer.zero_grad()
model.weight.grad = None
torch.optim.lr_scheduler.StepLR(optimizer, 1).step()
"""
    used = [(event.what, event.name, event.optimizer_name) for event in heard(events.ScalerUsed, text)]
    assert used == [("scale", "scaler", ""), ("step", "scaler", "optimizer"), ("update", "scaler", "")]
    assert [event.name for event in heard(events.OptimizerStepped, text)] == ["optimizer", 'holder["g"]']
    scaled, plain = heard(events.BackwardRun, text)
    assert (scaled.name, plain.name) == ("", "loss") and scaled.of is not None
    assert scaled.made_by == ("mean",) and plain.made_by == ("mul",)
    cleared = [(event.by, event.name) for event in heard(events.GradientsCleared, text)]
    assert cleared == [("module", "model"), ("optimizer", "optimizer"), ("assign", "")]


@pytest.mark.parametrize("bound", ["float('inf')", "math.inf", "torch.inf"])
def test_clipping_to_infinity_only_measures(bound: str) -> None:
    text = f"import math\nmodel(x).sum().backward()\nnn.utils.clip_grad_norm_(model.parameters(), {bound})\n"
    assert heard(events.GradientsClipped, text) == []


@pytest.mark.parametrize(
    ("test", "periodic"),
    [
        ("i % 2 == 0", True),
        ("(i + 1) % every == 0 or i == last", True),
        ("not i % 2", True),
        ("now", True),
        ("i > 2", False),
        ("'%d' % i == '2'", False),
    ],
)
def test_a_loop_knows_which_tests_hold_every_so_many_times(test: str, periodic: bool) -> None:
    text = f"every = last = 4\nfor i in range(9):\n    now = i % 3 == 0\n    if {test}:\n        optimizer.step()\n"
    told = heard_events(START + text)
    (loop,) = [event for event in told if type(event) is events.LoopFinished]
    guards = {held for event in told if type(event) is events.OptimizerStepped for held, _ in event.conditions}
    assert bool(guards & loop.periodic) == periodic and guards


def test_a_module_is_told_with_all_its_parameters() -> None:
    text = "net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1, bias=False))\n"
    assert [len(event.parameters) for event in heard(events.ModuleBuilt, text)][-3:] == [2, 1, 3]
    assert heard(events.ModuleBuilt, text)[-1].open is NO


def test_instances_made_alike_are_made_where_they_are_called() -> None:
    text = "class Net(nn.Module):\n    pass\nfirst, second = Net(), Net()\n"
    first, second = heard(events.ModuleBuilt, text)[-2:]
    assert first.module.causes[0].node is first.node and second.module.causes[0].node is second.node


def test_an_unknown_operand_leaves_the_unit_of_what_certainly_led_to_the_root() -> None:
    text = """
def update(batch: torch.Tensor):
    model = nn.Linear(2, 1)
    optimizer, scaler = torch.optim.SGD(model.parameters(), lr=0.1), torch.amp.GradScaler("cpu")
    {}.backward()
    scaler.step(optimizer)
"""
    for root, unit in (("scaler.scale(model(batch).sum())", SCALED), ("model(batch).sum()", PLAIN)):
        told = [event for event in heard(events.ScalerUsed, text.format(root)) if event.what == "step"]
        assert told[0].unit <= unit
