"""Row == measured for the names of attributes that show what something is, and for what loaders and NumPy give."""

from __future__ import annotations

import argparse
import collections
import datetime
import inspect
import io
import pathlib
import random
import threading
from typing import Any

import numpy
import pytest
import torch
from gradlint_rules.requires_grad import no_such_attribute

from gradlint.interpreter.training.torch_data import COLLATE
from gradlint.knowledge.python.duck_typing_names import (
    DERIVATIVES,
    FUNCTION_CONTEXT_USES,
    MODULE_USES,
    MODULE_USES_WHEN_CALLED,
    MOVED,
    ONLY_TENSORS,
    OPTIMIZER_USES,
    SHAPED,
    STEPS,
    SWITCHED_WHEN_CALLED,
    TENSOR_ATTRIBUTES,
)
from gradlint.knowledge.python.numpy_arrays import (
    ALWAYS_VIEWS,
    EXAMPLES,
    IN_PLACE,
    NUMBERS,
    RANDOM_EXAMPLES,
    SHARING,
    SOMETIMES_VIEWS,
)
from gradlint.knowledge.torch.autograd_names import (
    NAMESPACES,
    OF_MODULES,
    OF_OPTIMIZERS,
    OF_SCALERS,
    OF_TENSORS,
    OF_TENSORS_AND_MODULES,
)
from gradlint.knowledge.training.chosen import ONE_OF
from gradlint.testing.measuring import TABLES, resolve

torch.set_num_threads(1)

pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning"), pytest.mark.filterwarnings("ignore::FutureWarning")]

# ---- the vocabulary


@pytest.mark.parametrize(
    ("names", "owners"),
    [
        (OF_TENSORS, (torch.Tensor,)),
        (OF_TENSORS_AND_MODULES, (torch.Tensor, torch.nn.Module)),
        (OF_OPTIMIZERS - {"param_groups"}, (torch.optim.Optimizer,)),
        (OF_MODULES - {"training"}, (torch.nn.Module,)),
        (OF_SCALERS, (torch.amp.GradScaler,)),
    ],
)
def test_the_vocabulary_is_what_torch_calls_things(names: frozenset[str], owners: tuple[type, ...]) -> None:
    assert [name for name in sorted(names) for owner in owners if not hasattr(owner, name)] == []


def test_the_vocabulary_of_instances_is_there() -> None:
    module = torch.nn.Linear(1, 1)
    assert hasattr(module, "training") and hasattr(torch.optim.SGD(module.parameters()), "param_groups")


def test_only_tensors_have_the_words_of_tensors() -> None:
    others = (torch.nn.Module, torch.optim.Optimizer, torch.amp.GradScaler, dict, list, tuple, str)
    shared = {name for name in OF_TENSORS for other in others if hasattr(other, name)}
    assert shared == {"requires_grad_"}


@pytest.mark.parametrize("path", sorted(NAMESPACES))
def test_namespaces_are_modules_of_torch(path: str) -> None:
    assert inspect.ismodule(resolve(path))


# ---- signs

OTHERS: tuple[type, ...] = (
    torch.nn.Module, torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict, torch.nn.ParameterList,
    torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler, torch.amp.GradScaler, torch.Generator,
    torch.utils.data.DataLoader, torch.utils.data.Dataset, torch.distributions.Distribution,
    torch.nn.utils.rnn.PackedSequence, numpy.ndarray, numpy.generic, collections.OrderedDict, collections.deque,
    collections.Counter, list, dict, set, tuple, str, bytes, int, float, complex, io.StringIO, io.BytesIO,
    argparse.ArgumentParser, argparse.Namespace, random.Random, threading.Thread, pathlib.Path, datetime.datetime,
)  # fmt: skip
"""What programs hold beside tensors."""


def words(uses: frozenset[str]) -> list[str]:
    """The names in uses."""
    return sorted({use.partition("(")[0] for use in uses})


