"""Calls that make a network which is trained already, as far as the call says so."""

from __future__ import annotations

from typing import Any

import libcst as cst

WITH_WEIGHTS = frozenset({"pretrained", "weights"})
"""The keywords by which libraries are told to load what was trained."""
METHOD = "from_pretrained"
EMPTY = frozenset({"False", "None"})


def loads_weights(call: Any) -> bool:
    """Return whether a call that makes a module says that trained weights come with it: `from_pretrained(...)`, or
    `pretrained=True` and `weights=...`."""
    if not isinstance(call, cst.Call):
        return False
    if isinstance(call.func, cst.Attribute) and call.func.attr.value == METHOD:
        return True
    return any(
        argument.keyword is not None
        and argument.keyword.value in WITH_WEIGHTS
        and not (isinstance(argument.value, cst.Name) and argument.value.value in EMPTY)
        for argument in call.args
    )
