"""Facts: the answers still possible to one question about a program.

A fact is a small set. Two of them join by union, and `fact <= YES` holds if the answer is
certainly yes: it holds when every answer still possible is in the set on the right, so a rule's
condition is its soundness condition as well.

Beside its answers a fact may be *unsure*: nothing showed it, and any other answer may hold too. That
is not the same as a set with every answer in it, which was joined from paths that ran. Hence three
questions: `fact <= YES` (certainly), `fact.possibly(YES)` (yes on some path that ran, never from
mere ignorance) and `fact.may(YES)` (cannot be excluded).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Self


class Fact:
    """A set of answers; instances are unique per class and set, so `is` compares them.

    `is_unsure` says whether an answer that no path showed may hold.
    """

    __slots__ = ("bits", "is_unsure")
    names: ClassVar[tuple[str, ...]] = ()
    _every: ClassVar[tuple[Self, ...]] = ()
    _unsure: ClassVar[int] = 0

    bits: int
    is_unsure: bool

    def __init_subclass__(cls) -> None:
        """Make all sets of the new kind of fact once."""
        cls._unsure = 1 << len(cls.names)
        every: list[Any] = []
        for bits in range(cls._unsure << 1):
            fact = object.__new__(cls)
            fact.bits = bits
            fact.is_unsure = bool(bits & cls._unsure)
            every.append(fact)
        cls._every = tuple(every)

    @classmethod
    def of(cls, bits: int) -> Self:
        """The set with these answers, one bit each, lowest first."""
        return cls._every[bits]

    @classmethod
    def named(cls, name: str) -> Self:
        """The certain answer of that name."""
        return cls.of(1 << cls.names.index(name))

    @classmethod
    def unsure(cls) -> Self:
        """Return the set that stands for ignorance."""
        return cls.of(cls._unsure)

    def __or__(self, other: Self) -> Self:
        return self._every[self.bits | other.bits]

    def __and__(self, other: Self) -> Self:
        """Return the intersection of the answers; ignorance gives way to the other's answers."""
        mine, its, unsure = self.bits, other.bits, self._unsure
        everything = unsure - 1
        both = (everything if mine & unsure else mine) & (everything if its & unsure else its)
        return self.of(both & everything | (mine & its & unsure))

    def __le__(self, other: Self) -> bool:
        return bool(self.bits) and not self.bits & ~other.bits

    def possibly(self, other: Self) -> bool:
        """Return whether some path that ran gave one of these answers."""
        return bool(self.bits & other.bits & (self._unsure - 1))

    def may(self, other: Self) -> bool:
        """Return whether one of these answers cannot be excluded."""
        return bool(self.bits & self._unsure) or bool(self.bits & other.bits)

    def without(self, other: Self) -> Self:
        """The set with these answers excluded; what was unsure stays so."""
        return self.of(self.bits & ~(other.bits & (self._unsure - 1)))

    @property
    def is_empty(self) -> bool:
        """Return whether nothing can hold: the path that carries this fact is dead."""
        return not self.bits

    def answers(self) -> tuple[Self, ...]:
        """Each answer that a path showed, as a certain fact."""
        return tuple(self.of(1 << i) for i in range(len(self.names)) if self.bits >> i & 1)

    def mapped(self, table: dict[Self, Self]) -> Self:
        """Each answer replaced as the table says, and so is ignorance; what the table does not name stays."""
        unsure = self.of(self.bits & self._unsure)
        bits = table.get(unsure, unsure).bits if unsure.bits else 0
        for answer in self.answers():
            bits |= table.get(answer, answer).bits
        return self.of(bits)

    def __str__(self) -> str:
        shown = [name for i, name in enumerate(self.names) if self.bits >> i & 1]
        return "|".join([*shown, "?"] if self.is_unsure else shown) or "never"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return type(self).of, (self.bits,)


class Truth(Fact):
    """Yes or no."""

    names = ("no", "yes")


