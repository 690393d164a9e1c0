"""The terms of a loss that a backward goes through: what it adds up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gradlint.domain.facts import YES
from gradlint.domain.objects import Node, Tensor
from gradlint.domain.refs import OPAQUE, Ref
from gradlint.interpreter.engine.machine import Interpreter

SUMS = frozenset({"add", "add_", "sub", "sub_"})
SCALES = frozenset({"mul", "div", "neg"})


def terms_of(m: Interpreter, roots: Sequence[Ref]) -> set[Ref]:
    """Return the nodes that may have made what sums add up to these roots, perhaps scaled by a number or a setting.
    What is no sum has no terms."""
    found: set[Ref] = set()
    seen: set[Ref] = set()
    todo = list(roots)
    while todo:
        ref = todo.pop()
        thing = m.state.heap.get(ref)
        if ref in seen or type(thing) is not Node:
            continue
        seen.add(ref)
        inputs = [known for slot in thing.inputs if (known := [one for one in slot if one not in (None, OPAQUE)])]
        if thing.op in SUMS or (thing.op in SCALES and len(inputs) == 1):
            todo += [one for known in inputs for one in known]
        else:
            found.add(ref)
    m.works(len(seen))
    return found - set(roots)


def is_freed_term(m: Interpreter, nodes: Iterable[Ref | None]) -> bool:
    """Return whether one of these nodes made a term of a loss, and a backward has perhaps freed it: whoever adds up
    a loss takes its terms to require grad, though nobody knows it of what unseen code computes. A node that stands for
    all elements of a structure says nothing of one of them."""
    freed = [ref for ref in nodes if ref is not None and _may_be_freed(m.state.heap.get(ref))]
    terms = [ref for ref in freed if ref.key in m.graphs.terms]
    return bool(terms) and not any(_is_shared(m, ref) for ref in terms)


def _is_shared(m: Interpreter, node: Ref) -> bool:
    """Return whether more than one tensor is known that a node made."""
    m.works(len(m.state.heap))
    made = [ref for ref, thing in m.state.heap.items() if type(thing) is Tensor and node in thing.node]
    return len(made) > 1


def _may_be_freed(thing: object) -> bool:
    return type(thing) is Node and thing.freed.may(YES)
