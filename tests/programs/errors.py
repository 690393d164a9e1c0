"""A handler sees any state that held while its block ran, also inside functions called there."""

import torch

weight = torch.ones(3, requires_grad=True)


def freeze_and_fail(tensor):
    tensor.requires_grad_(False)
    raise ValueError("after the change")


def changed_inside_a_function():
    tensor = torch.ones(3, requires_grad=True)
    try:
        freeze_and_fail(tensor)
    except ValueError:
        # vague: the call may raise before the change
        reveal(tensor)  # Tensor[float, requires_grad=no|yes, leaf=yes]


def finally_after_an_error():
    value = torch.zeros(1)
    try:
        try:
            value = value + weight.sum()
            raise KeyError("uncaught here")
        finally:
            # vague: anything in the block may raise
            reveal(value)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
            value = value.detach().long()
    except KeyError:
        # vague: anything in the two blocks may raise
        reveal(value)  # Tensor[integer|float, requires_grad=no|yes, leaf=no|yes]


def else_and_finally(text):
    value = torch.zeros(1)
    try:
        number = float(text)
    except ValueError as error:
        reveal(value)  # Tensor[float, requires_grad=no, leaf=yes]
        value = value.bool()
    else:
        value = value * number * weight[0]
        reveal(value)  # Tensor[float, requires_grad=yes, leaf=no]
    finally:
        reveal(value)  # Tensor[bool|float, requires_grad=no|yes, leaf=no|yes]
    reveal(value)  # Tensor[bool|float, requires_grad=no|yes, leaf=no|yes]


def returns_through_finally():
    try:
        return weight * 2
    finally:
        torch.set_grad_enabled(True)


def mode_in_a_block():
    try:
        torch.set_grad_enabled(False)
        with torch.enable_grad():
            raise ValueError
    except ValueError:
        # vague: the statement before the block may raise too
        reveal(weight * 2)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
    torch.set_grad_enabled(True)


changed_inside_a_function()
finally_after_an_error()
else_and_finally("1")
else_and_finally("one")
reveal(returns_through_finally())  # Tensor[float, requires_grad=yes, leaf=no]
mode_in_a_block()
