"""What holds before any test runs: one tree is tested, only with what is installed, and of each law a sample.

Most laws are parametrised over hundreds of rows, rules or programs. `pytest` runs a sample of each, the same one every
time; `pytest --cases rest` runs what that leaves out, `--cases all` both, and `--cases few` some of the sample, which
is enough to see that another version of Python or of a library breaks nothing. `--part 2/3` runs the second third of
these cases, every third of them.
"""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

NEED_TORCH = (
    "test_alone.py",
    "test_called_elsewhere.py",
    "test_callers.py",
    "test_chosen_networks.py",
    "test_cuts_in_loops.py",
    "test_evaluated_in_train_mode.py",
    "test_evidence.py",
    "test_explain.py",
    "test_facts.py",
    "test_facts_graph.py",
    "test_fuzz.py",
    "test_given_back.py",
    "test_graphs_dropped_inside.py",
    "test_handed_gradients.py",
    "test_handed_training.py",
    "test_kept_terms.py",
    "test_knowledge.py",
    "test_knowledge_arguments.py",
    "test_knowledge_counts.py",
    "test_knowledge_dimensions.py",
    "test_knowledge_distributions.py",
    "test_knowledge_flat.py",
    "test_knowledge_going_well.py",
    "test_knowledge_inference.py",
    "test_knowledge_keywords.py",
    "test_knowledge_layout.py",
    "test_knowledge_modules.py",
    "test_knowledge_named.py",
    "test_knowledge_objects.py",
    "test_knowledge_outlines.py",
    "test_knowledge_plain.py",
    "test_knowledge_precision.py",
    "test_knowledge_protocols.py",
    "test_knowledge_reparametrizations.py",
    "test_knowledge_sizes.py",
    "test_knowledge_squashing.py",
    "test_knowledge_views.py",
    "test_knowledge_words.py",
    "test_knowledge_writes.py",
    "test_large_networks.py",
    "test_module_registries.py",
    "test_packs_run.py",
    "test_packs_run_lightning.py",
    "test_programs.py",
    "test_proving.py",
    "test_retained.py",
    "test_semantics.py",
    "test_silent.py",
    "test_surroundings.py",
    "test_swallowed_errors.py",
    "test_testing.py",
    "test_ways.py",
)
WITHOUT_TORCH = find_spec("torch") is None
collect_ignore = list(NEED_TORCH) if WITHOUT_TORCH else []


SAMPLE, FEW = 30, 5
"""How many cases of a law are run where `@pytest.mark.sampled(most)` does not say fewer, and how many are few."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say which cases of each law are to run."""
    parser.addoption(
        "--cases", choices=("few", "sample", "rest", "all"), default="sample", help="cases of each law to run [sample]"
    )
    parser.addoption("--part", type=part, default=(1, 1), metavar="K/N", help="the Kth of N parts of these cases")


def part(text: str) -> tuple[int, int]:
    """Return which of how many parts a text names. Raises `ValueError` where it names none."""
    number, _, parts = text.partition("/")
    if not 1 <= int(number) <= int(parts):
        raise ValueError(text)
    return int(number), int(parts)


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What one test makes gradlint remember, no other test is told, nor the folder that the tests are run in."""
    folder = Path(tempfile.gettempdir(), f"gradlint-cache-{uuid.uuid4().hex}")
    monkeypatch.setenv("GRADLINT_CACHE_DIR", str(folder))
    yield
    shutil.rmtree(folder, ignore_errors=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the sample of each law, or the rest, or a part of these; what `-k` and `-m` leave out is not counted."""
    number, parts = config.getoption("--part")
    kept = asked_for(config.getoption("--cases"), items)[number - 1 :: parts]
    names = {item.nodeid for item in kept}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in names])
    items[:] = kept


def asked_for(cases: str, items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the cases of each law that are asked for."""
    if cases == "all":
        return items
    laws: dict[str, list[pytest.Item]] = {}
    for item in items:
        laws.setdefault(item.nodeid.partition("[")[0], []).append(item)
    samples = [sample(law) for law in laws.values()]
    chosen = {item.nodeid for law in samples for item in (sample(law, FEW) if cases == "few" else law)}
    return [item for item in items if (item.nodeid in chosen) != (cases == "rest")]


def sample(cases: list[pytest.Item], most: int = SAMPLE) -> list[pytest.Item]:
    """Return the cases of one law that are run by default: the first of them, and others at even distances."""
    mark = cases[0].get_closest_marker("sampled")
    most = min(mark.args[0] if mark else most, most, len(cases))
    return [cases[number * len(cases) // most] for number in range(most)]


def pytest_configure() -> None:
    """Refuse to test the engine of one tree with the rules of another."""
    engine, rules = _folder("gradlint"), _folder("gradlint_rules")
    if rules not in (engine.parent / "rules", engine.parent / "gradlint_rules"):
        raise pytest.UsageError(
            f"gradlint is imported from {engine}, its rules from {rules}: that is not one tree; "
            "install this one with `pip install -e '.[test]'`"
        )


def pytest_report_header() -> str | None:
    """Say what is left out."""
    return f"torch is not installed; left out: {', '.join(NEED_TORCH)}" if WITHOUT_TORCH else None


def pytest_report_collectionfinish(items: list[pytest.Item]) -> list[str]:
    """Say what is measured on, where rows are measured."""
    if not any(item.path.name.startswith("test_knowledge") for item in items):
        return []
    from gradlint.proving import ran_on

    return list(ran_on())


def _folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise pytest.UsageError(f"{package} is not installed; install this tree with `pip install -e '.[test]'`")
    return Path(spec.submodule_search_locations[0]).resolve()
