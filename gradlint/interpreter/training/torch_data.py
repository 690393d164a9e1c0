"""Data sets and loaders of torch: the batches are what collating the samples makes."""

from __future__ import annotations

from itertools import count

from gradlint.domain.facts import INTEGER, NO
from gradlint.domain.items import item_of
from gradlint.domain.objects import MAPPINGS, Array, Container, Instance, Tensor
from gradlint.domain.provenance import Belief, Cause, CauseKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, number_kind, one_of
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Constant, ImportPath, PlainObject, PythonNumber, Value
from gradlint.interpreter.autograd.batches import batch
from gradlint.interpreter.autograd.tensor import fresh
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_named, call_value
from gradlint.interpreter.engine.dispatch import ELEMENTS_OF, ITEMS_OF, annotated, models
from gradlint.interpreter.engine.iteration import each, element_list, elements, tuple_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.containers import container
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.items import get_item
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.static.sites import Site

DATA = "torch.utils.data."
DEEPEST = 4
"""The depth to which samples are taken apart."""


def _object(m: Interpreter, node: Site, name: str, **attributes: Value) -> Value:
    return m.new(node, name, Instance(cls=ImportPath(DATA + name), attributes=tuple(attributes.items()), open=NO))


def _attribute(thing: Instance, name: str) -> Value:
    return item_of(thing.attributes, name, UNKNOWN)


# ---- data sets


@models(f"{DATA}TensorDataset")
def _tensors(m: Interpreter, node: Site, args: Arguments) -> Value:
    tensors = tuple_of(m, node, args.positional, "tensors")
    return _object(m, node, "TensorDataset", tensors=tensors)


def _row_of_each(m: Interpreter, node: Site, thing: Instance, index: Value) -> Value:
    tensors = element_list(m, _attribute(thing, "tensors")) or []
    places = (m.part_of(node, f"tensor {number}") for number in count())
    rows = each(m, tensors, lambda tensor: get_item(m, next(places), tensor, index))
    return container(m, node, "tuple", rows, "sample")


models(f"{DATA}Subset", f"{DATA}dataset.Subset")(
    lambda m, node, args: _object(m, node, "Subset", dataset=args.get("dataset", 0, UNKNOWN))
)


@models(f"{DATA}random_split", f"{DATA}dataset.random_split")
def _split(m: Interpreter, node: Site, args: Arguments) -> Value:
    part = _object(m, node, "Subset", dataset=args.get("dataset", 0, UNKNOWN))
    return m.new(node, "parts", Container("list", rest=part))


models(f"{DATA}ConcatDataset", f"{DATA}ChainDataset")(
    lambda m, node, args: _object(m, node, "Subset", dataset=elements(m, node, args.get("datasets", 0, UNKNOWN)))
)


def _item_of_whole(m: Interpreter, node: Site, thing: Instance, index: Value) -> Value:
    return get_item(m, m.part_of(node, "whole"), _attribute(thing, "dataset"), index)


@models(f"{DATA}StackDataset", f"{DATA}dataset.StackDataset")
def _stacked(m: Interpreter, node: Site, args: Arguments) -> Value:
    if args.unknown:
        return _object(m, node, "StackDataset", datasets=UNKNOWN)
    kind, given = ("dict", args.keywords.items()) if args.keywords else ("tuple", enumerate(args.positional))
    return _object(m, node, "StackDataset", datasets=m.new(node, "datasets", Container(kind, items=tuple(given))))


def _item_of_each(m: Interpreter, node: Site, thing: Instance, index: Value) -> Value:
    datasets = m.only(_attribute(thing, "datasets"), Container)
    if datasets is None:
        return UNKNOWN
    places = (m.part_of(node, f"dataset {name}") for name, _ in datasets.items)
    samples = each(m, [held for _, held in datasets.items], lambda held: get_item(m, next(places), held, index))
    items = tuple(zip((name for name, _ in datasets.items), samples, strict=True))
    return m.new(node, "sample", Container(datasets.kind, items=items))


ITEMS_OF |= {
    f"{DATA}TensorDataset": _row_of_each,
    f"{DATA}Subset": _item_of_whole,
    f"{DATA}StackDataset": _item_of_each,
}

# ---- loaders

LOADER = "torch.utils.data.DataLoader"
COLLATE = 6
"""The position of `collate_fn` among the arguments."""
ONE = Constant(1)


annotated(LOADER)(lambda m, node, path: loader(m, node, belief=Belief.ANNOTATED))


