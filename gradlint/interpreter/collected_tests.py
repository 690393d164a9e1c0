"""Test runners: which functions of a file they collect and call by themselves."""

from __future__ import annotations

import re

from gradlint.domain.objects import Class
from gradlint.domain.refs import Syntax
from gradlint.domain.values import Function, ImportPath
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.mro import ancestry

RUNNERS = frozenset({"pytest", "unittest"})
"""Modules that only tests import."""
FIXTURES = frozenset(
    "cache capfd capfdbinary caplog capsys capsysbinary doctest_namespace monkeypatch pytestconfig record_property "
    "record_testsuite_property record_xml_attribute recwarn request tmp_path tmp_path_factory tmpdir "
    "tmpdir_factory".split()
)
"""The fixtures that pytest passes under these names to any test that takes them."""

CLASSES = re.compile(r"Test(?![a-z])")
"""The beginnings of the names of classes that hold tests; a `Tester` is none."""


def imports_a_runner(m: Interpreter) -> bool:
    """Return whether the file imports what runs tests."""
    return not m.scan.imports.isdisjoint(RUNNERS)


def collected(m: Interpreter) -> frozenset[Syntax]:
    """The functions that look like tests and can be called by a runner: it has all that they take."""
    return frozenset(node for node, function in m.defined.functions.items() if _is_collected(m, function))


def _is_collected(m: Interpreter, function: Function) -> bool:
    if not function.name.startswith("test_"):
        return False
    if function.owner is not None and not _is_collected_class(m, function.owner):
        return False
    params = function.node.params
    taken = [param.name.value for param in (*params.posonly_params, *params.params, *params.kwonly_params)]
    if function.owner is not None and function.kind != "static":
        taken = taken[1:]
    wanted = set(taken) - {name for name, _ in function.defaults} - FIXTURES
    return not wanted or wanted <= _of_conftest(m)


def _is_collected_class(m: Interpreter, node: Syntax) -> bool:
    """Return whether a class holds tests: by its name, with nothing to be made of, or by its base."""
    ref = m.defined.classes.get(node)
    cls = m.state.heap.get(ref) if ref is not None else None
    if ref is None or type(cls) is not Class:
        return False
    bases = [one.path.rpartition(".")[2] for one in ancestry(m, ref) if type(one) is ImportPath]
    if any(name.endswith("TestCase") for name in bases):
        return True
    return CLASSES.match(cls.name) is not None and "__init__" not in dict(cls.members)


def _of_conftest(m: Interpreter) -> set[str]:
    """The names that the `conftest` files beside the file and above it define: of these are its fixtures."""
    project = m.neighbours.project
    if project is None:
        return set()
    folders = project.name.split(".")[:-1]
    paths = [".".join([*folders[:count], "conftest"]) for count in range(len(folders) + 1)]
    return {name for path in paths if project.find(path) is not None for name in project.public(path)}
