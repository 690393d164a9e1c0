# A leaf that was given data made in inference mode is no longer watched.
import torch

leaf = torch.randn(2, 2, requires_grad=True)


@torch.inference_mode()
def refill(source):
    leaf.data = source.data.clone()


refill(leaf.sigmoid())
leaf.pow_(leaf)
reveal(leaf)
leaf[0].add_(1)
