"""Windows that move, and what pads and resizes what they go over."""

from __future__ import annotations

from math import floor, prod

from gradlint.knowledge.shapes.query import Asked, Function, Size, Untold, each_of, named


def _pooled(count: int) -> Function:
    def answer(asked: Asked) -> Size:
        if asked.arg("ceil_mode", False):
            raise Untold
        kernel = asked.arg("kernel_size")
        stride = asked.arg("stride") or kernel
        told = [each_of(one, count) for one in (kernel, stride, asked.arg("padding", 0), asked.arg("dilation", 1))]
        return (*asked.of(0)[:-count], *map(_places, asked.of(0)[-count:], *told))

    return answer


def _places(length: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
    """Return the number of places that a window has along so much."""
    return (length + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def _places_back(length: int, kernel: int, stride: int, padding: int, more: int, dilation: int) -> int:
    """Return the length that a window covers that is laid down at so many places."""
    return (length - 1) * stride - 2 * padding + dilation * (kernel - 1) + more + 1


def _unpooled(count: int) -> Function:
    def answer(asked: Asked) -> Size:
        if asked.arg("output_size") is not None:
            raise Untold
        kernel = asked.arg("kernel_size")
        told = [each_of(one, count) for one in (kernel, asked.arg("stride") or kernel, asked.arg("padding", 0), 0, 1)]
        return (*asked.of(0)[:-count], *map(_places_back, asked.of(0)[-count:], *told))

    return answer


def _sampled(asked: Asked) -> Size:
    return (*asked.of(0)[:2], *asked.of(1)[1:-1])


def _adaptive(count: int) -> Function:
    def answer(asked: Asked) -> Size:
        before, after = asked.of(0)[:-count], asked.of(0)[-count:]
        wanted = each_of(asked.arg("output_size"), count)
        return (*before, *(have if n is None else n for have, n in zip(after, wanted, strict=True)))

    return answer


def _convolved(count: int) -> Function:
    def answer(asked: Asked) -> Size:
        channels, *kernel = asked.of(1)[0], *asked.of(1)[2:]
        told = [
            each_of(asked.arg(name, default), count)
            for name, default in (("stride", 1), ("padding", 0), ("dilation", 1))
        ]
        before = asked.of(0)[: -count - 1]
        return (*before, channels, *map(_places, asked.of(0)[-count:], kernel, *told))

    return answer


def _convolved_back(count: int) -> Function:
    def answer(asked: Asked) -> Size:
        channels, *kernel = asked.of(1)[1] * asked.arg("groups", 1), *asked.of(1)[2:]
        names = (("stride", 1), ("padding", 0), ("output_padding", 0), ("dilation", 1))
        told = [each_of(asked.arg(name, default), count) for name, default in names]
        return (*asked.of(0)[: -count - 1], channels, *map(_places_back, asked.of(0)[-count:], kernel, *told))

    return answer


def _resized(asked: Asked) -> Size:
    size, wanted, factor = asked.of(0), asked.arg("size"), asked.arg("scale_factor")
    count = len(size) - 2
    if wanted is not None:
        return (*size[:2], *each_of(wanted, count))
    return (*size[:2], *(floor(n * one) for n, one in zip(size[2:], each_of(factor, count), strict=True)))


def _padded(asked: Asked) -> Size:
    size, pads = list(asked.of(0)), asked.arg("pad")
    for back, at in enumerate(range(0, len(pads), 2), 1):
        size[-back] += pads[at] + pads[at + 1]
    return tuple(size)


def _unfolded(asked: Asked) -> Size:
    """Windows as columns."""
    *before, channels, height, width = asked.of(0)
    names = (("kernel_size", None), ("stride", 1), ("padding", 0), ("dilation", 1))
    kernel, stride, padding, dilation = (each_of(asked.arg(name, default), 2) for name, default in names)
    places = map(_places, (height, width), kernel, stride, padding, dilation)
    return (*before, channels * prod(kernel), prod(places))


def _grid(asked: Asked) -> Size:
    count, _, *lengths = asked.arg("size")
    return (count, *lengths, len(lengths))


def _shuffled(asked: Asked) -> Size:
    *before, channels, height, width = asked.of(0)
    factor = asked.arg("upscale_factor")
    return (*before, channels // factor**2, height * factor, width * factor)


def _unshuffled(asked: Asked) -> Size:
    *before, channels, height, width = asked.of(0)
    factor = asked.arg("downscale_factor")
    return (*before, channels * factor**2, height // factor, width // factor)


WINDOWS: dict[str, Function] = {
    "affine_grid": _grid,
    "unfold columns": _unfolded,
    "pixel_shuffle": _shuffled,
    "pixel_unshuffle": _unshuffled,
    **named("pad constant_pad_nd", _padded),
    **named("interpolate upsample", _resized),
    **{f"{name}_pool{n}d": _pooled(n) for name in ("max", "avg", "lp") for n in (1, 2, 3)},
    **{f"max_pool{n}d_with_indices": _pooled(n) for n in (1, 2, 3)},
    **{f"adaptive_{name}_pool{n}d": _adaptive(n) for name in ("max", "avg") for n in (1, 2, 3)},
    **{f"adaptive_max_pool{n}d_with_indices": _adaptive(n) for n in (1, 2, 3)},
    **{f"max_unpool{n}d": _unpooled(n) for n in (1, 2, 3)},
    **named("grid_sample grid_sampler", _sampled),
    **{f"conv{n}d": _convolved(n) for n in (1, 2, 3)},
    **{f"conv_transpose{n}d": _convolved_back(n) for n in (1, 2, 3)},
}
