"""Functions of NumPy that give arrays, or NumPy's own numbers, which have the same methods."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "f(x)": tuple(
        (
            "array asarray asanyarray ascontiguousarray copy zeros_like ones_like empty_like abs absolute exp log sqrt "
            "square sin cos tan tanh sign floor ceil round isnan isinf isfinite mean sum std var max min amax amin "
            "prod median nanmean argmax argmin argsort sort cumsum cumprod diff unique ravel squeeze transpose flip "
            "atleast_1d atleast_2d nan_to_num triu tril diag trace"
        ).split()
    ),
    "f(x, x)": tuple(
        "add subtract multiply divide maximum minimum power dot matmul outer isin logical_and logical_or".split()
    ),
    "f([x, x])": ("stack", "concatenate", "vstack", "hstack"),
    "f(x, 0)": ("expand_dims", "take", "percentile", "quantile", "repeat"),
    "f(x, (4,))": ("reshape",),
    "f(x, 0, 1)": ("clip", "swapaxes", "moveaxis"),
    "f(x > 0, x, x)": ("where",),
    "f(3)": ("zeros", "ones", "empty", "eye", "arange", "identity"),
    "f(3, 1.0)": ("full",),
    "f(0, 1, 3)": ("linspace", "logspace"),
    "f(x, 1.0)": ("full_like",),
}
"""Names in `numpy`, by what shows what they give: `f` is the function, `x` an array of two rows."""

RANDOM_EXAMPLES: dict[str, tuple[str, ...]] = {
    "f(3, 2)": ("rand", "randn"),
    "f(9, size=3)": ("randint", "choice"),
    "f(9)": ("permutation",),
    "f(0.0, 1.0, 3)": ("uniform", "normal"),
}
"""Names in `numpy.random`."""

ARRAYS: frozenset[str] = frozenset(
    f"{prefix}{name}"
    for prefix, table in (("numpy.", EXAMPLES), ("numpy.random.", RANDOM_EXAMPLES))
    for names in table.values()
    for name in names
)

NUMBERS = frozenset({"item", "tolist"})
"""Methods of arrays that give Python's own numbers."""
IN_PLACE = frozenset({"fill", "sort", "partition", "put", "setfield"})
"""Methods that write the array and give nothing."""
ALWAYS_VIEWS = frozenset({"transpose", "swapaxes", "squeeze", "view", "diagonal", "__array__"})
SOMETIMES_VIEWS = frozenset({"ravel", "reshape"})
"""Methods whose result shares the memory; all others copy or compute."""

SHARING = frozenset(
    f"numpy.{name}"
    for name in (
        "asarray asanyarray ascontiguousarray ravel squeeze transpose flip atleast_1d atleast_2d diag expand_dims "
        "reshape swapaxes moveaxis"
    ).split()
)
"""The functions whose result may share the memory of their arguments."""
