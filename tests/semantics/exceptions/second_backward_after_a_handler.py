# What certainly went well was taken to have been refused: behind the handler the second backward was reported.
import torch

leaf = torch.randn(2, 2, requires_grad=True)
part = leaf.square()
loss = leaf * part
for _ in range(2):
    try:
        loss.sum().backward()
        reveal(leaf)
    except RuntimeError as error:
        print(error)
    part.sum().backward()
