# The second call ends at `backward()`, since the first left gradients off; what stands behind is not run again.
import argparse

import torch


def make_params(hidden=8):
    params = {}
    params["w"] = torch.randn(4, hidden, requires_grad=True)
    return params


def main():
    args = argparse.Namespace(rate=0.1)
    params = make_params(hidden=4)
    params["w"].mean().backward()
    torch.set_grad_enabled(False)
    params["w"].sub_(args.rate * params["w"].grad)


main()
try:
    main()
    reveal(main)
except RuntimeError as error:
    print(error)
