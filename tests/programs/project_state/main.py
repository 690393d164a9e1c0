"""Objects that another file made are one and the same wherever they are imported."""

import store
import torch
from store import model, optimizer, register
from users import rate_of

reveal(model)  # Module[torch.nn.Linear, mode=train]
model.eval()
reveal(store.model)  # Module[torch.nn.Linear, mode=eval]
store.freeze()
reveal(model.weight)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(optimizer)  # Optimizer[SGD]
if torch.rand(1) > 2:
    store.thaw()
reveal(model.weight)  # Tensor[float, requires_grad=no|yes, leaf=yes]


# A name that is set from elsewhere may also be as its file left it.
reveal(store.steps)  # 0
store.count()
reveal(store.steps)  # 0 or 1
store.limit = 2
reveal(store.limit)  # None or 2

# Who else imports the file may have registered more.
register("zeros", torch.zeros(1))
reveal(store.registry["ones"])  # Tensor[float, requires_grad=no, leaf=yes]
reveal(rate_of(store))  # 0.1


def alone(name=None):
    """What functions run on their own see may have been changed by anybody; here the program itself calls."""
    reveal(store.rate)  # 0.1


alone()