class Dtypes(Fact):
    """The kind of a tensor's elements; autograd needs no finer distinction."""

    names = ("bool", "integer", "float", "complex")


class Precision(Fact):
    """The floating point precision of a tensor of kind float: a cast to another kind makes a new tensor."""

    names = ("float16", "bfloat16", "float32", "float64")


class Device(Fact):
    """The place of a tensor's elements: moving it to another place makes a new tensor."""

    names = ("cpu", "cuda", "meta")


class Grad(Fact):
    """The state of a leaf's `.grad`, seen from the training loop.

    none: nothing (or zeros) and nothing was lost; fresh: not yet used by a step; used: a step has
    used it; mixed: used ones and new ones summed; lost: cleared before any step used it.
    """

    names = ("none", "fresh", "used", "mixed", "lost")


class Unit(Fact):
    """The unit of a gradient: its own, or multiplied by a GradScaler's factor."""

    names = ("plain", "scaled")


class Stage(Fact):
    """The stage of an optimizer with its GradScaler since the last `update()`.

    ready: nothing was done to it; unscaled: its gradients were unscaled; stepped: the scaler stepped it.
    """

    names = ("ready", "unscaled", "stepped")


class Shape(Fact):
    """The dimensions of a tensor: how many there are, and whether the last one has one element.

    number: none; single: one, of one element; vector: one, of several elements or none at all; column: two, of which
    the last one has one element; matrix: two, of which it has not; deep: more than two. Where nobody has shown what a
    layer or a choice of elements works on, it is taken to work on a row or a batch of rows, and stays unsure.
    """

    names = ("number", "single", "vector", "column", "matrix", "deep")


class Mode(Fact):
    """The mode of a module."""

    names = ("train", "eval")


NO, YES = Truth.named("no"), Truth.named("yes")
MAYBE, UNSURE = NO | YES, Truth.unsure()
BOOL, INTEGER, FLOAT, COMPLEX = (Dtypes.named(name) for name in Dtypes.names)
FLOAT32, ANY_PRECISION = Precision.named("float32"), Precision.unsure()
CPU, CUDA, META = (Device.named(name) for name in Device.names)
ANY_DEVICE = Device.unsure()
DISCRETE, INEXACT, ANY_DTYPE = BOOL | INTEGER, FLOAT | COMPLEX, Dtypes.unsure()
NONE, FRESH, USED, MIXED, LOST = (Grad.named(name) for name in Grad.names)
ANY_GRAD = Grad.unsure()
PLAIN, SCALED = Unit.named("plain"), Unit.named("scaled")
READY, UNSCALED, STEPPED = (Stage.named(name) for name in Stage.names)
NUMBER, SINGLE, VECTOR, COLUMN, MATRIX, DEEP = (Shape.named(name) for name in Shape.names)
ANY_SHAPE, ROW = Shape.unsure(), SINGLE | VECTOR
TRAIN, EVAL = Mode.named("train"), Mode.named("eval")
ANY_MODE = Mode.unsure()


def truth(value: bool) -> Truth:
    """The certain answer."""
    return YES if value else NO


def negation(fact: Truth) -> Truth:
    """The answer to the opposite question."""
    return _NEGATIONS[fact.bits]


_NEGATIONS = tuple([fact.mapped({NO: YES, YES: NO}) for fact in map(Truth.of, range(2 * UNSURE.bits))])


def either(facts: Iterable[Truth]) -> Truth:
    """Return whether any of several holds: yes as soon as one certainly does, no only if none can."""
    some, all_ = 0, NO.bits
    for fact in facts:
        if fact is YES:
            return YES
        some |= fact.bits
        all_ &= fact.bits
    return Truth.of(some & ~NO.bits | all_)


def both(first: Truth, second: Truth) -> Truth:
    """Return whether two hold together."""
    if first is NO or second is NO:
        return NO
    if first is YES:
        return second
    return Truth.of((first.bits | second.bits) & ~YES.bits | (first.bits & second.bits & YES.bits))
