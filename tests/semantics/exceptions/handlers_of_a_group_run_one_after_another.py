# Each handler of a group that has its part of it runs, whatever those above did: there no name is as it was before.
import torch

weight = torch.rand(2, 2)
other = torch.rand(2)
try:
    raise ExceptionGroup("several", [ValueError("one"), KeyError("two")])
except* ValueError:
    weight = weight + 1
    other = torch.rand(2, requires_grad=True)
except* KeyError:
    reveal(weight, other)
    weight.requires_grad_()
reveal(weight, other)


def raised_again():
    value = torch.rand(2)
    try:
        try:
            raise ExceptionGroup("several", [ValueError("one"), KeyError("two")])
        except* ValueError:
            value.requires_grad_()
            raise
        except* KeyError:
            reveal(value)
    except* ValueError:
        reveal(value)


def one_after_all():
    value = torch.rand(2)
    try:
        value.requires_grad_()
    except ValueError:
        value = value.detach()
    except KeyError:
        reveal(value)
    reveal(value)


raised_again()
one_after_all()
