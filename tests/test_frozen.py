"""A frozen class is what `dataclasses` would have made of it."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from gradlint.frozen import frozen

ROOT = Path(__file__).parent.parent


def both(**how: Any) -> Any:
    """The same class twice: as `dataclasses` makes it, and as we do."""

    def make(cls: type[Any]) -> tuple[type[Any], type[Any]]:
        alike = type(cls.__name__, cls.__bases__, dict(vars(cls)))
        return dataclass(frozen=True, slots=True, **how)(alike), frozen(**how)(cls)

    return make


@both()
class PlainObject:
    """What all have."""

    a: int
    b: str = "b"
    c: tuple[int, ...] = ()
    of_all: ClassVar[int] = 3

    @property
    def twice(self) -> int:
        return self.a * 2


@both()
class Made:
    a: list[int] = field(default_factory=list)
    b: int = field(default=2, repr=False)
    c: int = field(default=3, compare=False)
    d: int = field(default=4, init=False)
    e: int = field(default=5, kw_only=True)


@both(kw_only=True)
class ImportPath:
    a: int
    b: int = 2


@both(eq=False)
class Itself:
    a: int = 1


@both()
class Empty:
    pass


@both()
class Equal:
    a: int

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 7


CLASSES = {"plain": PlainObject, "made": Made, "named": ImportPath, "itself": Itself, "empty": Empty, "equal": Equal}
GIVEN: dict[str, list[dict[str, Any]]] = {
    "plain": [{"a": 1}, {"a": 1, "b": "x"}, {"a": 2, "c": (1,)}],
    "made": [{}, {"a": [1]}, {"c": 9}, {"e": 9}, {"b": 1, "e": 2}],
    "named": [{"a": 1}, {"a": 1, "b": 3}],
    "itself": [{}, {"a": 2}],
    "empty": [{}],
    "equal": [{"a": 1}, {"a": 2}],
}
for made in CLASSES.values():
    globals()[f"{made[1].__name__}_"] = made[1]
    made[1].__qualname__ = f"{made[1].__name__}_"


@pytest.mark.parametrize("name", CLASSES)
def test_it_looks_like_one(name: str) -> None:
    theirs, ours = CLASSES[name]
    shown = [inspect.signature(each) for each in (ours, theirs)]
    described = [
        [(one.name, one.kind, one.annotation, one.default is one.empty) for one in each.parameters.values()]
        for each in shown
    ]
    assert described[0] == described[1] and shown[0].return_annotation is shown[1].return_annotation
    assert [one.name for one in fields(ours)] == [one.name for one in fields(theirs)]
    assert (ours.__match_args__, ours.__slots__) == (theirs.__match_args__, theirs.__slots__)
    assert ours.__doc__ is None or ours.__doc__.partition("(")[0] == (theirs.__doc__ or "").partition("(")[0]


@pytest.mark.parametrize(("name", "given"), [(name, given) for name, some in GIVEN.items() for given in some])
def test_an_instance_behaves_like_one(name: str, given: dict[str, Any]) -> None:
    theirs, ours = (each(**given) for each in CLASSES[name])
    values = {one.name: getattr(theirs, one.name) for one in fields(theirs)}
    assert {one.name: getattr(ours, one.name) for one in fields(ours)} == values
    assert repr(ours).partition("(")[2] == repr(theirs).partition("(")[2]
    for other in GIVEN[name]:
        pairs = [(one, each(**other)) for one, each in zip((theirs, ours), CLASSES[name], strict=True)]
        assert len({one == another for one, another in pairs}) == 1
        assert len({one != another for one, another in pairs}) == 1
    assert ours != theirs or name == "equal"
    changed = {next(iter(given)): next(iter(given.values()))} if given else {}
    assert repr(replace(ours, **changed)) == repr(ours)


@pytest.mark.parametrize(("name", "given"), [(name, some[-1]) for name, some in GIVEN.items() if name != "made"])
def test_its_hash_is_that_of_its_fields(name: str, given: dict[str, Any]) -> None:
    theirs, ours = (each(**given) for each in CLASSES[name])
    assert name == "itself" or hash(ours) == hash(theirs)
    assert hash(ours) == hash(ours)


@pytest.mark.parametrize("name", CLASSES)
def test_it_is_frozen_and_can_be_copied(name: str) -> None:
    one = CLASSES[name][1](**GIVEN[name][-1])
    with pytest.raises(FrozenInstanceError):
        one.a = 1
    with pytest.raises(FrozenInstanceError):
        del one.a
    assert not hasattr(one, "__dict__")
    for each in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert type(each) is type(one) and repr(each) == repr(one)


@pytest.mark.parametrize("wrong", [{}, {"a": 1, "x": 2}])
def test_wrong_arguments_are_refused(wrong: dict[str, Any]) -> None:
    for each in PlainObject:
        with pytest.raises(TypeError):
            each(**wrong)


def test_a_class_may_derive_from_one() -> None:
    @frozen()
    class Below(PlainObject[1]):  # type: ignore[misc, name-defined]
        d: int = 4

    assert [one.name for one in fields(Below)] == ["a", "b", "c", "d"]
    assert Below(1).d == 4 and Below(1).twice == 2
    assert Below(1) == Below(1) != PlainObject[1](1) and hash(Below(1)) != hash(Below(2))


def test_what_is_frozen_is_made_here() -> None:
    """But for classes whose instances are ordered, and those without slots."""
    files = [path for path in (ROOT / "gradlint").rglob("*.py") if path.name != "frozen.py"]
    usual = re.compile(r"^@dataclass\(frozen=True, slots=True(?!.*order=True)", re.MULTILINE)
    assert [path.name for path in files if usual.search(path.read_text(encoding="utf-8"))] == []
