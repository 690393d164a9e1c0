"""Running an example on torch, from a fixed seed, in surroundings that it finds fresh and leaves as they were.

Each example runs in a thread of its own: grad mode, inference mode, autocast and the modes of torch
functions belong to a thread, so no example meets what another left behind. What belongs to the whole
process is put back. Whatever an example did not put back itself is noted.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import random
import sys
import tempfile
import textwrap
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gradlint.proving.examples import Text, standing_alone, text_of
from gradlint.rule import Evidence, Example

SEED = 0


class TorchMissing(Exception):
    """torch cannot be imported; the message says how to get it."""


@dataclass(slots=True)
class Outcome:
    """What running an example gave: what it returned or raised (and on which of its rows), and what it warned of.

    `left` names what it did not put back, `missing` the library it needs and that is not installed.
    """

    returned: Any = None
    error: BaseException | None = None
    row: int | None = None
    warned: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    missing: str = ""
    rng: Any = field(default=None, repr=False)


def require_torch() -> None:
    """Raises `TorchMissing` if torch is not there to be asked."""
    try:
        importlib.import_module("torch")
    except Exception as error:
        what = (
            "torch is not installed"
            if isinstance(error, ModuleNotFoundError)
            else f"torch cannot be imported ({error})"
        )
        cure = f"install it: `{sys.executable} -m pip install torch`"
        raise TorchMissing(f"{what}, and only torch can show what an example does; {cure}") from error


def run(evidence: Evidence, **arguments: Any) -> Outcome:
    """Run an example once from the seed, in an empty folder with its neighbours, saying nothing."""
    text = text_of(evidence)
    out = Outcome()

    def body() -> None:
        _in_thread(standing_alone(evidence.example), arguments, out)

    with _surroundings(), _neighbours(evidence.files):
        thread = threading.Thread(target=body, name=evidence.example.__name__)
        thread.start()
        thread.join()
    _explain(out, text, evidence.files)
    return out


def _in_thread(example: Callable[..., Any], arguments: Mapping[str, Any], out: Outcome) -> None:
    before = state_of_torch()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            out.returned = example(**arguments)
        except (Exception, SystemExit) as error:
            out.error = error
        out.warned = tuple(str(warning.message) for warning in caught)
    after = state_of_torch()
    out.left = tuple(
        f"{name} was {before[name]} and is {after[name]}" for name in before if before[name] != after[name]
    )
    _put_back(before)


def _explain(out: Outcome, text: Text, files: Mapping[str, Example]) -> None:
    """Find the row that raised, and whether only a library was missing."""
    error = out.error
    if error is None:
        return
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.lineno is not None and (row := text.covers(frame.filename, frame.lineno)) is not None:
            out.row = row
    error.__traceback__ = None
    if isinstance(error, ModuleNotFoundError) and error.name:
        library = error.name.partition(".")[0]
        if library != "torch" and f"{library}.py" not in files:
            out.missing = library


# ---- surroundings


def state_of_torch() -> dict[str, Any]:
    """All that outlives a call unless somebody puts it back, in words and values that compare."""
    import torch
    import torch.distributed
    from torch.nn.modules import module

    hooks = sum(
        len(getattr(module, name)) for name in dir(module) if name.startswith("_global_") and name.endswith("hooks")
    )
    return {
        "grad mode": torch.is_grad_enabled(),
        "inference mode": torch.is_inference_mode_enabled(),
        "default dtype": torch.get_default_dtype(),
        "default device": torch.get_default_device(),
        "autocast on cpu": torch.is_autocast_enabled("cpu"),
        "autocast on cuda": torch.is_autocast_enabled("cuda"),
        "autocast dtype on cpu": torch.get_autocast_dtype("cpu"),
        "anomaly mode": torch.is_anomaly_enabled(),
        "deterministic algorithms": torch.are_deterministic_algorithms_enabled(),
        "number of global module hooks": hooks,
        "process group": torch.distributed.is_available() and torch.distributed.is_initialized(),
    }


def _put_back(before: Mapping[str, Any]) -> None:
    """Undo what an example left behind; what it left in its thread ends with the thread."""
    import torch
    import torch.distributed
    from torch.nn.modules import module

    now = state_of_torch()
    if now == before:
        return
    torch.set_grad_enabled(before["grad mode"])
    torch.set_default_dtype(before["default dtype"])
    if now["default device"] != before["default device"]:
        torch.set_default_device(None)
    torch.autograd.set_detect_anomaly(before["anomaly mode"])
    torch.use_deterministic_algorithms(before["deterministic algorithms"])
    if now["number of global module hooks"] > before["number of global module hooks"]:
        for name in dir(module):
            if name.startswith("_global_") and name.endswith("hooks"):
                getattr(module, name).clear()
    if now["process group"] and not before["process group"]:
        torch.distributed.destroy_process_group()


@contextlib.contextmanager
def _surroundings() -> Iterator[None]:
    """A fixed seed, every warning, no output, an empty folder to write in; all as before afterwards, and checked."""
    import torch

    before, heard = state_of_torch(), torch.is_warn_always_enabled()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        stack.enter_context(_seeded())
        stack.enter_context(contextlib.chdir(folder))
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        stack.callback(torch.set_warn_always, heard)
        torch.set_warn_always(True)
        yield
    after = state_of_torch()
    if after != before:
        changed = ", ".join(name for name in before if before[name] != after[name])
        raise RuntimeError(f"an example changed torch for the whole process and it could not be put back: {changed}")


@contextlib.contextmanager
def _seeded() -> Iterator[None]:
    import torch

    plain, tensors = random.getstate(), torch.get_rng_state()
    random.seed(SEED)
    torch.manual_seed(SEED)
    try:
        import numpy
    except ImportError:
        numpy = None  # type: ignore[assignment]
    arrays = None
    if numpy is not None:
        arrays = numpy.random.get_state()
        numpy.random.seed(SEED)
    try:
        yield
    finally:
        random.setstate(plain)
        torch.set_rng_state(tensors)
        if arrays is not None:
            numpy.random.set_state(arrays)


@contextlib.contextmanager
def _neighbours(files: Mapping[str, Example]) -> Iterator[None]:
    """Write the neighbours into the current folder, as bodies of their functions, where they can be imported."""
    for name, function in files.items():
        text = text_of(Evidence(function, script=True)).text
        with open(name, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
    path, modules = list(sys.path), set(sys.modules)
    if files:
        sys.path.insert(0, os.getcwd())
        importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = path
        for name in files:
            for module in [
                m for m in sys.modules if m.partition(".")[0] == name.removesuffix(".py") and m not in modules
            ]:
                del sys.modules[module]
