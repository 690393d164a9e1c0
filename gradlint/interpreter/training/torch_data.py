"""Data sets and loaders of torch: the batches are what collating the samples makes."""

from __future__ import annotations

from typing import Any

from gradlint.domain import (
    INTEGER,
    MAPPINGS,
    NO,
    NONE_VALUE,
    UNKNOWN,
    Array,
    Const,
    Container,
    Instance,
    Named,
    Plain,
    Ref,
    Scalar,
    Tensor,
    Value,
    alternatives,
    number_kind,
    one_of,
)
from gradlint.interpreter.autograd.batches import batch
from gradlint.interpreter.autograd.tensor import fresh
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_named, call_value
from gradlint.interpreter.engine.dispatch import ELEMENTS_OF, ITEMS_OF, models
from gradlint.interpreter.engine.iteration import element_list, elements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.items import get_item
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.training.data_loader import COLLATE, LOADER, loader

DATA = "torch.utils.data."
DEEPEST = 4
"""How deep samples are taken apart."""


def _object(it: Interpreter, node: Any, name: str, **attributes: Value) -> Value:
    return it.new(node, name, Instance(cls=Named(DATA + name), attributes=tuple(attributes.items()), open=NO))


def _attribute(thing: Instance, name: str) -> Value:
    return dict(thing.attributes).get(name, UNKNOWN)


# ---- data sets


@models(f"{DATA}TensorDataset")
def _tensors(it: Interpreter, node: Any, args: Arguments) -> Value:
    tensors = it.new(node, "tensors", Container("tuple", items=tuple(enumerate(args.positional))))
    return _object(it, node, "TensorDataset", tensors=tensors)


def _row_of_each(it: Interpreter, node: Any, thing: Instance, index: Value) -> Value:
    tensors = element_list(it, _attribute(thing, "tensors")) or []
    start = it.hold(*tensors)
    for number in range(len(tensors)):
        it.hold(get_item(it, it.place_of(node, f"tensor {number}"), it.state.flight[start + number], index))
    rows = it.land(start)[len(tensors) :]
    return it.new(node, "sample", Container("tuple", items=tuple(enumerate(rows))))


@models(f"{DATA}Subset", f"{DATA}dataset.Subset")
def _subset(it: Interpreter, node: Any, args: Arguments) -> Value:
    return _object(it, node, "Subset", dataset=args.get("dataset", 0, UNKNOWN))


@models(f"{DATA}random_split", f"{DATA}dataset.random_split")
def _split(it: Interpreter, node: Any, args: Arguments) -> Value:
    part = _object(it, node, "Subset", dataset=args.get("dataset", 0, UNKNOWN))
    return it.new(node, "parts", Container("list", rest=part))


@models(f"{DATA}ConcatDataset", f"{DATA}ChainDataset")
def _joined(it: Interpreter, node: Any, args: Arguments) -> Value:
    return _object(it, node, "Subset", dataset=elements(it, node, args.get("datasets", 0, UNKNOWN)))


def _item_of_whole(it: Interpreter, node: Any, thing: Instance, index: Value) -> Value:
    return get_item(it, it.place_of(node, "whole"), _attribute(thing, "dataset"), index)


ITEMS_OF |= {f"{DATA}TensorDataset": _row_of_each, f"{DATA}Subset": _item_of_whole}

# ---- loaders


@models(LOADER, f"{DATA}dataloader.DataLoader")
def _loader(it: Interpreter, node: Any, args: Arguments) -> Value:
    collate = UNKNOWN if args.unknown else args.get("collate_fn", COLLATE, NONE_VALUE)
    size = args.get("batch_size", 1, Const(1))
    return loader(it, node, args.get("dataset", 0, UNKNOWN), collate=collate, size=size)


def _batch(it: Interpreter, node: Any, thing: Instance) -> Value:
    dataset, collate = _asked_how_long(it, node, _attribute(thing, "dataset"), _attribute(thing, "collate_fn"))
    start = it.hold(collate)
    sample = _sample(it, node, dataset)
    collate = it.land(start)[0]
    if collate == NONE_VALUE:
        return sample if _attribute(thing, "batch_size") == NONE_VALUE else _collated(it, node, sample)
    start = it.hold(collate)
    samples = it.new(node, "samples", Container("list", rest=sample))
    return call_value(it, it.place_of(node, "collate"), it.land(start)[0], Arguments([samples]), "")


def _asked_how_long(it: Interpreter, node: Any, dataset: Value, collate: Value) -> list[Value]:
    """A data set that has a `__len__` is asked; what it is now, and what collates its samples."""
    length = method_of(it, dataset, "__len__")
    start = it.hold(dataset, collate)
    if length is not None:
        call_function(it, it.place_of(node, "length"), length, Arguments([dataset]))
    return it.land(start)


def _sample(it: Interpreter, node: Any, dataset: Value) -> Value:
    """One sample of a data set."""
    if method_of(it, dataset, "__iter__") is not None and method_of(it, dataset, "__getitem__") is None:
        return elements(it, node, dataset)
    return get_item(it, it.place_of(node, "sample"), dataset, Scalar(INTEGER))


ELEMENTS_OF[LOADER] = _batch


@models(f"{DATA}default_collate", f"{DATA}dataloader.default_collate")
def _default_collate(it: Interpreter, node: Any, args: Arguments) -> Value:
    return _collated(it, node, elements(it, node, args.get("batch", 0, UNKNOWN)))


def _collated(it: Interpreter, node: Any, sample: Value, depth: int = 0) -> Value:
    """What samples like this become as a batch: tensors are stacked, numbers and arrays become tensors."""
    found = [_collated_one(it, node, option, depth) for option in alternatives(sample)]
    return one_of(found)


def _collated_one(it: Interpreter, node: Any, sample: Value, depth: int) -> Value:
    thing = it.state.heap.get(sample) if type(sample) is Ref else sample
    kind = number_kind(sample)
    if type(thing) is Tensor:
        rows = it.new(node, "rows", Container("list", rest=sample))
        return call_named(it, it.place_of(node, "batch"), "torch.stack", Arguments([rows]), "")
    if kind is not None:
        return fresh(it, node, "batch", dtype=kind, made="default_collate")
    if type(thing) is Array:
        return fresh(it, node, "batch", dtype=thing.dtype, made="default_collate")
    if sample == Plain("str") or (type(sample) is Const and isinstance(sample.value, str)):
        return it.new(node, "texts", Container("list", rest=Plain("str")))
    if type(thing) is Container and depth < DEEPEST:
        return _collated_parts(it, node, thing, depth)
    return batch(it, node, tuple(it.state.reach([sample])))


def _collated_parts(it: Interpreter, node: Any, thing: Container, depth: int) -> Value:
    """Part by part; tuples become lists, but for named ones."""
    start = it.hold(*(value for _, value in thing.items), thing.rest)
    count = len(thing.items)
    for index, (key, _) in enumerate(thing.items):
        it.hold(_collated(it, it.place_of(node, f"part {key}"), it.state.flight[start + index], depth + 1))
    rest = it.state.flight[start + count]
    if rest != Plain("nothing"):
        rest = _collated(it, it.place_of(node, "rest"), rest, depth + 1)
    made = it.land(start)[count + 1 :]
    kind = thing.kind if type(thing.cls) is Ref or thing.kind in MAPPINGS else "list"
    items = tuple(zip((key for key, _ in thing.items), made, strict=True))
    return it.new(node, "parts", Container(kind, items, rest, keys=thing.keys, cls=thing.cls))
