"""Options that are set by names which come from outside, over those of the class and of the object."""

import json

import torch

GIVEN = json.loads('{"trained": false, "width": 5}')


class Options:
    trained = True
    width = 3

    def __init__(self, deep):
        self.deep = deep
        self.weight = torch.ones(3, requires_grad=True)


options = Options(2)
reveal(options.trained)  # True
for option, value in GIVEN.items():
    setattr(options, option, value)
reveal(options.trained)  # data or True
reveal(options.deep)  # 2 or data
reveal(options.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(Options.trained)  # True
reveal(Options(1).width)  # 3
options.trained = True
reveal(options.trained)  # True
