# todo: what a generator expression runs over is used when it is asked for something, not when it is made.
import torch

layer = torch.nn.Linear(2, 1)
under = layer.parameters()
over = (parameter * 2 for parameter in under)
reveal(under)
