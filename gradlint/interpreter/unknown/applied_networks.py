"""Networks that are known by their names and by how a function, a class or a file applies them, and by nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import libcst as cst

from gradlint.domain.objects import Module
from gradlint.domain.refs import Ref
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.roles import cuts, detached, evaluates_data, loops_over_batches
from gradlint.interpreter.static.cutting import Code
from gradlint.interpreter.static.scopes import HANDED, Scope, dotted
from gradlint.knowledge.python.duck_typing_names import (
    APPLIED,
    CONFIGURED,
    MOVED,
    TRAINS,
    WITHOUT_PARAMETERS,
    names_network,
    words,
)

Uses = AbstractSet[str]


def _inside(node: Any) -> Sequence[Any]:
    """Return the statements by which a scope is looked at: those of a class or a file, or a function itself."""
    if type(node) is cst.ClassDef:
        return node.body.body
    return node.body if type(node) is cst.Module else (node,)


def is_applied(m: Interpreter, scope: Scope, chain: str, uses: Uses, source: Any) -> bool:
    """Return whether something that nobody shows is a network by how it is applied: a variable, an attribute of `self`,
    or one of something unknown; `source` is the expression that gives it."""
    name = chain.removeprefix("self.")
    if "." in name:
        return is_applied_part(m, chain, uses)
    return is_applied_network(m, scope, name, uses) or is_built_part(m, scope, chain, uses, source)


def is_built_part(m: Interpreter, scope: Scope, chain: str, uses: Uses, source: Any) -> bool:
    """Return whether an attribute that a module gets from a call of unseen code, and that its class applies, is a part
    with parameters (`self.trunk = build_trunk(...)`): neither by its name nor by that of its maker is it one that has
    none."""
    if type(scope.node) is not cst.ClassDef or type(source) is not cst.Call or not chain.startswith("self."):
        return False
    owner = variables.lookup(m, "self")
    if type(owner) is not Ref or type(m.state.heap.get(owner)) is not Module:
        return False
    if APPLIED.isdisjoint(uses) or CONFIGURED in uses or not _is_used_as_network(uses):
        return False
    return words(chain).isdisjoint(WITHOUT_PARAMETERS) and words(dotted(source.func)).isdisjoint(WITHOUT_PARAMETERS)


def is_applied_network(m: Interpreter, scope: Scope, name: str, uses: Uses) -> bool:
    """Return whether a variable, or an attribute of `self`, is named as networks are and only applied, passed on or
    asked for attributes, where gradients are computed; or where a function, one of the file or a method of the class,
    evaluates data, loops over batches, or cuts its results off the graph, as the file itself may: a mere caller may
    call for another that trains. One of which only methods are called is, where the result of one is detached. What is
    called without data makes an object."""
    if not names_network(name) or CONFIGURED in uses:
        return False
    functions = [one for one in _inside(scope.node) if type(one) is cst.FunctionDef]
    code: list[Code] = [*functions, *([scope.node] if isinstance(scope.node, cst.Module) else ())]
    written = f"self.{name}" if type(scope.node) is cst.ClassDef else name
    if APPLIED.isdisjoint(uses):
        methods = {f"{written}.{use.partition('(')[0]}" for use in uses if use.endswith(")")}
        return any(not methods.isdisjoint(detached(m, one)) for one in code)
    if not _is_used_as_network(uses):
        return False
    if scope.gradients:
        return True
    applying = (one for one in functions if not APPLIED.isdisjoint(m.scan.scopes[one].uses.get(written, ())))
    if any(evaluates_data(one) for one in applying):
        return True
    looping = [one for one in functions if not words(one.name.value) & TRAINS and loops_over_batches(m, one)]
    return bool(looping) or any(not _calls_of(written).isdisjoint(cuts(m, one)) for one in code)


def is_applied_part(m: Interpreter, chain: str, uses: Uses) -> bool:
    """Return whether an attribute of something unknown (`agent.policy_net`) is named as networks are and only applied,
    passed on or asked for attributes, and the function that runs evaluates data, loops over batches, or cuts its
    results off the graph."""
    if not names_network(chain.rpartition(".")[2]) or CONFIGURED in uses or APPLIED.isdisjoint(uses):
        return False
    function = None if m.frame.function is None else m.frame.function.node
    if not isinstance(function, cst.FunctionDef) or not _is_used_as_network(uses):
        return False
    looping = not words(function.name.value) & TRAINS and loops_over_batches(m, function)
    return looping or evaluates_data(function) or not _calls_of(chain).isdisjoint(cuts(m, function))


def _calls_of(written: str) -> AbstractSet[str]:
    """Return the spellings by which what is written so is applied."""
    return {written, f"{written}.forward"}


def _is_used_as_network(uses: Uses) -> bool:
    return all(use in APPLIED | MOVED or use.startswith(HANDED) or use.isidentifier() for use in uses)
