"""Coroutines, asynchronous generators, comprehensions and managers give what their functions give."""

import asyncio
import contextlib

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)


async def fetch():
    return weight * 2


async def stream():
    yield weight
    yield plain


@contextlib.asynccontextmanager
async def managed():
    yield weight


async def main():
    reveal(await fetch())  # Tensor[float, requires_grad=yes, leaf=no]
    async for item in stream():
        reveal(item)  # Tensor[float, requires_grad=no|yes, leaf=yes]
    values = [item async for item in stream()]
    reveal(values[0])  # Tensor[float, requires_grad=no|yes, leaf=yes]
    one, two = await asyncio.gather(fetch(), fetch())
    reveal(one)  # Tensor[float, requires_grad=yes, leaf=no]
    async with managed() as value:
        reveal(value)  # Tensor[float, requires_grad=yes, leaf=yes]
    return await fetch()


reveal(asyncio.run(main()))  # Tensor[float, requires_grad=yes, leaf=no]
