# Loops that certainly run a few times were taken to go on: the write that a further round would refuse was reported.
import torch

values = torch.ones(3)
scores = torch.ones(3)
rounds = 0
while rounds < 2:
    rounds += 1
    if scores.requires_grad:
        scores.requires_grad_(False)
    elif torch.is_grad_enabled():
        values.exp_()
        values.requires_grad = True
        scores.requires_grad_()
reveal(values, scores)

other = torch.ones(3)
flags = torch.ones(3)
for _ in range(2):
    if flags.requires_grad:
        flags.requires_grad_(False)
    else:
        other.exp_()
        other.requires_grad = True
        flags.requires_grad_()
reveal(other, flags)

third = torch.ones(3)
turns = torch.ones(3)
for _ in ["a", "b"]:
    if turns.requires_grad:
        turns.requires_grad_(False)
    else:
        third.exp_()
        third.requires_grad = True
        turns.requires_grad_()
reveal(third, turns)
