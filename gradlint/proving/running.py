"""One example on real torch: what it returned, raised, warned about and kept alive."""

from __future__ import annotations

import gc
import importlib.util
import inspect
import traceback
import weakref
from collections.abc import Iterator, Mapping
from typing import Any

from gradlint.frozen import frozen
from gradlint.proving.surroundings import surroundings
from gradlint.rule import Example


@frozen()
class Outcome:
    """The outcome of a run of an example. `rows` are the rows of its file that an error came through, innermost last;
    `missing` is the library it asked for in vain; `alive` counts graph nodes and saved tensors kept."""

    returned: Any = None
    error: type[BaseException] | None = None
    message: str = ""
    rows: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    missing: str = ""
    alive: int = 0

    @property
    def trouble(self) -> str:
        """The error in one line; empty if there was none."""
        if self.error is None:
            return ""
        first = self.message.strip().splitlines()[0] if self.message.strip() else ""
        return f"{self.error.__name__}: {first}" if first else self.error.__name__


def run(example: Example, files: Mapping[str, str], steps: int | None = None) -> Outcome:
    """Run an example in its own surroundings. With `steps` it is called with them, and what stays alive is counted.

    Raises `NotRestored` if it leaves a setting of the process changed.
    """
    with surroundings(files) as seen:
        try:
            returned, alive = (example(), 0) if steps is None else _counted(example, steps)
        except (Exception, SystemExit) as error:
            outcome = _failed(example, error)
        else:
            outcome = Outcome(returned, alive=alive)
        gathered = tuple(str(warning.message) for warning in seen)
    return Outcome(
        outcome.returned, outcome.error, outcome.message, outcome.rows, gathered, outcome.missing, outcome.alive
    )


def _failed(example: Example, error: BaseException) -> Outcome:
    """The error and where it passed through the example; its traceback, which keeps locals alive, is let go."""
    lines, first = inspect.getsourcelines(example)
    file = example.__code__.co_filename
    rows = tuple(
        row
        for frame, row in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == file and first <= row < first + len(lines)
    )
    missing = _missing(error)
    return Outcome(error=type(error), message=str(error), rows=rows, missing=missing)


def _missing(error: BaseException) -> str:
    """The library that is not installed, if that is why an import failed."""
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return ""
    library = error.name.partition(".")[0]
    return "" if importlib.util.find_spec(library) else library


# ---- what stays alive


class _Saved:
    """A tensor kept for backward, in a wrapper that can be counted."""

    __slots__ = ("__weakref__", "tensor")

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor.detach()


def _counted(example: Example, steps: int) -> tuple[Any, int]:
    """Return the example's result, and the number of graph nodes and saved tensors that it keeps alive."""
    import torch

    kept: weakref.WeakSet[_Saved] = weakref.WeakSet()

    def pack(tensor: Any) -> _Saved:
        saved = _Saved(tensor)
        kept.add(saved)
        return saved

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved.tensor):
        returned = example(steps=steps)
    gc.collect()
    return returned, len(kept) + len(_nodes(_tensors(returned)))


def _nodes(tensors: Iterator[Any]) -> set[Any]:
    """The graph nodes from which these tensors come."""
    waiting = [tensor.grad_fn for tensor in tensors if tensor.grad_fn is not None]
    found: set[Any] = set()
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += [before for before, _ in node.next_functions if before is not None]
    return found


def _tensors(returned: Any) -> Iterator[Any]:
    """The tensors in an object: in its elements and attributes, and their gradients."""
    import torch

    waiting, seen = [returned], set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, torch.Tensor):
            yield thing
            if thing.is_leaf and thing.grad is not None:
                waiting.append(thing.grad)
        elif isinstance(thing, dict):
            waiting += thing.values()
        elif isinstance(thing, list | tuple | set | frozenset):
            waiting += thing
        elif not isinstance(thing, type) and hasattr(thing, "__dict__"):
            waiting += vars(thing).values()
