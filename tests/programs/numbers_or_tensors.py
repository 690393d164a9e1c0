import torch

w = torch.ones(2, requires_grad=True)
scale = torch.rand(2)

score = 1.0
if torch.rand(1) > 2:
    score = torch.ones(2)
reveal(score * scale)  # Tensor[?, requires_grad=no, leaf=yes]
reveal(scale + score)  # Tensor[?, requires_grad=no, leaf=yes]
reveal(torch.maximum(scale, score * scale))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(score * w)  # Tensor[?, requires_grad=yes, leaf=no]
reveal(score * scale * w)  # Tensor[?, requires_grad=yes, leaf=no]

penalty = 0
if torch.rand(1) > 2:
    penalty = (w * w).sum()
reveal(penalty + scale)  # Tensor[?, requires_grad=no|yes, leaf=no|yes]
reveal(penalty + w)  # Tensor[?, requires_grad=yes, leaf=no]
with torch.no_grad():
    reveal(penalty + w)  # Tensor[?, requires_grad=no, leaf=yes]


def likelihood(steps, product):
    for probabilities in steps:
        for probability in probabilities:
            product = product * probability
            reveal(product)  # Tensor[float|?, requires_grad=no, leaf=yes]
    return product


likelihood([torch.rand(2), torch.rand(2)], 1.0)