def having(name: str) -> list[str]:
    """Those of the others that have an attribute of this name."""
    return [other.__name__ for other in OTHERS if hasattr(other, name)]


def test_tensors_have_what_they_are_said_to_have() -> None:
    here = {name for name in TENSOR_ATTRIBUTES if f"torch.Tensor.{name}" not in TABLES.absent}
    assert [name for name in sorted(here) if not hasattr(torch.Tensor, name)] == []


def test_only_tensors_can_do_what_shows_a_tensor() -> None:
    assert [name for name in sorted(ONLY_TENSORS) if not callable(getattr(torch.Tensor, name))] == []
    assert {name: found for name in sorted(ONLY_TENSORS) if (found := having(name))} == {}
    assert callable(torch.Tensor.size) and not any(callable(getattr(other, "size", None)) for other in OTHERS)
    assert having("long") == ["PackedSequence"]


def test_what_has_a_shape_and_moves_is_a_tensor() -> None:
    for other in OTHERS:
        has = {name for name in words(SHAPED | MOVED) if hasattr(other, name)}
        shaped, moved = has & set(words(SHAPED)), has & set(words(MOVED))
        assert not (shaped and moved - {"device"}), other
        assert "size" not in shaped or not callable(other.size)


@pytest.mark.parametrize(
    ("uses", "owner"),
    [
        (MODULE_USES | MODULE_USES_WHEN_CALLED, torch.nn.Module),
        (FUNCTION_CONTEXT_USES, torch.autograd.function.FunctionCtx),
        (STEPS, torch.optim.Optimizer),
    ],
)
def test_a_kind_can_do_what_shows_it(uses: frozenset[str], owner: type) -> None:
    known = set(dir(owner)) | {"saved_tensors", "needs_input_grad"}
    assert [name for name in words(uses) if name not in known] == []


def test_only_modules_can_do_what_shows_a_module() -> None:
    modules = (torch.nn.Module, torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict, torch.nn.ParameterList)
    found = {name: {other.__name__ for other in OTHERS if other not in modules and hasattr(other, name)}
             for name in words(MODULE_USES)}  # fmt: skip
    assert {name: others for name, others in found.items() if others} == {}
    assert not any(hasattr(torch.Tensor, name) for name in words(MODULE_USES))


def test_only_optimizers_have_groups_of_parameters() -> None:
    optimizer = torch.optim.SGD([torch.ones(1)])
    assert all(hasattr(optimizer, name) for name in words(OPTIMIZER_USES))
    assert not any(having(name) for name in words(OPTIMIZER_USES) if name != "add_param_group")


def test_a_loader_gathers_tensors_in_what_the_samples_are_in() -> None:
    sample = {"a": 1, "b": (2.0, torch.ones(2)), "c": [numpy.ones(2)], "d": "text"}
    (batch,) = torch.utils.data.DataLoader([sample, sample], batch_size=2)
    kinds = {"a": torch.Tensor, "b": tuple | list, "c": list, "d": list}
    assert {key: isinstance(batch[key], kind) for key, kind in kinds.items()} == dict.fromkeys(kinds, True)
    assert all(isinstance(inner, torch.Tensor) for key in "bc" for inner in batch[key])
    assert list(inspect.signature(torch.utils.data.DataLoader).parameters).index("collate_fn") == COLLATE


def test_what_a_loader_gathers_beside_tensors_has_none_of_their_words() -> None:
    words = OF_TENSORS | OF_TENSORS_AND_MODULES
    assert not any(hasattr(other, word) for word in words for other in (dict, list, tuple, str))


@pytest.mark.parametrize(
    ("path", "example"),
    [
        (f"{prefix}{name}", example)
        for prefix, table in (("numpy.", EXAMPLES), ("numpy.random.", RANDOM_EXAMPLES))
        for example, names in table.items()
        for name in names
    ],
)
def test_functions_of_numpy_give_arrays_or_its_own_numbers(path: str, example: str) -> None:
    x = numpy.ones((2, 2))
    found = eval(example, {"f": resolve(path), "x": x})  # examples are our own rows
    assert isinstance(found, numpy.ndarray | numpy.generic)
    assert numpy.shares_memory(found, x) is (path in SHARING)


