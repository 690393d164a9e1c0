"""The diary of gradients while torch runs a program: the states of `.grad`, kept from what torch does.

torch itself does not tell whether a gradient was used by a step. So every backward, every step and every unscaling is
written down, for exactly the leaves that the real graph leads to and the parameters that the optimizer really has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from inspect import isgenerator
from typing import Any
from unittest import mock

from gradlint.domain import FRESH, LOST, NONE, PLAIN, SCALED, Grad, Unit
from gradlint.interpreter.autograd.tensor import BACKWARD, CLEARING, STEP

CLIPPING = ("clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_")
"""Functions of `torch.nn.utils` that multiply gradients."""


@dataclass(slots=True)
class Diary:
    """The state and the unit of the gradient of each leaf that had one and that gradient, the gradients that arrived,
    their versions then and whether they were anything but zeros, and the graph nodes that scaled a loss."""

    states: dict[int, tuple[Any, Grad, Unit]] = field(default_factory=dict)
    held: dict[int, Any] = field(default_factory=dict)
    arrived: dict[int, tuple[Any, int, bool]] = field(default_factory=dict)
    scaled: list[Any] = field(default_factory=list)

    def of(self, tensor: Any) -> tuple[Grad, Unit]:
        """Return the state of a leaf's gradient now; that it was cleared shows only in its being gone or zero, and that
        it was assigned in its being another one."""
        _, grad, unit = self.states.get(id(tensor), (tensor, NONE, PLAIN))
        self._find_empty(tensor)
        if tensor.grad is None or not (tensor.grad.any() or self.is_as_it_arrived(tensor)):
            grad = FRESH if self._was_assigned(tensor) else grad
            grad, unit = CLEARING.known.get(grad, grad), PLAIN
        elif grad in (NONE, LOST) or tensor.grad is not self.held.get(id(tensor)):
            grad = FRESH
        self.states[id(tensor)], self.held[id(tensor)] = (tensor, grad, unit), tensor.grad
        return grad, unit

    def _was_assigned(self, tensor: Any) -> bool:
        """Return whether a gradient of zeros that was not there when this was last asked has been written since it was
        assigned: it held something before it was cleared."""
        grad = tensor.grad
        new = grad is not None and grad is not self.held.get(id(tensor))
        return new and not grad.is_inference() and grad._version > 0

    def _find_empty(self, tensor: Any) -> None:
        """A gradient without elements that was assigned: nobody wrote zeros to it."""
        grad = tensor.grad
        if grad is not None and not grad.numel() and grad is not self.held.get(id(tensor)) and not grad.is_inference():
            self._note(tensor)

    def is_as_it_arrived(self, tensor: Any) -> bool:
        """Return whether nobody wrote the gradient since the last backward: it may be zero by nature. What writes it
        through `.data` leaves its version alone."""
        grad, version, filled = self.arrived.get(id(tensor), (None, 0, False))
        return grad is tensor.grad and version == tensor.grad._version and filled == bool(tensor.grad.any())

    def _note(self, tensor: Any) -> None:
        """The gradient of a tensor is as it arrived."""
        self.arrived[id(tensor)] = (tensor.grad, tensor.grad._version, bool(tensor.grad.any()))

    @contextmanager
    def scaling(self, tensors: Iterable[Any]) -> Iterator[None]:
        """The block multiplies gradients and clears none: what was zero by nature still is."""
        natural = [tensor for tensor in tensors if tensor.grad is not None and self.is_as_it_arrived(tensor)]
        yield
        for tensor in natural:
            self._note(tensor)

    def differentiated(self, leaves: dict[Any, Unit]) -> None:
        """Gradients arrived at these leaves."""
        for leaf, unit in leaves.items():
            _, grad, had = self.states[id(leaf)]
            if leaf.grad is not None:
                self.held[id(leaf)] = leaf.grad
                self._note(leaf)
                now = unit if grad in (NONE, LOST) else had | unit
                self.states[id(leaf)] = (leaf, BACKWARD.known[grad], now)

    def copied(self, tensor: Any, copy: Any) -> None:
        """A leaf was copied with its gradient: what was used of that is used of the copy."""
        if tensor.is_leaf and copy.is_leaf and copy.grad is not None and id(copy) not in self.states:
            natural = self.is_as_it_arrived(tensor)
            self.states[id(copy)], self.held[id(copy)] = (copy, *self.of(tensor)), copy.grad
            if natural:
                self._note(copy)

    def stepped(self, optimizer: Any, *_: Any) -> None:
        """An optimizer used the gradients of its parameters."""
        for parameter in parameters(optimizer):
            grad, unit = self.of(parameter)
            self.states[id(parameter)] = (parameter, STEP.known.get(grad, grad), unit)

    def unscaled(self, optimizer: Any) -> None:
        """The gradients of these parameters were divided by the factor."""
        for parameter in parameters(optimizer):
            grad, _ = self.of(parameter)
            self.states[id(parameter)] = (parameter, grad, PLAIN)

    def leading(self, roots: Sequence[Any], wanted: Iterable[Any] | None) -> dict[Any, Unit]:
        """The leaves that these roots lead to, and in what unit gradients will arrive there."""
        asked = None if wanted is None else {id(tensor) for tensor in wanted}
        found: dict[Any, Unit] = {root: PLAIN for root in roots if root.is_leaf and root.requires_grad}
        for leaf in found:
            self.of(leaf)
        seen: set[tuple[int, Unit]] = set()
        todo = [(root.grad_fn, PLAIN) for root in roots if root.grad_fn is not None]
        while todo:
            node, unit = todo.pop()
            unit = SCALED if any(node is one for one in self.scaled) else unit
            if (id(node), unit) in seen:
                continue
            seen.add((id(node), unit))
            leaf = getattr(node, "variable", None)
            trained = leaf is not None and leaf.requires_grad  # nothing arrives at what was frozen since
            if trained and (asked is None or id(leaf) in asked):
                self.of(leaf)
                found[leaf] = found.get(leaf, unit) | unit
            todo += [(other, unit) for other, _ in node.next_functions if other is not None]
        return found


def parameters(optimizer: Any) -> list[Any]:
    """All that an optimizer updates."""
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def several(tensors: Any) -> list[Any]:
    """The tensors of an argument that takes one or several."""
    return [tensors] if hasattr(tensors, "grad_fn") else list(tensors)


@contextmanager
def kept() -> Iterator[Diary]:
    """A diary that is kept while the block runs."""
    import torch
    from torch.amp.grad_scaler import GradScaler
    from torch.nn.utils import clip_grad
    from torch.optim.optimizer import register_optimizer_step_post_hook

    diary = Diary()
    run, scale, unscale = torch.autograd.backward, GradScaler.scale, GradScaler._unscale_grads_
    gather, copy = torch.optim.LBFGS._gather_flat_grad, torch.Tensor.__deepcopy__

    def backward(tensors: Any, *args: Any, inputs: Any = None, **keywords: Any) -> None:
        leaves = diary.leading(several(tensors), None if inputs is None else several(inputs))
        run(tensors, *args, inputs=inputs, **keywords)
        diary.differentiated(leaves)

    def multiplying(scaler: Any, outputs: Any) -> Any:
        made = scale(scaler, outputs)
        if scaler.is_enabled():
            diary.scaled += [tensor.grad_fn for tensor in several(made) if tensor.grad_fn is not None]
        return made

    def unscaling(scaler: Any, optimizer: Any, *args: Any) -> Any:
        with diary.scaling(parameters(optimizer)):
            found = unscale(scaler, optimizer, *args)
        diary.unscaled(optimizer)
        return found

    def clipping(clip: Callable[..., Any]) -> Callable[..., Any]:
        def clipped(tensors: Any, *args: Any, **keywords: Any) -> Any:
            clipping = several(tensors)
            with diary.scaling(clipping):
                return clip((one for one in clipping) if isgenerator(tensors) else clipping, *args, **keywords)

        return clipped

    def gathering(optimizer: Any) -> Any:
        found = gather(optimizer)
        diary.stepped(optimizer)
        return found

    def copying(tensor: Any, memo: Any) -> Any:
        made = copy(tensor, memo)
        diary.copied(tensor, made)
        return made

    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(torch.Tensor, "__deepcopy__", copying))
        stack.enter_context(mock.patch.object(torch.optim.LBFGS, "_gather_flat_grad", gathering))
        stack.enter_context(mock.patch.object(torch.autograd, "backward", backward))
        stack.enter_context(mock.patch.object(GradScaler, "scale", multiplying))
        for place in (torch.nn.utils, clip_grad):
            for name in filter(place.__dict__.__contains__, CLIPPING):
                stack.enter_context(mock.patch.object(place, name, clipping(getattr(place, name))))
        stack.enter_context(mock.patch.object(GradScaler, "_unscale_grads_", unscaling))
        stack.callback(register_optimizer_step_post_hook(diary.stepped).remove)
        yield diary
