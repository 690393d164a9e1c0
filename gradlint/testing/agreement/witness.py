"""What torch really does while a program runs, line by line: the acts that silent mistakes are made of.

Nothing of this comes from gradlint. Calls of torch are heard by a mode of torch's own, what torch does not tell is
heard where its functions are entered, and what only the program's text tells (a value that is dropped, an attribute
that is set) by calls that are put into the program before it runs.
"""

from __future__ import annotations

import inspect
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from types import FrameType, GeneratorType
from typing import Any
from unittest import mock

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode

from gradlint.testing import diary
from gradlint.testing.agreement.telling import WITNESS, names_read, told
from gradlint.testing.diary import Diary, kept, parameters, several

FILE = "<witnessed>"
RUNS = 3
COMPARING = frozenset({"sub", "eq", "ne", "isclose", "dist", "equal", "allclose", "mse_loss", "l1_loss", "__sub__"})
BACKWARD = inspect.signature(torch.autograd.backward)
HEARD = frozenset({"__get__ data", "__getitem__", "__setitem__", "_set_grad_enabled"}) | {
    f"__{how}{name}__" for how in ("", "r", "i") for name in ("add", "sub", "mul", "truediv")
}
"""What is written down although torch's own code does it all the time."""
OWN = frozenset({__file__, diary.__file__})


