# A metaclass may hand out what it likes when the class is called.
import torch


class Asking(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.tensor.requires_grad_(True)
        return made


class Once(type):
    made = None

    def __call__(cls, *args):
        if cls.made is None:
            cls.made = super().__call__(*args)
        return cls.made


class Plain(type):
    pass


class Asked(metaclass=Asking):
    def __init__(self, tensor):
        self.tensor = tensor


class Single(metaclass=Once):
    def __init__(self, tensor):
        self.tensor = tensor


class Derived(Single):
    pass


class Ordinary(metaclass=Plain):
    def __init__(self, tensor):
        self.tensor = tensor


given = torch.rand(2)
asked = Asked(given)
reveal(asked.tensor, given)
reveal(Asked(torch.rand(2)).tensor)
first = Single(torch.rand(2, requires_grad=True))
second = Single(torch.rand(2))
reveal(first.tensor, second.tensor)
first.tensor.requires_grad_(False)
reveal(first.tensor, second.tensor)
derived = Derived(torch.rand(2, requires_grad=True))
reveal(Derived(torch.rand(2)).tensor, derived.tensor)
ordinary = Ordinary(torch.rand(2, requires_grad=True))
reveal(ordinary.tensor)
