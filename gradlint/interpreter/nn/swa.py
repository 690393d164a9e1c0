"""Averaged models of torch: a copy of a model whose parameters follow those of the model.

What is said here is what `torch/optim/swa_utils.py` does in torch 2.13, and is confirmed by a program that runs.
"""

from __future__ import annotations

from gradlint.domain.facts import INTEGER, NO, TRAIN
from gradlint.domain.objects import Module
from gradlint.domain.provenance import Cause, CauseKind, WriteKind
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Constant, ImportPath, Value
from gradlint.interpreter.autograd.in_place import Write, written_without_graph
from gradlint.interpreter.autograd.tensor import fresh
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import MODELS, models
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import buffers, parameters
from gradlint.interpreter.static.sites import Site

AVERAGED = "torch.optim.swa_utils.AveragedModel"


@models(AVERAGED)
def _build(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A module with a copy of the model as its part `module`, which it calls."""
    copy = MODELS["copy.deepcopy"](m, node, Arguments([args.get("model", 0, UNKNOWN)]))
    shown = m.only(copy, Module)
    if shown is None:
        return result_of_unknown([copy])
    count = fresh(m, node, "buffer n_averaged", dtype=INTEGER, made="buffer")
    return m.new(
        node,
        "averaged",
        Module(
            cls=ImportPath("torch.nn.Sequential"),
            attributes=(("module", copy), ("n_averaged", count)),
            buffers=(("n_averaged", Constant(True)),),
            mode=TRAIN,
            open=NO,
            holder=AVERAGED,
            belief=shown.belief,
            causes=(Cause(CauseKind.MADE, node),),
        ),
    )


@models(f"{AVERAGED}.update_parameters")
def _update(m: Interpreter, node: Site, args: Arguments) -> Value:
    """The parameters and buffers of the copy are written through handles without a graph; the model is only read."""
    owner = args.first
    for _, ref in (*parameters(m, owner)[0], *buffers(m, owner)[0]):
        written_without_graph(m, ref, Write(node, "copy_", WriteKind.LOAD), sure=True)
    return NONE_VALUE
