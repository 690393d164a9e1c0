"""Fewer searches for garbage while files are linted.

A syntax tree is many thousand objects that all live until the file is done, and looking through them again and again
for cycles that nobody holds costs a quarter of a run. What was there before the run is not looked through at all.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

THRESHOLDS = (50_000, 20, 50)
"""The numbers of new objects, younger searches and middling searches before the next search of each kind."""


@contextmanager
def few_collections() -> Generator[None]:
    """Let Python look for garbage less often inside this block."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


@contextmanager
def no_collections() -> Generator[None]:
    """Let Python look for no garbage inside this block, in which modules are loaded that stay. What is there afterwards
    is not looked through until `few_collections` ends."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
