"""What an annotation tells about a value nobody was seen to make."""

from __future__ import annotations

from typing import Any

import libcst as cst

from gradlint.domain import (
    BOOL,
    COMPLEX,
    FLOAT,
    INTEGER,
    NONE_VALUE,
    UNSURE,
    Array,
    Belief,
    Container,
    Instance,
    Iterator,
    Mark,
    Named,
    Optimizer,
    Plain,
    Ref,
    Scalar,
    Scaler,
    Scheduler,
    Tensor,
    Value,
    one_of,
)
from gradlint.interpreter import gifts
from gradlint.interpreter.batches import batch
from gradlint.interpreter.core import Interpreter
from gradlint.interpreter.loaders import LOADER, loader
from gradlint.interpreter.modules import parameter, unknown_module
from gradlint.interpreter.narrowing import PARAMETER_CLASSES, TENSOR_CLASSES, peek_class
from gradlint.interpreter.uses import unknown_tensor
from gradlint.knowledge import MODULES, OPTIMIZERS, SCALERS, SCHEDULERS

NUMBERS = {"int": INTEGER, "float": FLOAT, "bool": BOOL, "complex": COMPLEX}
SEQUENCES = {"list": "list", "List": "list", "tuple": "tuple", "Tuple": "tuple", "set": "set", "Sequence": "list",
             "Collection": "list", "FrozenSet": "set", "MutableSequence": "list", "Deque": "deque"}  # fmt: skip
MAPPINGS = {"dict": "dict", "Dict": "dict", "OrderedDict": "OrderedDict", "Mapping": "dict",
            "MutableMapping": "dict", "DefaultDict": "defaultdict"}  # fmt: skip
ITERATORS = frozenset({"Iterable", "Iterator", "Generator"})
SCHEDULER_BASES = frozenset({"torch.optim.lr_scheduler.LRScheduler", "torch.optim.lr_scheduler._LRScheduler"})
WRAPPERS = frozenset({"Optional", "Final", "ClassVar", "Annotated"})


def value_of(it: Interpreter, node: Any, annotation: Any) -> Value | None:
    """A value of the annotated type; None where the annotation tells nothing we can use."""
    if isinstance(annotation, cst.SimpleString):
        annotation = _parsed(annotation)
    if isinstance(annotation, cst.BinaryOperation) and type(annotation.operator) is cst.BitOr:
        return _either(it, node, [annotation.left, annotation.right])
    if isinstance(annotation, cst.Subscript):
        return _generic(it, node, annotation)
    if isinstance(annotation, cst.Name) and annotation.value == "None":
        return NONE_VALUE
    if isinstance(annotation, cst.Name) and (meant := it.scan.scopes[it.tree].aliases.get(annotation.value)):
        return _generic(it, node, meant)
    cls = peek_class(it, annotation) if annotation is not None else None
    return None if cls is None else _instance(it, node, cls)


def _parsed(annotation: cst.SimpleString) -> Any:
    try:
        text = annotation.evaluated_value
        return cst.parse_expression(text if isinstance(text, str) else "None")
    except (cst.ParserSyntaxError, ValueError):
        return None


def _either(it: Interpreter, node: Any, options: list[Any]) -> Value | None:
    found = [value_of(it, it.place_of(node, f"type {index}"), option) for index, option in enumerate(options)]
    return None if any(value is None for value in found) else one_of([v for v in found if v is not None])


def _generic(it: Interpreter, node: Any, annotation: cst.Subscript) -> Value | None:
    name = _last(annotation.value)
    inner = [e.slice.value for e in annotation.slice if isinstance(e.slice, cst.Index)]
    if name in WRAPPERS and inner:
        found = value_of(it, node, inner[0])
        return None if found is None else one_of([found, NONE_VALUE]) if name == "Optional" else found
    if name == "Union":
        return _either(it, node, inner)
    if name in ITERATORS:
        return it.new(node, "annotated", Iterator(_summary(it, node, inner[:1]), used=UNSURE, belief=Belief.ANNOTATED))
    kind = SEQUENCES.get(name) or MAPPINGS.get(name)
    if kind is None:
        return None
    if kind == "tuple" and inner and not any(isinstance(one, cst.Ellipsis) for one in inner):
        every = [_element(it, node, one, f"element {index}") for index, one in enumerate(inner)]
        thing = Container(kind, items=tuple(enumerate(every)), belief=Belief.ANNOTATED)
    else:
        inner = [one for one in inner if not isinstance(one, cst.Ellipsis)]
        thing = Container(kind, rest=_summary(it, node, inner[-1:]), belief=Belief.ANNOTATED)
    return it.new(node, "annotated", thing)


