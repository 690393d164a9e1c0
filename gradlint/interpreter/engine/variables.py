"""Variables: what names mean in the frame that runs, and what they hold."""

from __future__ import annotations

import libcst as cst

from gradlint.domain.ground import Name
from gradlint.domain.values import Imported, OneOf, Value
from gradlint.interpreter.engine.frames import Frame
from gradlint.interpreter.engine.machine import Interpreter


def lookup(m: Interpreter, name: str) -> Value | None:
    """Return the value of a name here: in this scope, the ones around it, the module."""
    frame: Frame | None = m.frame.declared.get(name, m.frame)
    inner: Frame | None = None
    while frame is not None:
        meant = variable(m, frame, name, inner)
        if meant is not None and (found := m.state.held(meant)) is not None:
            if inner is not None:
                m.effects.read[meant] = found
            if m.effects.looked is not None:
                m.effects.looked[meant] = None
            break
        inner, frame = frame, frame.parent
    else:
        file = m.frame.file
        if (found := file.names.get(name)) is not None:
            m.effects.read[file.frame, name] = m.state.reaching(found)
    return m.neighbours.resolved(found) if type(found) is Imported or type(found) is OneOf else found


def variable(m: Interpreter, frame: Frame, name: str, inner: Frame | None) -> Name | None:
    """The variable of a frame that a name means in a function `inner` that was made there; the variable of a
    comprehension around that function is kept under another name when the comprehension has ended."""
    outlived = None if inner is None else inner.scope.outlived.get(name)
    if outlived is not None and (frame.id, outlived) in m.state.names:
        return frame.id, outlived
    return None if inner is not None and type(frame.scope.node) is cst.ClassDef else (frame.id, name)


def held(m: Interpreter, name: Name) -> Value | None:
    """Return the value of a variable now; what importing a file left is there until it is set."""
    found = m.state.held(name)
    if found is not None:
        return found
    file = m.frames[name[0]].file
    found = file.names.get(name[1]) if file.frame == name[0] else None
    return None if found is None else m.state.reaching(found)


def bind(m: Interpreter, name: str, value: Value) -> None:
    """Give a name a value."""
    frame = m.frame.declared.get(name, m.frame)
    if frame.file.foreign and frame.parent is None and frame is not m.frame:
        value = m.neighbours.either_way(frame.file, name, value)
    if frame.parent is None:
        m.state.held((frame.id, name))  # with all that hangs together with it
    m.state.names[frame.id, name] = value
