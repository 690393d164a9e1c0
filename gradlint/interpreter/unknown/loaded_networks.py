"""Networks that a file holds whole: what is loaded out of it, and then applied."""

from __future__ import annotations

from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import NO
from gradlint.domain.refs import Ref
from gradlint.domain.values import UNKNOWN, Function
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import HANDED, dotted, kept, uses_of_given
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.unknown.applied_networks import Uses
from gradlint.interpreter.unknown.handed_tensors import path_of
from gradlint.knowledge.python.duck_typing_names import APPLIED, LOADS, names_network


def is_applied_after_loading(m: Interpreter, chain: str, uses: Uses, source: Any) -> bool:
    """Return whether an expression gives a file's content that a dotted name then calls, or a function that is handed
    it: it is a module. A part of it is one where it is named as networks are."""
    if not chain or not is_loaded(m, source):
        return False
    if APPLIED.isdisjoint(uses) and not any(_is_applied_by(m, use) for use in uses):
        return False
    return type(kept(source)) is cst.Call or names_network(chain.rpartition(".")[2])


def is_loaded(m: Interpreter, source: Any) -> bool:
    """Return whether an expression gives a file's content, or a part of it."""
    source = kept(source)
    while type(source) is cst.Subscript:
        source = kept(source.value)
    return type(source) is cst.Call and path_of(m, dotted(source.func)) in LOADS


def _is_applied_by(m: Interpreter, use: str) -> bool:
    """Return whether a thing is handed to a function of the program that applies it."""
    if not use.startswith(HANDED):
        return False
    called, _, index = use.removeprefix(HANDED).rpartition(" ")
    function = variables.lookup(m, called) if called.isidentifier() else None
    if type(function) is not Function or not isinstance(function.node, cst.FunctionDef):
        return False
    taken = function.node.params.params[int(index) : int(index) + 1]
    scope = m.scan.scopes[function.node]
    return any(not APPLIED.isdisjoint(uses_of_given(scope, one.name.value)) for one in taken)


def emit_loaded(m: Interpreter, node: Site, made: Ref, name: str) -> None:
    """Say of a module that is loaded whole what is said of one that its state is loaded into."""
    m.emit(
        events.StateLoaded,
        node,
        module=m[made],
        source=UNKNOWN,
        shares=NO,
        written=NO,
        taken=(),
        matters=True,
        name=name,
    )
