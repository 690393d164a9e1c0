"""Functions of torch at whose entry it is heard what is done: what torch itself does not tell."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import torch
from torch import nn

from gradlint.testing.diary import parameters, several
from tests.fuzz.acts import FILE, arrivals, content, flat, is_computed, nodes_of, value_of

BACKWARD = inspect.signature(torch.autograd.backward)
GRAD = inspect.signature(torch.autograd.grad)


class Listener(Protocol):
    """Who writes down what is heard."""

    before: dict[int, list[tuple[Any, ...]]]

    def note(self, what: str, **facts: Any) -> None:
        """Something happens."""

    def state(self, tensor: Any) -> tuple[Any, Any, Any]:
        """A tensor, and where its gradient stands."""


class Entries:
    """The functions, and what stands before each while a program runs."""

    def __init__(self, witness: Listener) -> None:
        self.witness, self.calls = witness, 0

    def all(self) -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
        """Whose function it is, its name, and what makes another of it."""
        yield torch.autograd, "backward", self._backward
        yield torch.autograd, "grad", self._grad
        yield torch.optim.Optimizer, "__init__", self._optimizer
        yield torch.optim.Optimizer, "zero_grad", self._clearing
        yield nn.Module, "zero_grad", self._clearing
        yield nn.utils, "clip_grad_norm_", self._clipping
        yield nn.utils, "clip_grad_value_", self._clipping
        yield nn.Module, "__call__", self._calling
        yield nn.Module, "__init__", self._building
        yield nn.Module, "__setattr__", self._attribute
        yield nn.Module, "register_buffer", self._buffer
        yield nn.Module, "state_dict", self._state
        yield nn.Module, "load_state_dict", self._loading
        yield nn.Parameter, "__new__", self._parameter
        yield torch, "save", self._saving
        yield torch.inference_mode, "__enter__", self._inference

    def _inference(self, run: Any) -> Any:
        def enter(mode: Any) -> None:
            run(mode)
            self.witness.note("inference", on=mode.mode)

        return enter

    def _backward(self, run: Any) -> Any:
        def backward(tensors: Any, *args: Any, **keywords: Any) -> None:
            given = BACKWARD.bind(tensors, *args, **keywords).arguments
            roots = several(tensors)
            nodes = nodes_of(roots)
            leaves = [one for node in nodes if (one := getattr(node, "variable", None)) is not None]
            own = [root for root in roots if root.grad_fn is None and root.requires_grad]
            leaves += own
            before = [None if leaf.grad is None else value_of(leaf.grad) for leaf in leaves]
            states = [self.witness.state(leaf) for leaf in leaves]
            facts: dict[str, Any] = {
                "roots": roots,
                "own": own,
                "nodes": nodes,
                "leaves": leaves,
                "before": before,
                "states": states,
            }
            facts |= {"kept": bool(given.get("retain_graph")), "circle": bool(given.get("create_graph"))}
            try:
                run(tensors, *args, **keywords)
            except RuntimeError as error:
                self.witness.note("backward", error=error, arrived=[], **facts)
                raise
            self.witness.note("backward", error=None, arrived=arrivals(leaves, before), **facts)

        return backward

    def _grad(self, run: Any) -> Any:
        def grad(outputs: Any, inputs: Any, *args: Any, **keywords: Any) -> Any:
            nodes = nodes_of(several(outputs))
            found = run(outputs, inputs, *args, **keywords)
            circle = bool(GRAD.bind(outputs, inputs, *args, **keywords).arguments.get("create_graph"))
            cut = [one for one in flat(found) if not one.requires_grad]
            self.witness.note("grad", nodes=nodes, inputs=several(inputs), result=found, circle=circle, cut=cut)
            return found

        return grad

    def _optimizer(self, init: Any) -> Any:
        def built(optimizer: Any, *args: Any, **keywords: Any) -> None:
            init(optimizer, *args, **keywords)
            self.witness.note("optimizer", optimizer=optimizer, held=parameters(optimizer))

        return built

    def steps(self, optimizer: Any, *_: Any) -> None:
        self.witness.before[id(optimizer)] = [
            (*self.witness.state(one), value_of(one)) for one in parameters(optimizer)
        ]

    def stepped(self, optimizer: Any, *_: Any) -> None:
        held = self.witness.before.pop(id(optimizer), [])
        moved = any(not torch.equal(one, value) for one, _, _, value in held)
        asking = {id(one) for one, *_ in held if one.requires_grad}
        self.witness.note("step", optimizer=optimizer, states=[one[:3] for one in held], moved=moved, asking=asking)

    def _clearing(self, run: Any) -> Any:
        def zero_grad(owner: Any, *args: Any, **keywords: Any) -> Any:
            held = parameters(owner) if isinstance(owner, torch.optim.Optimizer) else [*owner.parameters()]
            states = [self.witness.state(one) for one in held]
            result = run(owner, *args, **keywords)
            self.witness.note("cleared", tensors=states, by=owner)
            return result

        return zero_grad

    def _clipping(self, run: Any) -> Any:
        def clip(given: Any, *args: Any, **keywords: Any) -> Any:
            held = [given] if isinstance(given, torch.Tensor) else [*given]
            states = [self.witness.state(one) for one in held]
            self.witness.note("clipped", tensors=states)
            return run(held, *args, **keywords)

        return clip

    def _calling(self, run: Any) -> Any:
        def called(module: Any, *args: Any, **keywords: Any) -> Any:
            training, self.calls = module.training, self.calls + 1
            try:
                result = run(module, *args, **keywords)
            finally:
                self.calls -= 1
            self.witness.note(
                "module", module=module, training=training, args=args, result=result, nested=self.calls > 0
            )
            return result

        return called

    def _building(self, run: Any) -> Any:
        def built(module: Any, *args: Any, **keywords: Any) -> None:
            run(module, *args, **keywords)
            self.witness.note("built", module=module)

        return built

    def _attribute(self, run: Any) -> Any:
        def setattr_(module: Any, name: str, value: Any) -> None:
            caller = sys._getframe(1).f_code
            told = caller.co_filename == FILE or caller.co_name == "__setitem__"
            old = getattr(module, name, None) if told else None
            run(module, name, value)
            if told:
                self.witness.note("part", module=module, name=name, value=value, old=old, computed=is_computed(value))

        return setattr_

    def _buffer(self, run: Any) -> Any:
        def registered(module: Any, name: str, tensor: Any, persistent: bool = True) -> None:
            run(module, name, tensor, persistent)
            self.witness.note("buffer", asking=tensor is not None and tensor.requires_grad)

        return registered

    def _state(self, run: Any) -> Any:
        def state_dict(module: Any, *args: Any, **keywords: Any) -> Any:
            found = run(module, *args, **keywords)
            if sys._getframe(1).f_code.co_filename == FILE:
                self.witness.note("state", module=module, **content(found))
            return found

        return state_dict

    def _loading(self, run: Any) -> Any:
        def load_state_dict(module: Any, state: Any, *args: Any, **keywords: Any) -> Any:
            self.witness.note("loaded", module=module, **content(state))
            return run(module, state, *args, **keywords)

        return load_state_dict

    def _saving(self, run: Any) -> Any:
        def save(thing: Any, *_: Any, **__: Any) -> None:
            self.witness.note("saved", **content(thing))

        return save

    def _parameter(self, make: Any) -> Any:
        def new(cls: Any, data: Any = None, requires_grad: bool = True) -> Any:
            made = make(cls, data, requires_grad)
            if sys._getframe(1).f_code.co_filename == FILE:
                self.witness.note("parameter", data=data, result=made)
            return made

        return staticmethod(new)
