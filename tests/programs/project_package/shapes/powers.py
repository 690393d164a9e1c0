from .deep.inner import start

__all__ = ["square"]
__all__ += ["cube"]


def square(x):
    return x * x


def cube(x):
    return x * x * x


def flat(x):
    return x.detach()
