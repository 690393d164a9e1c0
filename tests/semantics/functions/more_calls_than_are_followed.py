# Where calls are left out, nothing is known of what the program asks for in them.
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.nn.utils.prune

weight = torch.randn(2, 2, requires_grad=True)
outer = 0
while outer < 2:
    outer += 1
    hot = torch.nn.functional.one_hot(torch.ones(2, 2, dtype=torch.long))
    inner = 0
    while inner < 2:
        inner += 1
        with torch.autograd.grad_mode.set_grad_enabled(True):
            summed = torch.cumsum(weight, 0)
        padded = torch.nn.CircularPad1d(1)(torch.rand(2, 2, 4))

        def pruned(value):
            layer = nn.Linear(2, 2)
            reveal(value, layer, layer.weight, layer.bias)
            sparse = torch.nn.utils.prune.random_structured(layer, "weight", 0.5, 0)
            out = sparse(value)
            optimizer = torch.optim.Adadelta([sparse.weight_orig])
            reveal(
                layer.weight_orig,
                layer.weight_mask,
                sparse,
                sparse.bias,
                sparse.weight_orig,
                sparse.weight_mask,
                out,
                optimizer,
            )
            torch.set_grad_enabled(False)
            reveal(
                layer.weight_orig,
                layer.weight_mask,
                sparse,
                sparse.bias,
                sparse.weight_orig,
                sparse.weight_mask,
                out,
                optimizer,
            )
            return value.exp().clamp(max=5.0)

        given = pruned(summed)
        reveal(weight, outer, hot, inner, summed, padded, given)
        try:
            complexes = torch.ones(2, 2, dtype=torch.complex64).resolve_neg()
            reveal(weight, outer, hot, inner, summed, padded, given, complexes)
            solved = torch.linalg.solve_triangular(torch.rand(2, 2), torch.rand(2, 2), upper=True)
            reveal(outer, hot, inner, summed, padded, given, complexes, solved)
            zeros = torch.nn.ZeroPad3d(1)(torch.rand(2, 2, 4, 4, 4))
            reveal(hot, inner, summed, padded, given, complexes, solved, zeros)
            nothing = summed.grad
            reveal(inner, summed, padded, given, complexes, solved, zeros, nothing)
        finally:
            torch.set_grad_enabled(True)
            reveal(inner, summed, padded, given, complexes, solved, zeros, nothing)
        reveal(inner, summed, padded, given, complexes, solved, zeros, nothing)
        dropped = F.dropout(weight, 0.1)
    weight.requires_grad_(False)
