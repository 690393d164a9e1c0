"""Members of enumerations, and constants, compare with each other."""

import enum


class Colour(enum.Enum):
    RED = enum.auto()
    GREEN = enum.auto()
    CRIMSON = 1
    PAIR = (1, 2)
    OTHER_PAIR = (1, 3)


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 1


class Rank(enum.IntEnum):
    FIRST = 1


class Word(enum.StrEnum):
    LOUD = enum.auto()
    SOFT = "soft"


class Right(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()
    ALL = READ | WRITE


class Loose(enum.Enum):
    A = "a"
    B = "b"

    def __eq__(self, other):
        return True

    __hash__ = enum.Enum.__hash__


class Counted(enum.Enum):
    def __new__(cls, value):
        made = object.__new__(cls)
        made._value_ = value + 1
        return made

    ONE = 0


class Named(str, enum.Enum):
    SUM = "sum"


reveal(Colour.GREEN.value)  # 2
reveal(Colour.RED is Colour.GREEN)  # False
reveal(Colour.RED is Colour.CRIMSON)  # True
reveal(Colour.CRIMSON.name)  # 'RED'
reveal(Colour.RED == Colour.CRIMSON)  # True
reveal(Colour.RED != Colour.PAIR)  # True
reveal(Colour.PAIR is not Colour.OTHER_PAIR)  # True
reveal(Colour.RED == 1)  # False
reveal(Colour.RED == Level.HIGH)  # False
reveal(Level.LOW == 0)  # True
reveal(Level.HIGH == Rank.FIRST)  # True
reveal(Level.HIGH is Rank.FIRST)  # False
reveal(Word.LOUD == "loud")  # True
reveal(Word.SOFT == "loud")  # False
reveal(Right.WRITE.value)  # 2
reveal(Right.READ == Right.WRITE)  # False
reveal(Right.READ in Right.ALL)  # number[bool]
# vague: what `__eq__` says
reveal(Loose.A == Loose.B)  # True
reveal(Loose.A is Loose.B)  # False
# vague: the class makes its values itself
reveal(Counted.ONE.value)  # Instance[?]
reveal(Named.SUM == "sum")  # True
reveal(Colour["GREEN"] is Colour.GREEN)  # True
reveal(Colour(1) is Colour.RED)  # True
reveal(Colour.RED in (Colour.GREEN, Colour.PAIR))  # False
reveal(Colour.RED in {Colour.GREEN, Colour.CRIMSON})  # True
reveal(Colour.RED not in [Colour.GREEN, Colour.RED])  # False
for colour in Colour:
    reveal(colour is Colour.RED)  # number[bool]


def phase(which):
    match which:
        case Colour.RED | Colour.PAIR:
            return "red or pair"
        case _:
            return "another"


reveal(phase(Colour.CRIMSON))  # 'red or pair'
reveal(phase(Colour.GREEN))  # 'another'
reveal("a" in ("a", "b"))  # True
reveal("c" in "ab")  # False
reveal(3 not in [1, 2])  # True
reveal(3 in {3: "x"})  # True
reveal((1, 2) == (1, 2))  # True
reveal((1, 2) == [1, 2])  # False
reveal((1, 2) == (1, 2, 3))  # False
reveal(True is False)  # False
for word in ("a", "b"):
    reveal(word in ("a", "c"))  # True or False
