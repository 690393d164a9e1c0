"""The tables of the interpreter: what is done with each kind of node and value, and at each import path.

They are empty here. Each file of a room enters what it knows under a decorator when it is loaded, and `driver` loads
them all; so a user of a table imports none of its entries.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, TypeVar

from gradlint.domain.objects import Instance
from gradlint.domain.refs import Ref
from gradlint.domain.values import Value

if TYPE_CHECKING:
    from gradlint.interpreter.engine.arguments import Arguments
    from gradlint.interpreter.engine.machine import Interpreter


HandlerT = TypeVar("HandlerT", bound=Callable[..., Any])
Handler = Callable[["Interpreter", Any], Value]
Step = Callable[["Interpreter", Any], None]
Model = Callable[["Interpreter", Any, "Arguments"], Value]
Annotated = Callable[["Interpreter", Any, str], Value]
Method = Callable[["Interpreter", Any, Value, "Arguments"], Value]

# ---- by kinds of syntax nodes

EXPRESSIONS: dict[type, Handler] = {}
STATEMENTS: dict[type, Step] = {}


def _entering(table: dict[Any, Any], keys: tuple[Any, ...]) -> Callable[[HandlerT], HandlerT]:
    def register(handler: HandlerT) -> HandlerT:
        assert table.keys().isdisjoint(keys), f"entered twice: {keys}"
        table.update(dict.fromkeys(keys, handler))
        return handler

    return register


def evaluates(*nodes: type) -> Callable[[Handler], Handler]:
    """Register how these kinds of expression are evaluated."""
    return _entering(EXPRESSIONS, nodes)


def executes(*nodes: type) -> Callable[[Step], Step]:
    """Register how these kinds of statement are run."""
    return _entering(STATEMENTS, nodes)


# ---- by import paths

MODELS: dict[str, Model] = {}
CALLED: dict[str, Callable[[Interpreter, Any, Instance, Arguments], Value]] = {}
"""The calls of instances of these classes."""
ITEMS_OF: dict[str, Callable[[Interpreter, Any, Instance, Value], Value]] = {}
"""The values of `instance[index]` for these classes."""
ATTRIBUTES_OF: dict[str, Callable[[Interpreter, Any, Value, str], Value | None]] = {}
"""The attributes of instances of these classes that are computed anew each time; None for all others."""
ELEMENTS_OF: dict[str, Callable[[Interpreter, Any, Instance], Value]] = {}
"""The elements of iterating over an instance of these classes."""
ANNOTATED_AS: dict[str, Annotated] = {}
"""Something of these classes that somebody else made, as annotations name it; takes the import path."""


def models(*paths: str) -> Callable[[Model], Model]:
    """Register what calling something at these import paths does."""
    return _entering(MODELS, paths)


def annotated(*paths: str) -> Callable[[Annotated], Annotated]:
    """Register the value of an annotation that names one of these classes."""
    return _entering(ANNOTATED_AS, paths)


# ---- by kinds of values


class TypeSlot(Enum):
    """The operations on a value, each implemented by its kind of value or object, as the type slots of CPython are.

    A handler takes the interpreter, the place, the value, and after these what stands behind the name here.
    """

    CALL = auto()
    """`value(...)`: arguments and the name it is called by; None for a call of code that nobody sees."""
    CALL_ALL = auto()
    """The same for a value of which all alternatives are of the kind, at once."""
    CALL_NAMED = auto()
    """The same for something known by its import path, if nobody is to hear of the call."""
    CALL_METHOD = auto()
    """`value.name(...)`: the name, arguments, and how the method is written; None for code that nobody sees."""
    CALL_UNSEEN = auto()
    """`value(...)` of code that nobody sees, where names tell what it is for: the arguments; None for others."""
    CALL_DEFINED = auto()
    """The same for a method that a class of the program defines; None where that is all that is to be run."""
    CALL_INHERITED = auto()
    """`super().name(...)`: the name and arguments; None where the kind has no such method."""
    GET_ATTRIBUTE = auto()
    """`value.name`: the name, how the value is written, and whether it is asked in a guard (`getattr`)."""
    GET_BUILT_IN = auto()
    """Return an attribute of the kind itself where no class of the program defines the name; None where it has none."""
    SET_ATTRIBUTE = auto()
    """`value.name = other`: the name, the other value, and whether it is certainly this object."""
    BIND = auto()
    """Bind a member of a class as an attribute of an object: the object and the member; None for itself."""
    LEARN_ATTRIBUTE = auto()
    """Learn by other means about an attribute that nobody set: its name, how it is written, what it is made of."""
    ANNOTATED = auto()
    """An object that somebody else made of a class that an annotation names: the class, or its import path."""
    HANDED = auto()
    """Give the value of each parameter of a function that a library calls; takes function and parameters."""
    LEARN = auto()
    """Learn about an object from the uses of a name that holds it: the object, and the name as it is written."""
    GET_ITEM = auto()
    """`value[index]`: the index."""
    SET_ITEM = auto()
    """`value[index] = other`, for all alternatives of the kind at once: the index and the other value."""
    DELETE_ITEM = auto()
    """`del value[index]`, for all alternatives of the kind at once: the index; takes no place."""
    TYPE_OF = auto()
    """`type(value)`; takes the object or value alone."""
    NEW = auto()
    """Make the result of `object.__new__` for a class of the program: the class, its reference, the place; or None."""
    INITIALISE = auto()
    """`__init__` of a base that the program does not show: object, class and arguments; whether there is one."""
    BUILT = auto()
    """An instance of a class of the program was made: the instance, and what the class was called with."""
    UNFOLLOWED = auto()
    """An instance of a class of the program whose `__init__` is not followed: the class."""
    CERTAIN = auto()
    """Return the certain elements of an iteration over an object; takes the interpreter and the object."""
    NOT_EMPTY = auto()
    """Return whether an iteration over an object certainly has elements; takes the interpreter and the object."""
    HAS_ATTRIBUTE = auto()
    """`hasattr(value, name)`, as far as it is certain; takes the interpreter, the object and the name."""
    TRUTH = auto()
    """`bool(value)`, as far as it is certain; takes the interpreter and the object."""
    ITERATE = auto()
    """`iter(value)`: the object."""
    NEXT = auto()
    """`next(value)`: the object."""
    LISTED = auto()
    """List the elements of an object, or of a method of it, with names: the origin of the iterator ("" for the object
    itself); takes no place. None where that is not known."""
    RUN_THROUGH = auto()
    """The elements one by one of an iterator that nobody has asked yet, for which it runs; takes the interpreter, the
    reference and it. None where they are not known: then nothing has happened."""
    RESTART = auto()
    """An iterator that nobody has asked yet runs as things are now; takes the interpreter, the reference and it."""
    LEARN_ARGUMENTS = auto()
    """Learn about the unknown arguments in the frame of a call by other means; takes frame and function."""
    LEARN_RESULT = auto()
    """The same of what a function gave back: the result."""
    DIFFERENTIATED_UNSEEN = auto()
    """Return a tensor after unseen code may have run backward through its graph; takes the tensor alone."""
    WRITTEN_UNSEEN = auto()
    """Unseen code may write these memories; takes the interpreter and the memories."""
    ASKED_UNSEEN = auto()
    """Unseen code may set the flags of these tensors; takes the interpreter and their references."""


SLOTS: dict[TypeSlot, dict[type, Callable[..., Any]]] = {slot: {} for slot in TypeSlot}


def implements(slot: TypeSlot, *kinds: type) -> Callable[[HandlerT], HandlerT]:
    """Register how something is done with values or objects of these kinds."""
    return _entering(SLOTS[slot], kinds)


def kind_of(m: Interpreter, value: Value) -> type:
    """The kind of an object, or of a value that is none."""
    return type(m.state.heap.get(value)) if type(value) is Ref else type(value)
