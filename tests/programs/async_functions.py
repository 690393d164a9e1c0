"""Awaiting a coroutine gives what its function returns."""

import asyncio

import torch

weight = torch.ones(3, requires_grad=True)


async def scaled(x, by=2):
    return x * by


async def ticks(count):
    for _ in range(count):
        yield weight
        await asyncio.sleep(0)


class Session:
    async def __aenter__(self):
        return torch.arange(3)

    async def __aexit__(self, *error):
        return None


async def main():
    reveal(await scaled(weight))  # Tensor[float, requires_grad=yes, leaf=no]
    reveal(await scaled(torch.arange(3)))  # Tensor[integer, requires_grad=no, leaf=yes]
    async for tensor in ticks(2):
        reveal(tensor)  # Tensor[float, requires_grad=yes, leaf=yes]
    async with Session() as held:
        reveal(held)  # Tensor[integer, requires_grad=no, leaf=yes]
    collected = [tensor.detach() async for tensor in ticks(1)]
    reveal(collected[0])  # Tensor[float, requires_grad=no, leaf=yes]
    with torch.no_grad():
        reveal(await scaled(weight))  # Tensor[float, requires_grad=no, leaf=yes]


asyncio.run(main())
