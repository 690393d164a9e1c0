# The final block is run with what an error leaves as well, where a line certainly raises one that nobody catches.
import torch

data = torch.ones(2, 2)
try:
    pass
except ValueError:
    data.requires_grad = True
else:
    data.sum().backward()
finally:
    grown = data.exp()
    reveal(grown)
