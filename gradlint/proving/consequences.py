"""Whether torch shows what a rule says: each kind of consequence measured on a bad example and on its cure.

A measurement gives why it fails, in words, or "" where it holds.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from gradlint.proving.examples import takes_steps, text_of
from gradlint.proving.running import Outcome, run
from gradlint.rule import Consequence, Evidence, Grows, Raises, Warns

STEPS = (2, 4, 8)


class Skipped(Exception):
    """The example needs a library (named in the message) that is not installed."""


def shown(consequence: Consequence, bad: Evidence, cure: Evidence | None) -> str:
    """Why torch does not show the consequence for the bad example; empty where it does. Raises `Skipped`."""
    if isinstance(consequence, Grows):
        return _grown(bad)
    out = _outcome(bad)
    if out.left:
        return _left(out)
    if isinstance(consequence, Raises):
        return _raised(consequence, out, bad)
    if out.error is not None:
        return _raised_instead(out)
    if isinstance(consequence, Warns):
        heard = any(consequence.saying in message for message in out.warned)
        return "" if heard else f"torch does not warn of `{consequence.saying}` but of {list(out.warned)}"
    return _measured(consequence, out, cure)


def cured(consequence: Consequence, cure: Evidence) -> str:
    """Why the cure does not cure: it raises, or the consequence shows. Raises `Skipped`."""
    if isinstance(consequence, Grows):
        return _kept_constant(cure)
    out = _outcome(cure)
    if out.left:
        return _left(out)
    if out.error is not None:
        return _raised_instead(out)
    if isinstance(consequence, Raises):
        return ""
    if isinstance(consequence, Warns):
        heard = any(consequence.saying in message for message in out.warned)
        return f"torch warns of `{consequence.saying}` here too" if heard else ""
    why = _measured(consequence, out, cure)
    if why.startswith(CANNOT):
        return why
    return "" if why else "the consequence shows here too"


def _outcome(evidence: Evidence, **arguments: Any) -> Outcome:
    if not arguments and takes_steps(evidence.example):
        arguments = {"steps": STEPS[-1]}
    out = run(evidence, **arguments)
    if out.missing:
        raise Skipped(out.missing)
    return out


def _left(out: Outcome) -> str:
    return "it leaves things changed: " + ", ".join(out.left)


def _raised_instead(out: Outcome) -> str:
    return f"it raises {_worded(out.error)}{f' on its line {out.row}' if out.row else ''}"


def _worded(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


# ---- raises


def _raised(consequence: Raises, out: Outcome, bad: Evidence) -> str:
    wanted = f"{consequence.error.__name__} saying `{consequence.saying}`"
    if out.error is None:
        return f"torch does not raise; expected {wanted}"
    if not isinstance(out.error, consequence.error) or consequence.saying not in str(out.error):
        return f"{_raised_instead(out)}; expected {wanted}"
    text = text_of(bad)
    if out.row is None or not text.is_within_marked(out.row):
        return f"torch raises on line {out.row} of the example, but marked is {sorted(text.rows())}"
    return ""


# ---- measured by a function

CANNOT = "cannot be measured: "


def _measured(measurement: Callable[..., bool], out: Outcome, cure: Evidence | None) -> str:
    arguments = [out.returned]
    if len(inspect.signature(measurement).parameters) > 1:
        if cure is None:
            return f"{CANNOT}it is compared with a cure, and no good example cures it"
        other = _outcome(cure)
        if other.error is not None:
            return f"{CANNOT}of its cure `{cure.example.__name__}`, {_raised_instead(other)}"
        arguments.append(other.returned)
    try:
        holds = measurement(*arguments)
    except Exception as error:
        return f"{CANNOT}the consequence raises {_worded(error)}"
    return "" if holds else "the consequence does not show"


# ---- grows


def _grown(bad: Evidence) -> str:
    counts = _counts(bad)
    if isinstance(counts, str):
        return counts
    return "" if counts[0] < counts[1] < counts[2] else f"with steps {STEPS} it keeps {counts} nodes and tensors"


def _kept_constant(cure: Evidence) -> str:
    counts = _counts(cure)
    if isinstance(counts, str):
        return counts
    return "" if len(set(counts)) == 1 else f"with steps {STEPS} it keeps {counts} nodes and tensors"


def _counts(evidence: Evidence) -> list[int] | str:
    if not takes_steps(evidence.example):
        return "it has no parameter `steps`, by which to see whether anything grows"
    counts = []
    for steps in STEPS:
        out = _outcome(evidence, steps=steps)
        if out.error is not None or out.left:
            return _raised_instead(out) if out.error is not None else _left(out)
        counts.append(kept_alive(out.returned))
    return counts


def kept_alive(returned: Any) -> int:
    """How many graph nodes and tensors saved for backward can be reached from what an example returned."""
    nodes: dict[int, Any] = {}
    saved: dict[int, Any] = {}
    todo = [tensor.grad_fn for tensor in _tensors_in(returned) if tensor.grad_fn is not None]
    while todo:
        node = todo.pop()
        if id(node) in nodes:
            continue
        nodes[id(node)] = node
        todo += [below for below, _ in node.next_functions if below is not None]
        for name in dir(node):
            if name.startswith("_raw_saved_"):
                _note_saved(node, name, saved)
    return len(nodes) + len(saved)


def _note_saved(node: Any, name: str, saved: dict[int, Any]) -> None:
    """Note the tensors behind one attribute; a freed graph refuses to show them."""
    try:
        held = getattr(node, name.replace("_raw", "", 1))
    except RuntimeError:
        return
    for tensor in held if isinstance(held, tuple) else (held,):
        if hasattr(tensor, "untyped_storage"):
            saved[tensor.untyped_storage()._cdata] = tensor


def _tensors_in(thing: Any) -> list[Any]:
    import torch

    found, seen, todo = [], set(), [thing]
    kept = []
    while todo:
        item = todo.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        kept.append(item)
        if isinstance(item, torch.Tensor):
            found.append(item)
        elif isinstance(item, dict):
            todo += item.values()
        elif isinstance(item, list | tuple | set | frozenset):
            todo += item
        elif hasattr(item, "__dict__") and not isinstance(item, type):
            todo += vars(item).values()
    return found
