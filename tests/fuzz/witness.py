"""What torch really does while a program runs, line by line: the acts that silent mistakes are made of.

Nothing of this comes from gradlint. Calls of torch are heard by a mode of torch's own, what torch does not tell is
heard where its functions are entered, and what only the program's text tells (a value that is dropped, an attribute
that is set) by calls that are put into the program before it runs.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from types import FrameType, GeneratorType
from typing import Any
from unittest import mock

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode

from gradlint.testing import diary
from gradlint.testing.diary import Diary, kept
from tests.fuzz import acts, entering
from tests.fuzz.acts import (
    COMPARING,
    FILE,
    Act,
    Run,
    content,
    flags_of,
    flat,
    is_built,
    is_versioned,
    nodes_of,
    value_of,
)
from tests.fuzz.entering import Entries
from tests.fuzz.telling import WITNESS, names_read, told

RUNS = 3
HEARD = frozenset({"__get__ data", "__getitem__", "__setitem__", "_set_grad_enabled"}) | {
    f"__{how}{name}__" for how in ("", "r", "i") for name in ("add", "sub", "mul", "truediv")
}
"""What is written down although torch's own code does it all the time."""
OWN = frozenset({__file__, acts.__file__, entering.__file__, diary.__file__})


def witnessed(text: str) -> list[Run]:
    """What a program does, in several runs that differ in chance if it asks for chance."""
    return [one_run(text, number) for number in range(RUNS if "random.random()" in text else 1)]


def one_run(text: str, number: int = 0, *, keeping: bool = False) -> Run:
    """What a program does in one run. `keeping`: with copies of all that is saved for backward, so that nothing that
    is written later spoils a gradient."""
    run = Run(text, number, names=names_read(text))
    code = compile(told(text), FILE, "exec", dont_inherit=True)
    random.seed(number)
    torch.default_generator.manual_seed(number)
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


class Witness(TorchFunctionMode):  # type: ignore[misc]
    """Hears what torch does, and writes it down."""

    def __init__(self, run: Run, book: Diary) -> None:
        super().__init__()
        self.run, self.diary = run, book
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
            self.note(
                "read", tensor=args[0], result=result, asking=asking, leaf=args[0].is_leaf, retains=args[0].retains_grad
            )
        elif name == "__set__ grad" and direct:
            self.note("cleared" if args[1] is None else "given", tensors=[self.state(args[0])], by="")
        elif not name.startswith(("__get__", "__set__ grad", "_")) or name in HEARD:
            written = [one for one, version in versions if one._version != version]
            made = [(one, value_of(one), one.grad_fn) for one in flat(result) if is_built(one)]
            facts = {"args": args, "operands": operands, "asking": asking, "made": made, "written": written}
            facts["direct"] = direct
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

    def named_again(self, value: Any) -> None:
        """What one name holds is bound to another."""
        if isinstance(value, torch.nn.Module):
            self.note("named again", value=value)

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
            entries = Entries(self)
            for owner, name, heard in entries.all():
                stack.enter_context(mock.patch.object(owner, name, heard(getattr(owner, name))))
            stack.callback(register_optimizer_step_pre_hook(entries.steps).remove)
            stack.callback(register_optimizer_step_post_hook(entries.stepped).remove)
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
