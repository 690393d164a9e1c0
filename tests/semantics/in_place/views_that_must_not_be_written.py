# Views made with gradients off, or several at once, were taken for ones that may be written whatever they are of.
import torch

weight = torch.rand(2, 2, requires_grad=True)


def tried(target, source):
    try:
        target.add_(source)
        done = True
    except RuntimeError as error:
        reveal(error)


product, constant = weight * 2, torch.zeros(2, 2)
for row in product:
    tried(row, 1.0)
first, second = constant.chunk(2)
tried(first, 1.0)
tried(first, weight)
with torch.no_grad():
    column = constant[:, 0]
    column.add_(1.0)
tried(column.view(2), weight[0])
halves = product.tensor_split(2)
tried(halves[0], weight[:1])
reveal(product, constant, first, column, halves[0])
