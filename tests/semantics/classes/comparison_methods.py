# A class of the program says what a comparison gives, and may change things on the way.
import torch


class Wrapped:
    def __init__(self, tensor):
        self.tensor = tensor

    def __eq__(self, other):
        return self.tensor * 2

    def __lt__(self, other):
        return self.tensor.detach()

    def __contains__(self, item):
        self.tensor.requires_grad_(False)
        return True

    def __hash__(self):
        return 1


wrapped = Wrapped(torch.rand(2, requires_grad=True))
reveal(wrapped == 1, wrapped < 1, wrapped.tensor)
if 3 in wrapped:
    reveal(wrapped.tensor)
reveal(wrapped.tensor, 3 not in wrapped)
