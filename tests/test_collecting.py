"""Garbage is looked for less often while files are linted, and as before afterwards."""

from __future__ import annotations

import gc

import pytest

from gradlint.collecting import THRESHOLDS, few_collections
from gradlint.engine import lint
from gradlint.settings import Request


def test_fewer_searches_only_while_it_lasts() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with few_collections():
        assert gc.get_threshold() == THRESHOLDS
        assert gc.get_freeze_count() > frozen
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, frozen)


def test_as_before_after_an_error_and_after_a_run() -> None:
    before = gc.get_threshold()
    with pytest.raises(KeyError), few_collections():
        raise KeyError
    assert gc.get_threshold() == before
    lint(Request(paths=(__file__,), isolated=True), ())
    assert gc.get_threshold() == before