METHODS_OF_ARRAYS: dict[str, tuple[Any, ...]] = {
    "fill": (5.0,), "sort": (), "partition": (0,), "put": ([0], [9.0]), "setfield": (3.0, "float64"),
    "transpose": (), "swapaxes": (0, 1), "squeeze": (), "view": (), "diagonal": (), "__array__": (),
    "ravel": (), "reshape": (4,), "item": (0,), "tolist": (),
    "copy": (), "astype": ("float32",), "flatten": (), "clip": (0, 1), "round": (), "repeat": (2,), "take": ([0],),
    "sum": (), "mean": (), "cumsum": (), "argsort": (), "dot": (numpy.ones(2),),
}  # fmt: skip


@pytest.mark.parametrize("name", METHODS_OF_ARRAYS)
def test_methods_of_arrays_write_view_or_copy(name: str) -> None:
    x, args = numpy.array([[3.0, 2.0], [1.0, 0.5]]), METHODS_OF_ARRAYS[name]
    before = x.copy()
    found = getattr(x, name)(*args)
    assert (not numpy.array_equal(x, before)) is (name in IN_PLACE)
    assert (found is None) is (name in IN_PLACE)
    if name in IN_PLACE | NUMBERS:
        return
    assert isinstance(found, numpy.ndarray | numpy.generic)
    assert numpy.shares_memory(found, x) is (name in ALWAYS_VIEWS | SOMETIMES_VIEWS)
    assert numpy.shares_memory(getattr(x.T, name)(*args), x) is (name in ALWAYS_VIEWS)


def test_all_methods_of_arrays_that_are_told_apart_are_measured() -> None:
    assert METHODS_OF_ARRAYS.keys() >= IN_PLACE | ALWAYS_VIEWS | SOMETIMES_VIEWS | NUMBERS


def test_names_that_tensors_do_not_have() -> None:
    """What GRD118 says is missing on tensors is, and they have what is meant."""
    tensor = torch.ones(2, requires_grad=True)
    assert [name for name in no_such_attribute.MEANT if hasattr(tensor, name)] == []
    assert all(hasattr(tensor, right) for right in no_such_attribute.MEANT.values() if right)


def test_what_is_switched_and_called_is_a_module() -> None:
    """Tensors have the flag and are not called; a module is called, and is given the flag by mistake."""
    assert {"requires_grad", "()"} == SWITCHED_WHEN_CALLED
    assert not callable(torch.ones(2))
    layer = torch.nn.Linear(2, 2)
    layer.requires_grad = False
    assert callable(layer)
    assert all(parameter.requires_grad for parameter in layer.parameters())


@pytest.mark.parametrize("namespace", ONE_OF)
def test_all_classes_of_a_namespace_have_one_base(namespace: str) -> None:
    module, base = resolve(namespace), resolve(ONE_OF[namespace])
    classes = [found for name in module.__all__ if inspect.isclass(found := getattr(module, name))]
    assert len(classes) > 10 and [one for one in classes if not issubclass(one, base)] == []


WITHOUT_DERIVATIVES = {
    *"debug_unwrap functional_call functionalize rearrange".split(),
    *"replace_all_batch_norm_modules_ stack_module_state vmap".split(),
}
"""The functions of `torch.func` that differentiate nothing."""


def test_functions_that_differentiate_say_so_or_are_known_by_name() -> None:
    here = torch.autograd.functional
    functions = {name for name in vars(here) if getattr(getattr(here, name), "__module__", "") == here.__name__}
    functions |= {*torch.func.__all__} - WITHOUT_DERIVATIVES
    assert {name for name in functions if "grad" not in name and not name.startswith("_")} == DERIVATIVES
