# Whoever is given the `.data` of an inference tensor is one from then on.
import torch

weight = torch.rand(2, 2, requires_grad=True)
product = weight * 2
with torch.inference_mode():
    product.data = product.data.clone()
    weight.data = weight.data
    made = torch.rand(2, 2)
reveal(product, weight, made)
made.data = torch.rand(2, 2)
reveal(made)
