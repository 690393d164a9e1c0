# "params" of a group holds each of the parameters that the optimizer was given: a loop over them leaves none out.
import torch


class Climb(torch.optim.Optimizer):
    def __init__(self, params, rate=0.1):
        super().__init__(params, {"rate": rate})

    @torch.no_grad()
    def climb(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad, alpha=group["rate"])

    def clear(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.grad = None


first, second = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
optimizer = Climb([first, second])
(first * second).sum().backward()
optimizer.climb()
reveal(first)
optimizer.clear()
reveal(first)
reveal(second)
third = torch.ones(2, requires_grad=True)
grouped = torch.optim.SGD([{"params": [first]}, {"params": second}], lr=0.1)
grouped.add_param_group({"params": third})
(first * second * third).sum().backward()
for group in grouped.param_groups:
    group["params"][0].requires_grad_(False)
reveal(first)
reveal(second)
reveal(third)
del optimizer.param_groups[0]["params"][0]
optimizer.zero_grad()
reveal(first)
reveal(second)