def _element(it: Interpreter, node: Any, annotation: Any, part: str) -> Value:
    """An element of a container: of the annotated type, or some object."""
    found = value_of(it, it.place_of(node, part), annotation)
    return it.new(it.place_of(node, part), "element", Instance(belief=Belief.BY_NAME)) if found is None else found


def _summary(it: Interpreter, node: Any, annotation: list[Any]) -> Value:
    """What stands for all elements of a container."""
    found = _element(it, node, annotation[0] if annotation else None, "element")
    it.update(found, Tensor, many=True)
    return found


def _last(node: Any) -> str:
    return node.attr.value if isinstance(node, cst.Attribute) else getattr(node, "value", "")


def _tensor(it: Interpreter, node: Any) -> Value:
    return unknown_tensor(it, node, "annotated", Belief.ANNOTATED)


def _instance(it: Interpreter, node: Any, cls: str | Ref) -> Value | None:
    if type(cls) is Ref:
        from gradlint.interpreter.strangers import annotated_instance

        return annotated_instance(it, node, cls)
    assert isinstance(cls, str)
    cls = cls.removeprefix("builtins.")
    if cls in NUMBERS:
        return Scalar(NUMBERS[cls])
    if cls in ("str", "bytes"):
        return Plain("str")
    if cls in TENSOR_CLASSES or cls in PARAMETER_CLASSES:
        return _tensor(it, node) if cls in TENSOR_CLASSES else parameter(
            it, node, "annotated", requires_grad=UNSURE, belief=Belief.ANNOTATED)  # fmt: skip
    if cls == "torch.nn.Module" or cls in MODULES:
        return unknown_module(it, node, "annotated", Belief.ANNOTATED, Named(cls))
    if cls == LOADER:
        return loader(it, node, batch(it, node), Belief.ANNOTATED)
    if cls == "numpy.ndarray":
        return it.new(node, "annotated", Array(storage=(it.memory(node, "array"),), belief=Belief.ANNOTATED))
    if cls in OPTIMIZERS or cls == "torch.optim.Optimizer" or cls == "torch.optim.optimizer.Optimizer":
        kind = cls.rpartition(".")[2] if cls in OPTIMIZERS else ""
        return it.new(
            node, "annotated", Optimizer(kind, open=UNSURE, belief=Belief.ANNOTATED, marks=(Mark("made", node),))
        )
    if cls in SCALERS:
        factor = it.memory(node, "annotated factor")
        return it.new(
            node, "annotated", Scaler(storage=(factor,), belief=Belief.ANNOTATED, marks=(Mark("made", node),))
        )
    if cls in SCHEDULERS or cls in SCHEDULER_BASES:
        kind = cls.rpartition(".")[2] if cls in SCHEDULERS else ""
        return it.new(node, "annotated", Scheduler(kind, belief=Belief.ANNOTATED, marks=(Mark("made", node),)))
    if it.packs.cls(cls) is not None or it.packs.is_foreign(cls):
        return gifts.typical(it, node, cls, "annotated", Belief.ANNOTATED)
    if "." not in cls or cls.startswith(NO_CLASSES):
        return None
    return it.new(node, "annotated", Instance(cls=Named(cls), belief=Belief.ANNOTATED))


NO_CLASSES = (".", "typing.", "typing_extensions.", "collections.abc.", "jaxtyping.", "builtins.")
"""How the paths begin that annotations name and nothing is an instance of, or that are not followed."""
