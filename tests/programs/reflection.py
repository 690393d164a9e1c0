"""`getattr`, `setattr`, `hasattr`, `vars`, `__dict__` and `type` with names that are known."""

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)


class Store:
    shared = plain

    def __init__(self):
        self.value = weight

    def double(self):
        return self.value * 2


store = Store()
found = getattr(store, "value")
reveal(found)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(getattr(store, "missing", plain))  # Tensor[float, requires_grad=no, leaf=yes]
found = getattr(store, "double")()
reveal(found)  # Tensor[float, requires_grad=yes, leaf=no]
setattr(store, "extra", plain)
reveal(store.extra)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(hasattr(store, "extra"))  # number[bool]
reveal(hasattr(store, "nothing"))  # False
reveal(vars(store)["value"])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(store.__dict__["value"])  # Tensor[float, requires_grad=yes, leaf=yes]
store.__dict__["later"] = weight
reveal(store.later)  # Tensor[float, requires_grad=yes, leaf=yes]
store.more = plain
reveal(type(store)().value)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(store.__class__().value)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(store.__class__.__name__)  # str
reveal(type(weight) is torch.Tensor)  # number[bool]
reveal(isinstance(store, Store))  # True
reveal(isinstance(weight, (list, torch.Tensor)))  # True
reveal(issubclass(Store, object))  # number[bool]
reveal(callable(store.double))  # number[bool]
for name in ("value", "extra"):
    reveal(getattr(store, name))  # Tensor[float, requires_grad=no|yes, leaf=yes]
for name in ["a", "b"]:
    setattr(store, name, plain)
reveal(store.a)  # Tensor[float, requires_grad=no, leaf=yes]
other = Store()
delattr(other, "value")
reveal(getattr(other, "value", plain))  # Tensor[float, requires_grad=no, leaf=yes]
other.more = weight
del other.more
reveal(getattr(other, "more", plain))  # Tensor[float, requires_grad=no, leaf=yes]
for item in vars(Store()).values():
    reveal(item)  # Tensor[float, requires_grad=yes, leaf=yes]
Store.shared = weight
reveal(store.shared)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(getattr(weight, "grad"))  # None
reveal(getattr(weight, "requires_grad"))  # True
found = getattr(torch, "ones")(2)
reveal(found)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(torch.is_grad_enabled())  # True
with torch.no_grad():
    reveal(torch.is_grad_enabled())  # False
reveal(id(store) == id(store))  # number[bool]
reveal(callable(3))  # number[bool]
