"""Row == measured for the objects of Python and its library: their methods, their attributes, and constants."""

from __future__ import annotations

import datetime
import inspect
import logging
import os
import pathlib
import random
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch

from gradlint.knowledge.schema import PlainRow
from gradlint.testing.measuring import TABLES, resolve

HERE = pathlib.Path(__file__)
SAMPLES: dict[str, Callable[[], Any]] = {
    "str": lambda: "a b",
    "bytes": lambda: b"a",
    "int": lambda: 3,
    "float": lambda: 1.5,
    "path": lambda: HERE,
    "file": lambda: HERE.open(encoding="utf-8"),
    "logger": lambda: logging.getLogger("gradlint.nobody"),
    "handler": logging.NullHandler,
    "pattern": lambda: re.compile("a"),
    "match": lambda: re.match("a", "a"),
    "datetime": datetime.datetime.now,
    "timedelta": datetime.timedelta,
    "random": random.Random,
    "stat": HERE.stat,
    "Size": lambda: torch.ones(2).shape,
    "device": lambda: torch.device("cpu"),
    "dtype": lambda: torch.float32,
    "finfo": lambda: torch.finfo(torch.float32),
    "iinfo": lambda: torch.iinfo(torch.int32),
    "version": lambda: sys.version_info,
}
"""A real object for each word; `data` and progress bars are of other libraries."""
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "group": (), "start": (), "end": (), "random": (), "uniform": (0, 1), "gauss": (0, 1), "randint": (0, 2),
    "randrange": (2,), "join": (["a"],), "numel": (), "relative_to": (HERE.parent,), "glob": ("*.py",), "rglob": ("x",),
    "with_suffix": (".txt",), "with_name": ("a",), "with_stem": ("a",), "__truediv__": ("a",), "match": ("a",),
    "search": ("a",), "fullmatch": ("a",), "sub": ("b", "a"), "findall": ("a",), "split": ("a",), "strftime": ("%Y",),
    "__getitem__": (0,), "startswith": ("a",), "endswith": ("a",), "find": ("a",), "index": ("a",), "count": ("a",),
    "replace": ("a", "b"), "center": (3,), "zfill": (3,), "ljust": (3,), "rjust": (3,), "partition": ("a",),
    "rpartition": ("a",), "removeprefix": ("a",), "removesuffix": ("a",), "rfind": ("a",), "rindex": ("a",),
    "translate": ({},), "__contains__": ("a",), "getChild": ("a",), "isEnabledFor": (10,),
}  # fmt: skip
UNTOUCHED = frozenset(
    "iterdir mkdir unlink rmdir touch rename write_text write_bytes write writelines close open".split()
)
"""What would change the disk or needs a folder is only looked up."""
WORDS = {
    "str": str, "bytes": bytes, "bool": bool, "int": int, "float": float, "path": pathlib.Path, "none": type(None),
    "list": list, "logger": logging.Logger, "match": re.Match, "datetime": datetime.datetime,
    "version": type(sys.version_info), "data": type(os.environ), "stat": os.stat_result,
}  # fmt: skip


def is_a(thing: Any, returns: str) -> bool:
    """Whether a thing is what a row says."""
    one, _, none = returns.partition(" or ")
    if none and thing is None:
        return True
    if one.startswith("list of "):
        return all(is_a(inner, one.removeprefix("list of ")) for inner in thing)
    return isinstance(thing, WORDS[one])


def rows_of(table: Any) -> list[PlainRow]:
    return [row for row in table.values() if row.path.rpartition(".")[0] in SAMPLES]


@pytest.mark.parametrize("row", rows_of(TABLES.object_methods), ids=lambda row: row.path)
def test_methods_give_what_their_row_says(row: PlainRow) -> None:
    owner, _, name = row.path.rpartition(".")
    method = getattr(SAMPLES[owner](), name)
    assert callable(method)
    if name in UNTOUCHED:
        return
    try:
        inspect.signature(method).bind(*ARGUMENTS.get(name, ()))
        given = method(*ARGUMENTS.get(name, ()))
    except (TypeError, ValueError, OSError):  # wants other arguments, or another kind of file
        return
    assert is_a(given, row.returns)


@pytest.mark.parametrize("row", rows_of(TABLES.object_attributes), ids=lambda row: row.path)
def test_attributes_are_what_their_row_says(row: PlainRow) -> None:
    owner, _, name = row.path.rpartition(".")
    assert is_a(getattr(SAMPLES[owner](), name), row.returns)


@pytest.mark.parametrize("row", TABLES.constants.values(), ids=lambda row: row.path)
def test_constants_are_what_their_row_says(row: PlainRow) -> None:
    assert is_a(resolve(row.path), row.returns)


@pytest.mark.parametrize("digits", [(), (1,)])
def test_tensors_refuse_to_be_rounded_by_python(digits):
    with pytest.raises(TypeError, match="__round__"):
        round(torch.ones(()), *digits)
