"""From a program that shows a disagreement to a small one that shows the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

Still = Callable[[str], bool]
"""Whether a program still shows it."""


def shrunk(text: str, still: Still) -> str:
    """The program without the lines, blocks and revealed names that it does not need."""
    lines, smaller = _halved(text.splitlines(), still), True
    while smaller:
        smaller = False
        for at in reversed(range(len(lines))):
            for fewer in _without(lines, at) if at < len(lines) else ():
                if _is_program(fewer) and still(_text(fewer)):
                    lines, smaller = fewer, True
                    break
    return _text(lines)


def _halved(lines: list[str], still: Still) -> list[str]:
    """The program without whole runs of lines, long ones first: most of a program is not needed."""
    size = len(lines) // 2
    while size > 1:
        for at in reversed(range(0, len(lines), size)):
            fewer = lines[:at] + lines[at + size :]
            if _is_program(fewer) and still(_text(fewer)):
                lines = fewer
        size //= 2
    return lines


def _without(lines: list[str], at: int) -> Iterator[list[str]]:
    """A line taken away with the block below it, or in place of the block its body, or one revealed name less."""
    end = at + 1
    while end < len(lines) and (not lines[end].strip() or _depth(lines[end]) > _depth(lines[at])):
        end += 1
    yield lines[:at] + lines[end:]
    if end > at + 1:
        yield lines[:at] + [line[4:] for line in lines[at + 1 : end]] + lines[end:]
    if lines[at].lstrip().startswith("reveal("):
        indent, _, asked = lines[at].partition("reveal(")
        names = asked.removesuffix(")").split(", ")
        for number in range(len(names) if len(names) > 1 else 0):
            left = ", ".join(names[:number] + names[number + 1 :])
            yield [*lines[:at], f"{indent}reveal({left})", *lines[at + 1 :]]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_program(lines: list[str]) -> bool:
    try:
        compile(_text(lines), "<program>", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"
