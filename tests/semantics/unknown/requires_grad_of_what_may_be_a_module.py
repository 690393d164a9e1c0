# Modules have `requires_grad_()` too: what unseen code makes of one is no tensor because it is asked for that.
from torch import nn

wrap = eval("lambda value: value")
net = nn.Linear(2, 2)
wrapped = wrap(net)
wrapped.requires_grad_()
reveal(wrapped)
