"""The pack of a project's own wrappers, from its configuration."""

from __future__ import annotations

from collections.abc import Sequence

from gradlint.knowledge.packs import Backward, Block, Call, LibraryClass, Pack


def pack(modules: Sequence[str], no_grad: Sequence[str], backward: Sequence[str]) -> tuple[Pack, ...]:
    """The pack that says what import paths are: classes and functions that give modules, managers and decorators under
    which gradients are off, functions that differentiate their first argument. None where nothing is configured."""
    paths = (*modules, *no_grad, *backward)
    if not paths:
        return ()
    return (
        Pack(
            library="the project",
            version="",
            roots=tuple(dict.fromkeys(path.partition(".")[0] for path in paths)),
            classes=tuple(LibraryClass((path,), kind="module", own=True) for path in modules),
            functions=(
                *(Call(path, gives=Block("off")) for path in no_grad),
                *(Call(path, ("loss",), does=(Backward("loss"),)) for path in backward),
            ),
        ),
    )
