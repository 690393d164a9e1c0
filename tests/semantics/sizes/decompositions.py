# The Q of a `qr` that is told to be complete was said to have as many columns as R has rows at least.
import torch

tall = torch.rand(3, 2, requires_grad=True)
square = torch.rand(2, 2, requires_grad=True)
q, r = torch.qr(tall, False)
reveal(q, r)
q, r = torch.linalg.qr(tall, mode="complete")
reveal(q, r)
reveal(*torch.linalg.qr(tall, "r"))
u, s, v = tall.svd()
reveal(u, s, v)
u, s, v = torch.linalg.svd(tall, full_matrices=False)
reveal(u, s, v)
reveal(torch.linalg.svdvals(tall), torch.linalg.pinv(tall))
values, vectors = torch.linalg.eig(square)
reveal(values, vectors)
solved, info = torch.linalg.solve_ex(square, square[0])
reveal(solved, info)
