"""Input that is made up: with it a network is tried, or its sizes are found; nobody learns or predicts from it."""

from __future__ import annotations

from gradlint.domain import YES, Constant, Tensor, made_at, memories
from gradlint.events import Called, ModuleCalled, ModuleFinished, Recorded, Role, WrittenInPlace
from gradlint.rule import runs_around

NOISE = frozenset({"rand", "rand_like", "randn", "randn_like", "normal", "normal_"})
"""The factories of inputs from which networks generate, or with which they are tried."""
FACTORIES = NOISE | {"empty", "ones", "ones_like", "randint", "zeros", "zeros_like"}
"""The factories of inputs that are no data."""


class MadeUp:
    """The made-up tensors of a whole file. Memory that something else is written into holds data, unless it is a method
    of a module that writes."""

    def __init__(self, end: ModuleFinished) -> None:
        runs = {run.index: run for run in end.runs}
        made = [one for one in end.story if isinstance(one, Recorded) and one.op in FACTORIES]
        self._made = {one.result.storage: one.op for one in made if one.result.storage}
        writes = [one for one in end.story if isinstance(one, WrittenInPlace) and one.op not in FACTORIES]
        by_modules = {one for one in writes if any(Role.OF_MODULE in run.roles for run in runs_around(one, runs))}
        self._filled = memories(one.target for one in writes if one not in by_modules)
        self._wrappings = [one for one in end.story if isinstance(one, Called) and one.path == VARIABLE]

    def by(self, tensor: object) -> str:
        """Return the factory of a tensor or of its memory, or of what is in the `Variable` that it is; nothing where
        it is no made-up tensor."""
        if not isinstance(tensor, Tensor) or tensor.storage in self._filled:
            return ""
        wrapped = [
            inner.made
            for one in self._wrappings
            if tensor.made == "Variable" and one.node in made_at(tensor)
            for inner in one.args[:1]
            if isinstance(inner, Tensor)
        ]
        found = self._made.get(tensor.storage) or (wrapped[0] if wrapped else tensor.made)
        return found if found in FACTORIES else ""

    def is_all_of(self, call: ModuleCalled) -> bool:
        """Return whether a module is given what is made up, and perhaps what it gave before; constants say nothing."""
        given = [one for one in call.args if not isinstance(one, Constant)]
        made_up = [bool(self.by(one)) for one in given]
        own = [isinstance(one, Tensor) and one.requires_grad.possibly(YES) for one in given]
        return any(made_up) and all(one or before for one, before in zip(made_up, own, strict=True))


VARIABLE = "torch.autograd.Variable"
"""The wrapper of tensors from before they recorded by themselves."""
