# what unseen code gives may be the number that it was handed, which is no tensor whatever is asked of it then.
import torch

same = eval("lambda one: one")
total = 0.0
total = same(total)
try:
    reveal(total)
    total.backward()
except AttributeError:
    reveal(torch.ones(1))
