"""What the function that runs was handed."""

from __future__ import annotations

from gradlint.domain import Container, Ref, Value, alternatives
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import parameters_of


def arguments_in(m: Interpreter, value: Value) -> tuple[str, ...]:
    """The parameters of the function that runs whose arguments a value is, or holds as a container: what the function
    made itself and bound to the name of a parameter is no argument."""
    frame, function = m.frame, m.frame.function
    if function is None:
        return ()
    handed: dict[Value, str] = {}
    for param in parameters_of(function.node.params):
        bound = m.state.names.get((frame.id, param.name.value))
        if type(bound) is Ref and (bound.context != frame.id or bound.site == m.sites.get(param)):
            handed[bound] = param.name.value
    if not handed:
        return ()
    container = m.only(value, Container)
    kept = alternatives(value) if container is None else [inner for _, inner in container.items]
    found = [handed.get(part, "") for part in kept]
    return tuple(name for name in found if name) if container is not None or all(found) else ()


RESULT = "return"
YIELDED = "yield"
"""The names under which a frame keeps what it returns and yields; no variable can be called so."""
