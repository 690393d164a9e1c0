"""`from_pretrained`: layers of torch over values that are there already, frozen unless the program says otherwise.

What is said here is what `torch/nn/modules/sparse.py` does in torch 2.13, and is confirmed by programs that run.
"""

from __future__ import annotations

from functools import partial

from gradlint.domain.facts import NO, YES
from gradlint.domain.objects import Module, Tensor
from gradlint.domain.provenance import AskKind, Cause, CauseKind
from gradlint.domain.value_sets import truth_of
from gradlint.domain.values import UNKNOWN, Constant, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import MODELS, models
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.nn.module import build, emit_built
from gradlint.interpreter.static.sites import Site

EMBEDDINGS = ("torch.nn.Embedding", "torch.nn.EmbeddingBag")
OPTIONS = frozenset({"embeddings", "freeze"})


def _from_pretrained(path: str, m: Interpreter, node: Site, args: Arguments) -> Value:
    """A new layer with a parameter on the given memory as its weight; where it is a method of a layer, that is left as
    it is."""
    freeze = truth_of(UNKNOWN if args.unknown else args.get("freeze", 1, Constant(True)))
    trained = Constant(freeze is NO) if freeze in (YES, NO) else UNKNOWN
    start = m.push(args.get("embeddings", 0, UNKNOWN))
    others = {name: value for name, value in args.keywords.items() if name not in OPTIONS}
    with m.log.silently():
        made = build(m, node, path, Arguments([], others))
        start = m.push(made) - 1
        weight = MODELS["torch.nn.Parameter"](m, node, Arguments([m.state.stack[start], trained]))
    for ref, tensor in m.all(weight, Tensor) if freeze is YES else ():
        asked = Cause(CauseKind.ASKED, node, how=AskKind.PRETRAINED)
        m.store(ref, replace(tensor, causes=(*(mark for mark in tensor.causes if mark.kind != CauseKind.ASKED), asked)))
    given, made = m.pop_from(start)  # type: ignore[assignment]
    attributes = dict(m[made].attributes) | {"weight": weight}
    m.update_fields(made, Module, attributes=tuple(attributes.items()))
    emit_built(m, node, made, [given])
    return made


for _path in EMBEDDINGS:
    models(f"{_path}.from_pretrained")(partial(_from_pretrained, _path))
