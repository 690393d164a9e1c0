"""Sizes of reductions, and of other computations."""

from __future__ import annotations

from collections.abc import Callable

from gradlint.knowledge.shapes.query import (
    Asked,
    Function,
    Size,
    Untold,
    named,
    reduced,
    second,
    spread,
    with_length,
    without,
)


def _embedded(asked: Asked) -> Size:
    return (*asked.of(0), asked.of(1)[1])


def _deviation(asked: Asked) -> Size:
    """Return the size of a reduction of `dim=`, in the place of which the word `unbiased` may stand."""
    dim = asked.arg("dim")
    return without(asked.of(0), None if isinstance(dim, bool) else dim, asked.arg("keepdim", False))


def _along(name: str) -> Function:
    """Quantiles: one for each requested."""

    def answer(asked: Asked) -> Size:
        if not isinstance(asked.arg(name), float):
            raise Untold
        return without(asked.of(0), asked.arg("dim"), asked.arg("keepdim", False))

    return answer


def _differences(asked: Asked) -> Size:
    if len(asked.all) > 1:
        raise Untold
    size, dim = asked.of(0), asked.arg("dim", -1)
    return with_length(size, dim, max(size[dim] - asked.arg("n", 1), 0))


def _covered(asked: Asked) -> Size:
    return asked.of(0)[:1] * 2 if len(asked.of(0)) > 1 and asked.of(0)[0] != 1 else ()


def _powers(asked: Asked) -> Size:
    (count,) = asked.of(0)
    wanted = asked.arg("N")
    return count, count if wanted is None else wanted


def _bins(asked: Asked) -> Size:
    return (asked.arg("bins", 100),)


def _spectrum(length: Callable[[int], int]) -> Function:
    """Return the size function of a spectrum with so many frequencies, where no length or dimension is given."""

    def answer(asked: Asked) -> Size:
        if any(asked.arg(name) is not None for name in ("n", "s", "dim")):
            raise Untold
        return with_length(asked.of(0), -1, length(asked.of(0)[-1]))

    return answer


def _integrated(asked: Asked) -> Size:
    if asked.arg("x") is not None:  # where these lie may have more dimensions
        raise Untold
    return without(asked.of(0), asked.arg("dim", -1))


def _accumulated(asked: Asked) -> Size:
    if asked.arg("x") is not None:
        raise Untold
    size, dim = asked.of(0), asked.arg("dim", -1)
    return with_length(size, dim, size[dim] - 1)


def _normed(asked: Asked) -> Size:
    return without(asked.of(0), asked.arg("dim", (-2, -1)), asked.arg("keepdim", False))


def _lost(asked: Asked) -> Size:
    """Return the size of a loss of numbers of one size; one that is not known to take a `reduction` does none."""
    if asked.arg("size_average") is not None or asked.arg("reduce") is not None:
        raise Untold
    default = "mean" if "reduction" in asked.told.takes else "none"
    return spread(asked) if asked.arg("reduction", default) == "none" else ()


LOSSES = (
    "binary_cross_entropy binary_cross_entropy_with_logits huber_loss l1_loss mse_loss poisson_nll_loss "
    "smooth_l1_loss soft_margin_loss kl_div hinge_embedding_loss"
)
"""By name: losses that compare number by number."""


REDUCING_DIM = "sum mean prod nansum nanmean amax amin logsumexp argmax argmin any all count_nonzero aminmax"
"""By name: what reduces `dim=`, or all where it is not said."""


COMPUTED: dict[str, Function] = {
    **dict.fromkeys(("max of two", "min of two"), spread),
    **named(LOSSES, _lost),
    **named(REDUCING_DIM, reduced()),
    **named("std var std_mean var_mean", _deviation),
    **named("norm linalg_vector_norm", reduced()),
    **dict.fromkeys([f"{name} along dim" for name in ("max", "min", "median", "nanmedian")], reduced()),
    **named("kthvalue mode", reduced(-1)),
    **named("max min median nanmedian dot vdot trace dist", lambda asked: ()),
    **named("quantile nanquantile", _along("q")),
    "gather": second,
    "linalg_matrix_norm": _normed,
    "cross": spread,
    "pdist": lambda asked: (asked.of(0)[0] * (asked.of(0)[0] - 1) // 2,),
    "trapezoid": _integrated,
    "cumulative_trapezoid": _accumulated,
    **named("cov corrcoef", _covered),
    "diff": _differences,
    "histc": _bins,
    "expand_as": second,
    **named("vander linalg_vander", _powers),
    "embedding": _embedded,
    **named("fft_fft fft_ifft fft_fft2 fft_ifft2 fft_fftn fft_ifftn", _spectrum(lambda n: n)),
    **named("fft_rfft fft_rfft2 fft_rfftn fft_ihfft fft_ihfft2 fft_ihfftn", _spectrum(lambda n: n // 2 + 1)),
    **named("fft_irfft fft_irfft2 fft_irfftn fft_hfft fft_hfft2 fft_hfftn", _spectrum(lambda n: 2 * (n - 1))),
}
