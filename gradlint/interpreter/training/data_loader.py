"""Loaders: objects that give batches of what a data set holds."""

from __future__ import annotations

from gradlint.domain import NO, NONE_VALUE, UNKNOWN, Belief, Const, Instance, Mark, Named, Ref, Value
from gradlint.interpreter.engine.dispatch import annotated
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site

LOADER = "torch.utils.data.DataLoader"
COLLATE = 6
"""Where `collate_fn` stands among the arguments."""
ONE = Const(1)


@annotated(LOADER)
def _annotated(m: Interpreter, node: Site, path: str) -> Value:
    return loader(m, node, belief=Belief.ANNOTATED)


def loader(
    m: Interpreter,
    node: Site,
    dataset: Value = UNKNOWN,
    *,
    collate: Value = NONE_VALUE,
    size: Value = ONE,
    belief: Belief = Belief.PROVEN,
) -> Ref:
    """A loader of what a data set holds."""
    about = (("dataset", dataset), ("collate_fn", collate), ("batch_size", size), ("sampler", UNKNOWN))
    made = Instance(cls=Named(LOADER), attributes=about, open=NO, belief=belief, marks=(Mark("made", node),))
    return m.new(node, "loader", made)
