import torch

RATE = 0.5
START = 3
OPTIONS = {"bias": True}
weight = torch.ones(3, requires_grad=True)
frozen = weight.detach()
if __name__ == "__main__":
    raise SystemExit
