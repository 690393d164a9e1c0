"""Surroundings of an example: one seed, torch's own settings, a folder of its own; all put back, and checked."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import io
import os
import random
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gradlint.frozen import frozen

SEED = 0


class NotRestored(Exception):
    """An example changed a setting of the process that could not be put back; the message names it."""


@frozen()
class Setting:
    """Something of the process that an example may change. `standard` is what examples start from; where `put` is
    None it can only be checked."""

    name: str
    get: Callable[[], Any]
    put: Callable[[Any], object] | None
    standard: Any


def settings() -> tuple[Setting, ...]:
    """All that is put back after an example, and checked."""
    import torch

    devices = tuple(kind for kind in ("cpu", "cuda") if kind == "cpu" or torch.cuda.is_available())
    return (
        Setting("inference mode", torch.is_inference_mode_enabled, None, False),
        Setting("grad mode", torch.is_grad_enabled, torch.set_grad_enabled, True),
        Setting("default dtype", torch.get_default_dtype, torch.set_default_dtype, torch.float32),
        Setting("default device", _default_device, torch.set_default_device, None),
        *(setting for kind in devices for setting in _autocast(kind)),
        Setting("autocast's cache", torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled, True),
        Setting("anomaly mode", _anomaly, lambda value: torch.set_anomaly_enabled(*value), (False, True)),
        Setting("hooks on all modules", _module_hooks, _put_module_hooks, ((),) * len(_hook_tables())),
        Setting("kind of backward hooks on all modules", _hook_kind, _put_hook_kind, None),
        Setting("hooks on saved tensors", lambda: _autograd()._top_saved_tensors_default_hooks(True), None, None),
        Setting("overriding modes", _overriding_modes, None, 0),
        Setting("process group", _process_group, _leave_process_group, False),
        Setting("deterministic mode", torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode, 0),
        Setting("warnings", torch.is_warn_always_enabled, torch.set_warn_always, True),
    )


def _default_device() -> Any:
    """The device that was asked for, None where nobody asked."""
    import torch

    context = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
    return None if context is None else context.device


def _autocast(kind: str) -> tuple[Setting, Setting]:
    import torch

    return (
        Setting(
            f"autocast on {kind}",
            lambda: torch.is_autocast_enabled(kind),
            lambda value: torch.set_autocast_enabled(kind, value),
            False,
        ),
        Setting(
            f"autocast's dtype on {kind}",
            lambda: torch.get_autocast_dtype(kind),
            lambda value: torch.set_autocast_dtype(kind, value),
            torch.get_autocast_dtype(kind),
        ),
    )


def _anomaly() -> tuple[bool, bool]:
    import torch

    return torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()


def _autograd() -> Any:
    import torch

    return torch._C._autograd


def _overriding_modes() -> int:
    """Return the number of active function and dispatch modes, without the one that holds the default device."""
    import torch

    modes = torch._C._len_torch_function_stack() + torch._C._len_torch_dispatch_stack()
    return int(modes) - (_default_device() is not None)


def _hook_tables() -> list[Any]:
    from torch.nn.modules import module

    named = sorted(vars(module).items())
    return [table for name, table in named if name.startswith("_global_") and isinstance(table, dict)]


def _module_hooks() -> tuple[tuple[tuple[Any, Any], ...], ...]:
    return tuple(tuple(table.items()) for table in _hook_tables())


def _put_module_hooks(value: tuple[tuple[tuple[Any, Any], ...], ...]) -> None:
    for table, items in zip(_hook_tables(), value, strict=True):
        table.clear()
        table.update(items)


def _hook_kind() -> bool | None:
    """Return whether the backward hooks on all modules are full ones; None where there is none."""
    from torch.nn.modules import module

    kind: bool | None = module._global_is_full_backward_hook
    return kind


def _put_hook_kind(value: bool | None) -> None:
    from torch.nn.modules import module

    module._global_is_full_backward_hook = value


def _process_group() -> bool:
    import torch.distributed as dist

    return bool(dist.is_available() and dist.is_initialized())


def _leave_process_group(value: bool) -> None:
    import torch.distributed as dist

    if not value and _process_group():
        dist.destroy_process_group()


# ---- around one example


@contextlib.contextmanager
def surroundings(files: Mapping[str, str]) -> Iterator[list[warnings.WarningMessage]]:
    """Run an example from one seed in torch's standard settings; gives the warnings it meets as they come.

    `files` are written into the folder it runs in, from which it may import. Raises `NotRestored` if a setting
    is not as before at the end.
    """
    import torch

    watched = settings()
    before = [setting.get() for setting in watched]
    with contextlib.ExitStack() as stack:
        stack.callback(_check, watched, before)
        stack.callback(_restore, watched, before)
        stack.enter_context(torch.inference_mode(False))
        for setting, value in zip(watched, before, strict=True):
            if setting.put is not None and value != setting.standard and setting.name != "process group":
                setting.put(setting.standard)
        stack.enter_context(_own_folder(files))
        stack.enter_context(_own_seed())
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        seen = stack.enter_context(warnings.catch_warnings(record=True))
        warnings.simplefilter("always")
        yield seen


def _restore(watched: tuple[Setting, ...], before: list[Any]) -> None:
    for setting, value in zip(watched, before, strict=True):
        if setting.put is not None and setting.get() != value:
            setting.put(value)


def _check(watched: tuple[Setting, ...], before: list[Any]) -> None:
    """Everything is as before; what hangs on objects that nobody holds any more may need a collection first."""
    for collect in (False, True):
        if collect:
            gc.collect()
        left = [s.name for s, value in zip(watched, before, strict=True) if s.get() != value]
        if not left:
            return
    raise NotRestored(f"left changed behind: {', '.join(left)}; undo it inside the example")


@contextlib.contextmanager
def _own_folder(files: Mapping[str, str]) -> Iterator[None]:
    """A new current folder with these files, importable; modules imported from it are forgotten."""
    environment, path, modules = dict(os.environ), list(sys.path), set(sys.modules)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in files.items():
            file = Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        if files:
            sys.path.insert(0, folder)
            importlib.invalidate_caches()
        try:
            yield
        finally:
            sys.path[:] = path
            os.environ.clear()
            os.environ.update(environment)
            for name in [name for name in sys.modules if name not in modules and _lies_in(name, folder)]:
                del sys.modules[name]


def _lies_in(module: str, folder: str) -> bool:
    return str(getattr(sys.modules[module], "__file__", None) or "").startswith(folder)


@contextlib.contextmanager
def _own_seed() -> Iterator[None]:
    """All random generators start from `SEED` and go on afterwards as if nothing had happened."""
    import torch

    numpy: Any = importlib.import_module("numpy") if importlib.util.find_spec("numpy") else None
    python, arrays = random.getstate(), numpy and numpy.random.get_state()
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        random.seed(SEED)
        torch.manual_seed(SEED)
        if numpy is not None:
            numpy.random.seed(SEED)
        try:
            yield
        finally:
            random.setstate(python)
            if numpy is not None:
                numpy.random.set_state(arrays)
