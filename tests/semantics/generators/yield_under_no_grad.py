# Who iterates over a generator that waits with gradients off goes on with gradients off until it has run to its end.
import torch
import torch.nn as nn


def main0():
    backbone = nn.Linear(2, 1)

    def compute():
        with torch.no_grad():
            y = torch.rand(1, 2) * 2
            yield y

    for x in compute():
        result = backbone(x)
    reveal(result)
    out = backbone(x)
    reveal(out)
    for x in compute():
        result = backbone(x)
        break
    reveal(result, backbone(x))


main0()


@torch.no_grad()
def decorated():
    yield torch.ones(1, 2)


layer = nn.Linear(2, 1)
for given in decorated():
    reveal(layer(given))