@dataclass(slots=True, eq=False)
class Act:
    """Something that happened at a row: `what` it was, in which functions of the program (outermost first), with
    gradients on or not, and what it was about."""

    what: str
    row: int
    functions: tuple[str, ...]
    recording: bool
    facts: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.facts[name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass(slots=True)
class Run:
    """One run of a program: its acts in order, how often each row was started, and what stopped it, if anything did."""

    text: str
    number: int = 0
    acts: list[Act] = field(default_factory=list)
    started: Counter[int] = field(default_factory=Counter)
    space: dict[str, Any] = field(default_factory=dict)
    names: dict[int, frozenset[str]] = field(default_factory=dict)
    error: Exception | None = None

    def of(self, *kinds: str) -> Iterator[Act]:
        """The acts of these kinds."""
        return (act for act in self.acts if act.what in kinds)


def witnessed(text: str) -> list[Run]:
    """What a program does, in several runs that differ in chance if it asks for chance."""
    return [one_run(text, number) for number in range(RUNS if "random.random()" in text else 1)]


def one_run(text: str, number: int = 0, *, keeping: bool = False) -> Run:
    """What a program does in one run. `keeping`: with copies of all that is saved for backward, so that nothing that
    is written later spoils a gradient."""
    run = Run(text, number, names=names_read(text))
    code = compile(told(text), FILE, "exec", dont_inherit=True)
    random.seed(number)
    torch.manual_seed(number)
    with kept() as book:
        witness = Witness(run, book)
        run.space = {"__name__": "__main__", "reveal": lambda *_: None, WITNESS: witness}
        with witness.listening(), copies() if keeping else nullcontext():
            try:
                exec(code, run.space)  # programs of our own
            except Exception as error:
                sys.settrace(None)
                run.error = error
    return run


def copies() -> Any:
    """Saved tensors are copied."""
    return torch.autograd.graph.saved_tensors_hooks(value_of, lambda saved: saved)


def is_built(tensor: torch.Tensor) -> bool:
    """Whether a tensor has numbers yet."""
    return not isinstance(tensor, nn.parameter.UninitializedTensorMixin)


def is_versioned(tensor: torch.Tensor) -> bool:
    """Whether torch counts the writes of a tensor."""
    return is_built(tensor) and not tensor.is_inference()


def tensors_in(thing: Any) -> dict[Any, torch.Tensor]:
    """The tensors that a dictionary, or those in a tuple, hold."""
    if isinstance(thing, tuple):
        return {(number, key): one for number, part in enumerate(thing) for key, one in tensors_in(part).items()}
    held = thing.items() if isinstance(thing, dict) else ()
    return {key: one for key, one in held if isinstance(one, torch.Tensor) and is_built(one)}


def content(thing: Any) -> dict[str, Any]:
    """The numbers that a dictionary of tensors holds now, and which tensors these are."""
    held = tensors_in(thing)
    values = {key: value_of(one) for key, one in held.items()}
    return {"state": thing, "values": values, "ids": {key: id(one) for key, one in held.items()}}


def value_of(tensor: torch.Tensor) -> torch.Tensor:
    """The numbers that a tensor has now."""
    with torch.no_grad():
        return tensor.detach().clone()


def nodes_of(roots: Sequence[torch.Tensor]) -> dict[Any, None]:
    """The graph nodes from which tensors come."""
    return behind(tensor.grad_fn for tensor in roots if tensor.grad_fn is not None)


def behind(nodes: Iterable[Any]) -> dict[Any, None]:
    """These graph nodes and all from which they come."""
    waiting, found = [*nodes], dict[Any, None]()
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            waiting += [before for before, _ in node.next_functions if before is not None]
    return found


def flat(thing: Any) -> Iterator[torch.Tensor]:
    """The tensors in arguments."""
    if isinstance(thing, torch.Tensor):
        yield thing
    elif isinstance(thing, list | tuple | set):
        for one in thing:
            yield from flat(one)
    elif isinstance(thing, dict):
        yield from flat([*thing.values()])


class Witness(TorchFunctionMode):  # type: ignore[misc]
    """Hears what torch does, and writes it down."""

    def __init__(self, run: Run, book: Diary) -> None:
        super().__init__()
        self.run, self.diary, self.calls = run, book, 0
        self.before: dict[int, list[tuple[Any, ...]]] = {}

    def note(self, what: str, **facts: Any) -> None:
        """Write down that something happens at the row at which the program is."""
        frame: FrameType | None = sys._getframe(1)
        functions: list[str] = []
        row = 0
        while frame is not None:
            if frame.f_code.co_filename == FILE:
                row = row or frame.f_lineno
                functions.append(frame.f_code.co_name)
            frame = frame.f_back
        if row:
            self.run.acts.append(Act(what, row, tuple(reversed(functions)), torch.is_grad_enabled(), facts))

    # ---- calls of torch

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        caller = sys._getframe(1).f_code
        if caller.co_filename in OWN and caller.co_name != "called":
            return func(*args, **(kwargs or {}))
        direct = caller.co_filename in (FILE, *OWN)
        name = str(getattr(func, "__name__", func))
        if name in ("__get__", "__set__"):
            name = f"{name} {getattr(func.__self__, '__name__', '')}"
        operands = [*flat(args), *flat(kwargs)]
        asking = any(one.requires_grad for one in operands)
        versions = [(one, one._version) for one in operands if is_versioned(one)]
        asked = self._before_asking(name, args, kwargs or {})
        if name == "register_hook":
            args = (args[0], self._hook(args[1]))
        try:
            result = func(*args, **(kwargs or {}))
        except RuntimeError:
            if asked is not None:
                self.note("refused", **asked)
            raise
        if asked is not None:
            self.note("asked", **asked)
        elif name == "__get__ grad" and direct:
            self.note("read", tensor=args[0], result=result, leaf=args[0].is_leaf, retains=args[0].retains_grad)
        elif name == "__set__ grad" and direct:
            self.note("cleared" if args[1] is None else "given", tensors=[self.state(args[0])], by="")
        elif not name.startswith(("__get__", "__set__ grad", "_")) or name in HEARD:
            written = [one for one, version in versions if one._version != version]
            made = [(one, value_of(one), one.grad_fn) for one in flat(result) if is_built(one)]
            facts = {"args": args, "operands": operands, "asking": asking, "made": made, "written": written}
            if name in COMPARING:
                facts["values"] = [value_of(one) for one in operands]
            self.note("op", name=name.removeprefix("__get__ "), **facts)
        return result

    def _before_asking(self, name: str, args: Any, kwargs: dict[str, Any]) -> dict[str, Any] | None:
        """What is asked of a tensor by `requires_grad`, and what it was before."""
        if name not in ("requires_grad_", "__set__ requires_grad"):
            return None
        tensor = args[0]
        to = args[1] if len(args) > 1 else kwargs.get("requires_grad", True)
        maker = type(tensor.grad_fn).__name__ if tensor.grad_fn is not None else ""
        return {"tensor": tensor, "to": to, "had": tensor.requires_grad, "leaf": tensor.is_leaf, "maker": maker}

    def _hook(self, function: Any) -> Any:
        """A hook of a tensor, with an eye on whether it writes what it is handed."""
        code = getattr(function, "__code__", None)

        def hook(grad: Any) -> Any:
            before, version = value_of(grad), grad._version
            try:
                return function(grad)
            finally:
                if grad._version != version or not torch.equal(before, grad):
                    rows = [row for _, _, row in code.co_lines() if row] if code is not None else []
                    self.note("hooked", rows=rows)

        return hook

    def state(self, tensor: Any) -> tuple[Any, Any, Any]:
        """A tensor, and where its gradient stands."""
        if tensor is None or not tensor.is_leaf:
            return tensor, None, None
        return (tensor, *self.diary.of(tensor))

    # ---- what is put into the program

    def method(self, owner: Any, name: str, written: str) -> Any:
        """A method that is about to be called."""
        found = getattr(owner, name)
        if name == "forward" and isinstance(owner, nn.Module):
            hooks = [*owner._forward_hooks, *owner._forward_pre_hooks, *owner._backward_hooks]
            self.note("forward", module=owner, written=written, hooked=bool(hooks))

        def called(*args: Any, **keywords: Any) -> Any:
            size = len(nodes_of([*flat(args)]))
            result = found(*args, **keywords)
            facts = {"given": args, "size": size, "result": result, "written": written}
            self.note("method", owner=owner, name=name, **facts)
            return result

        return called if name not in ("forward", "no_grad", "__init__") else found

    def dropped(self, value: Any) -> None:
        """The value of a statement that is an expression."""
        self.note("dropped", value=value)

    def looked(self, owner: Any, name: str) -> None:
        """An attribute that is looked up and dropped."""
        self.note("looked", owner=owner, name=name, value=getattr(owner, name))

    def setting(self, owner: Any) -> None:
        """An attribute is about to be set."""
        self.before[id(owner)] = flags_of(owner)

    def was_set(self, owner: Any, name: str, written: str) -> None:
        """An attribute was set: what became of the flags, and whether it is an argument of the function that runs."""
        frame = sys._getframe(1)
        given = [frame.f_locals.get(one) for one in frame.f_code.co_varnames[: frame.f_code.co_argcount]]
        value = getattr(owner, name, None)
        same = self.before.pop(id(owner), None) == flags_of(owner)
        plain = name in getattr(owner, "__dict__", {})
        argument = any(value is one for one in given)
        facts = {"value": value, "same": same, "plain": plain, "argument": argument, "written": written}
        self.note("set", owner=owner, name=name, **facts)

    def stored(self, container: Any, key: Any) -> None:
        """Something was put into a container."""
        value = container[key]
        self.note("stored", container=container, given=(value,), size=len(nodes_of([*flat(value)])))

    def rebound(self, name: str, old: Any, new: Any, *, read: bool) -> None:
        """A loop's name was bound to something else."""
        self.note("rebound", name=name, old=old, new=new, read=read)

    # ---- what torch does not tell

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear everything while the block runs."""
        with ExitStack() as stack:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("always")
            warnings.showwarning = lambda message, *_, **__: self.note("warned", words=str(message))
            stack.callback(torch.set_warn_always, torch.is_warn_always_enabled())
            torch.set_warn_always(True)
            stack.callback(torch.set_grad_enabled, True)
            for owner, name, heard in self._entries():
                stack.enter_context(mock.patch.object(owner, name, heard(getattr(owner, name))))
            stack.callback(register_optimizer_step_pre_hook(self._steps).remove)
            stack.callback(register_optimizer_step_post_hook(self._stepped).remove)
            stack.callback(sys.settrace, None)
            stack.enter_context(self)
            sys.settrace(self._trace)
            yield

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != FILE:
            return None
        if event == "line":
            self.run.started[frame.f_lineno] += 1
            for name in self.run.names.get(frame.f_lineno, ()):
                value = frame.f_locals.get(name, frame.f_globals.get(name))
                if isinstance(value, GeneratorType) and value.gi_frame is None:
                    self.note("spent", by=value.gi_code.co_name)
        elif event == "call":
            self.note("entered", frame=frame, code=frame.f_code)
        elif event == "return":
            self.note("left", frame=frame, code=frame.f_code, **content(argument))
        return self._trace

    def _entries(self) -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
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

    def _backward(self, run: Any) -> Any:
        def backward(tensors: Any, *args: Any, **keywords: Any) -> None:
            given = BACKWARD.bind(tensors, *args, **keywords).arguments
            roots = several(tensors)
            nodes = nodes_of(roots)
            leaves = [one for node in nodes if (one := getattr(node, "variable", None)) is not None]
            leaves += [root for root in roots if root.grad_fn is None and root.requires_grad]
            before = [None if leaf.grad is None else value_of(leaf.grad) for leaf in leaves]
            states = [self.state(leaf) for leaf in leaves]
            facts: dict[str, Any] = {
                "roots": roots,
                "nodes": nodes,
                "leaves": leaves,
                "before": before,
                "states": states,
            }
            facts |= {"kept": bool(given.get("retain_graph")), "circle": bool(given.get("create_graph"))}
            try:
                run(tensors, *args, **keywords)
            except RuntimeError as error:
                self.note("backward", error=error, arrived=[], **facts)
                raise
            self.note("backward", error=None, arrived=arrivals(leaves, before), **facts)

        return backward

    def _grad(self, run: Any) -> Any:
        def grad(outputs: Any, inputs: Any, *args: Any, **keywords: Any) -> Any:
            nodes = nodes_of(several(outputs))
            found = run(outputs, inputs, *args, **keywords)
            self.note("grad", nodes=nodes, inputs=several(inputs), result=found)
            return found

        return grad

    def _optimizer(self, init: Any) -> Any:
        def built(optimizer: Any, *args: Any, **keywords: Any) -> None:
            init(optimizer, *args, **keywords)
            self.note("optimizer", optimizer=optimizer, held=parameters(optimizer))

        return built

    def _steps(self, optimizer: Any, *_: Any) -> None:
        self.before[id(optimizer)] = [(*self.state(one), value_of(one)) for one in parameters(optimizer)]

    def _stepped(self, optimizer: Any, *_: Any) -> None:
        held = self.before.pop(id(optimizer), [])
        moved = any(not torch.equal(one, value) for one, _, _, value in held)
        self.note("step", optimizer=optimizer, states=[one[:3] for one in held], moved=moved)

    def _clearing(self, run: Any) -> Any:
        def zero_grad(owner: Any, *args: Any, **keywords: Any) -> Any:
            held = parameters(owner) if isinstance(owner, torch.optim.Optimizer) else [*owner.parameters()]
            states = [self.state(one) for one in held]
            result = run(owner, *args, **keywords)
            self.note("cleared", tensors=states, by=owner)
            return result

        return zero_grad

    def _clipping(self, run: Any) -> Any:
        def clip(given: Any, *args: Any, **keywords: Any) -> Any:
            held = [given] if isinstance(given, torch.Tensor) else [*given]
            states = [self.state(one) for one in held]
            self.note("clipped", tensors=states)
            return run(held, *args, **keywords)

        return clip

    def _calling(self, run: Any) -> Any:
        def called(module: Any, *args: Any, **keywords: Any) -> Any:
            training, self.calls = module.training, self.calls + 1
            try:
                result = run(module, *args, **keywords)
            finally:
                self.calls -= 1
            self.note("module", module=module, training=training, args=args, result=result, nested=self.calls > 0)
            return result

        return called

    def _building(self, run: Any) -> Any:
        def built(module: Any, *args: Any, **keywords: Any) -> None:
            run(module, *args, **keywords)
            self.note("built", module=module)

        return built

    def _attribute(self, run: Any) -> Any:
        def setattr_(module: Any, name: str, value: Any) -> None:
            caller = sys._getframe(1).f_code
            told = caller.co_filename == FILE or caller.co_name == "__setitem__"
            old = getattr(module, name, None) if told else None
            run(module, name, value)
            if told:
                self.note("part", module=module, name=name, value=value, old=old)

        return setattr_

    def _buffer(self, run: Any) -> Any:
        def registered(module: Any, name: str, tensor: Any, persistent: bool = True) -> None:
            run(module, name, tensor, persistent)
            self.note("buffer", asking=tensor is not None and tensor.requires_grad)

        return registered

    def _state(self, run: Any) -> Any:
        def state_dict(module: Any, *args: Any, **keywords: Any) -> Any:
            found = run(module, *args, **keywords)
            if sys._getframe(1).f_code.co_filename == FILE:
                self.note("state", module=module, **content(found))
            return found

        return state_dict

    def _loading(self, run: Any) -> Any:
        def load_state_dict(module: Any, state: Any, *args: Any, **keywords: Any) -> Any:
            self.note("loaded", module=module, **content(state))
            return run(module, state, *args, **keywords)

        return load_state_dict

    def _saving(self, run: Any) -> Any:
        def save(thing: Any, *_: Any, **__: Any) -> None:
            self.note("saved", **content(thing))

        return save

    def _parameter(self, make: Any) -> Any:
        def new(cls: Any, data: Any = None, requires_grad: bool = True) -> Any:
            made = make(cls, data, requires_grad)
            if sys._getframe(1).f_code.co_filename == FILE:
                self.note("parameter", data=data, result=made)
            return made

        return staticmethod(new)


def arrivals(leaves: Sequence[Any], before: Sequence[Any]) -> list[tuple[Any, Any]]:
    """What a backward added to the gradient of each leaf."""
    out = []
    for leaf, old in zip(leaves, before, strict=True):
        if leaf.grad is not None:
            now = value_of(leaf.grad)
            out.append((leaf, now if old is None else now - old))
    return out


def flags_of(owner: Any) -> list[tuple[Any, ...]]:
    """What autograd looks at of a tensor, or of all tensors and the modes of a module."""
    if isinstance(owner, torch.Tensor):
        return [(owner.requires_grad, owner.retains_grad, owner.is_leaf)]
    if isinstance(owner, nn.Module):
        tensors = [*owner.parameters(), *owner.buffers()]
        modes = [(module.training,) for module in owner.modules()]
        return [(id(one), one.requires_grad) for one in tensors] + modes
    return []
