# A view that was made without the graph shows the flag of what it is a view of: unseen code that has that may set it.
import torch

detach, ask = eval("lambda value: value.detach_()"), eval("lambda value: value.requires_grad_()")
w, v = torch.ones(2, requires_grad=True), torch.ones(2)
with torch.no_grad():
    of_w, of_v = w[0], v[0]
detach(w)
ask(v)
reveal(of_w, of_v)