def loader(
    m: Interpreter,
    node: Site,
    dataset: Value = UNKNOWN,
    *,
    collate: Value = NONE_VALUE,
    size: Value = ONE,
    belief: Belief = Belief.PROVEN,
) -> Ref:
    """A loader of what a data set holds."""
    about = (("dataset", dataset), ("collate_fn", collate), ("batch_size", size), ("sampler", UNKNOWN))
    made = Instance(
        cls=ImportPath(LOADER), attributes=about, open=NO, belief=belief, causes=(Cause(CauseKind.MADE, node),)
    )
    return m.new(node, "loader", made)


@models(LOADER, f"{DATA}dataloader.DataLoader")
def _loader(m: Interpreter, node: Site, args: Arguments) -> Value:
    collate = UNKNOWN if args.unknown else args.get("collate_fn", COLLATE, NONE_VALUE)
    size = args.get("batch_size", 1, Constant(1))
    return loader(m, node, args.get("dataset", 0, UNKNOWN), collate=collate, size=size)


def _batch(m: Interpreter, node: Site, thing: Instance) -> Value:
    dataset, collate = _asked_how_long(m, node, _attribute(thing, "dataset"), _attribute(thing, "collate_fn"))
    sample, (collate,) = m.keeping(lambda: _sample(m, node, dataset), collate)
    if collate == NONE_VALUE:
        return sample if _attribute(thing, "batch_size") == NONE_VALUE else _collated(m, node, sample)
    start = m.push(collate)
    samples = m.new(node, "samples", Container("list", rest=sample))
    return call_value(m, m.part_of(node, "collate"), m.pop_from(start)[0], Arguments([samples]), "")


def _asked_how_long(m: Interpreter, node: Site, dataset: Value, collate: Value) -> list[Value]:
    """Call the `__len__` of a data set; return what it is now, and what collates its samples."""
    length = method_of(m, dataset, "__len__")
    start = m.push(dataset, collate)
    if length is not None:
        call_function(m, m.part_of(node, "length"), length, Arguments([dataset]))
    return m.pop_from(start)


def _sample(m: Interpreter, node: Site, dataset: Value) -> Value:
    """One sample of a data set."""
    if method_of(m, dataset, "__iter__") is not None and method_of(m, dataset, "__getitem__") is None:
        return elements(m, node, dataset)
    return get_item(m, m.part_of(node, "sample"), dataset, PythonNumber(INTEGER))


ELEMENTS_OF[LOADER] = _batch


models(f"{DATA}default_collate", f"{DATA}dataloader.default_collate")(
    lambda m, node, args: _collated(m, node, elements(m, node, args.get("batch", 0, UNKNOWN)))
)


def _collated(m: Interpreter, node: Site, sample: Value, depth: int = 0) -> Value:
    """Return the batch of samples like this: tensors are stacked, numbers and arrays become tensors."""
    found = [_collated_one(m, node, option, depth) for option in alternatives(sample)]
    return one_of(found)


def _collated_one(m: Interpreter, node: Site, sample: Value, depth: int) -> Value:
    thing = m.state.heap.get(sample) if type(sample) is Ref else sample
    kind = number_kind(sample)
    if type(thing) is Tensor:
        rows = m.new(node, "rows", Container("list", rest=sample))
        return call_named(m, m.part_of(node, "batch"), ImportPath("torch.stack"), Arguments([rows]), "")
    if kind is not None:
        return fresh(m, node, "batch", dtype=kind, made="default_collate")
    if type(thing) is Array:
        return fresh(m, node, "batch", dtype=thing.dtype, made="default_collate")
    if sample == PlainObject("str") or (type(sample) is Constant and isinstance(sample.value, str)):
        return m.new(node, "texts", Container("list", rest=PlainObject("str")))
    if type(thing) is Container and depth < DEEPEST:
        return _collated_parts(m, node, thing, depth)
    return batch(m, node, tuple(m.state.reach([sample])))


def _collated_parts(m: Interpreter, node: Site, thing: Container, depth: int) -> Value:
    """Part by part; tuples become lists, but for named ones."""
    start = m.push(*thing.held)
    count = len(thing.items)
    for index, (key, _) in enumerate(thing.items):
        m.push(_collated(m, m.part_of(node, f"part {key}"), m.state.stack[start + index], depth + 1))
    rest = m.state.stack[start + count]
    if rest != PlainObject("nothing"):
        rest = _collated(m, m.part_of(node, "rest"), rest, depth + 1)
    made = m.pop_from(start)[count + 1 :]
    kind = thing.kind if type(thing.cls) is Ref or thing.kind in MAPPINGS else "list"
    items = tuple(zip((key for key, _ in thing.items), made, strict=True))
    return m.new(node, "parts", Container(kind, items, rest, keys=thing.keys, cls=thing.cls))
