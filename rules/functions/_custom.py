"""Classes derived from `torch.autograd.Function`, for the rules about them."""

from __future__ import annotations

from collections.abc import Iterator

from gradlint.domain import ImportPath
from gradlint.events import ClassFinished, Event, Method

FUNCTIONS = frozenset({"torch.autograd.Function", "torch.autograd.function.Function"})
TOKENS = ("autograd",)
"""The words that stand in every file that defines a custom function."""


def custom_function(event: ClassFinished) -> dict[str, Method] | None:
    """The methods by name of a class that derives from `torch.autograd.Function` and from nothing else."""
    bases = [base.path if isinstance(base, ImportPath) else "" for base in event.cls.bases]
    if not bases or not FUNCTIONS.issuperset(bases):
        return None
    return {method.name: method for method in event.methods}


def happened_in(method: Method) -> Iterator[Event]:
    """Yield the events of the method itself, in any run, not those of what it called."""
    return (event for run in method.runs for event in run.story if event.run == run.index)
