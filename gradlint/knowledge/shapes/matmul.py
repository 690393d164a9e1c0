"""Products and distances."""

from __future__ import annotations

from functools import reduce

from gradlint.knowledge.shapes.query import (
    Asked,
    Function,
    Size,
    Untold,
    broadcast,
    multiplied,
    named,
    pattern,
    spread,
    without,
)


def _matmul(asked: Asked) -> Size:
    left, right = asked.all
    columns = right[-1:] if len(right) > 1 else ()
    return (*broadcast([left[:-2], right[:-2]]), *left[-2:-1], *columns)


def _chained(asked: Asked) -> Size:
    return reduce(lambda left, right: _matmul(Asked([left, right])), asked.all)


def _inner(asked: Asked) -> Size:
    one, other = asked.of(0), asked.of(1)
    return (*one[:-1], *other[:-1]) if one and other else one or other


def _linear(asked: Asked) -> Size:
    weight = asked.of(1)
    return (*asked.of(0)[:-1], *weight[:-1])


def _similar(asked: Asked) -> Size:
    return without(spread(asked), asked.arg("dim", 1))


def _apart(asked: Asked) -> Size:
    return without(spread(asked), -1, asked.arg("keepdim", False))


def _tensordot(asked: Asked) -> Size:
    dims = asked.arg("dims", 2)
    if not isinstance(dims, int):
        raise Untold
    return (*asked.of(0)[: len(asked.of(0)) - dims], *asked.of(1)[dims:])


def _summed(asked: Asked) -> Size:
    """By the letters of an equation, each of which stands for one length; 1 is spread to that of the others."""
    given, _, wanted = asked.arg("equation").replace(" ", "").partition("->")
    letters = given.replace(",", "")
    lengths: dict[str, int] = {}
    for names, size in zip(given.split(","), asked.all, strict=True):
        for name, length in zip(names, size, strict=True):
            lengths[name] = length if lengths.get(name, 1) == 1 else lengths[name]
    once = "".join(sorted(name for name in lengths if letters.count(name) == 1))
    return tuple(lengths[name] for name in (wanted if "->" in asked.arg("equation") else once))


def _attended(asked: Asked) -> Size:
    """A row of values for each query."""
    query, key, value = asked.all[:3]
    asked.arg("enable_gqa")
    return (*broadcast([query[:-2], key[:-2], value[:-2]]), query[-2], value[-1])


PRODUCTS: dict[str, Function] = {
    "inner": _inner,
    "mm": pattern("ij,jk->ik"),
    "bmm": pattern("bij,bjk->bik"),
    "mv": pattern("ij,j->i"),
    "outer": pattern("i,j->ij"),
    "addr": pattern("*,i,j->ij"),
    "addmm": pattern("*,ij,jk->ik"),
    "addmv": pattern("*,ij,j->i"),
    "baddbmm": pattern("*,bij,bjk->bik"),
    "addbmm": pattern("*,bij,bjk->ik"),
    "cdist": pattern("*id,*jd->*ij"),
    "linalg_vecdot": pattern("*i,*i->*"),
    **named("det logdet linalg_cond slogdet", pattern("*ii->*")),
    "matmul": _matmul,
    **named("chain_matmul linalg_multi_dot", _chained),
    "linear": _linear,
    "bilinear": lambda asked: (*asked.of(0)[:-1], asked.of(2)[0]),
    "einsum": _summed,
    "scaled_dot_product_attention": _attended,
    "kron": lambda asked: multiplied(asked.all),
    "tensordot": _tensordot,
    "cosine_similarity": _similar,
    "pairwise_distance": _apart,
}
