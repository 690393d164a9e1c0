"""Loaders: what making a `torch.utils.data.DataLoader` gives."""

from __future__ import annotations

from typing import Any

from gradlint.domain import NONE_VALUE, UNKNOWN, Belief, Container, Mark, Ref, Value
from gradlint.interpreter.arguments import Arguments
from gradlint.interpreter.batches import batch
from gradlint.interpreter.core import Interpreter
from gradlint.interpreter.library import special

LOADER = "torch.utils.data.DataLoader"
COLLATE = 6
"""Where `collate_fn` stands among the arguments."""


@special(LOADER, "torch.utils.data.dataloader.DataLoader")
def _loader(it: Interpreter, node: Any, args: Arguments) -> Value:
    reach = tuple(ref for value in args.values() for ref in it.state.reach([value]))
    own = not args.unknown and args.get("collate_fn", COLLATE, NONE_VALUE) == NONE_VALUE
    return loader(it, node, batch(it, node, reach) if own else UNKNOWN, Belief.PROVEN)


def loader(it: Interpreter, node: Any, element: Value, belief: Belief) -> Ref:
    """A loader of such batches."""
    return it.new(node, "loader", Container("DataLoader", rest=element, belief=belief, marks=(Mark("made", node),)))
