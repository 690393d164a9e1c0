# An alias that is taken of an inference tensor outside of that mode may be written, a view of it may not.
import torch

with torch.inference_mode():
    made = torch.rand(2, 2)
    inside = made.detach()
made.detach().add_(1.0)
made.data.mul_(2.0)
with torch.inference_mode():
    layer = torch.nn.Linear(2, 2)
state = layer.state_dict()
state["weight"].mul_(2.0)
reveal(made, inside, made.detach(), state["weight"])
for written in (made, inside, made[0]):
    try:
        written.add_(1.0)
        done = True
    except RuntimeError as error:
        reveal(error)
