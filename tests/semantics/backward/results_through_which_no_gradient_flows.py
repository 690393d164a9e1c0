# The sign of a determinant and residuals without elements require grad, and no gradient comes of them.
import torch
import torch.nn as nn

square = nn.Parameter(torch.eye(2))
solution, residuals, rank, values = torch.linalg.lstsq(square, square)
residuals.sum().backward()
reveal(square, residuals)

tall = nn.Parameter(torch.eye(3, 2))
residuals = torch.linalg.lstsq(tall, torch.ones(3, 1), driver="gels").residuals
residuals.sum().backward()
reveal(tall)

matrix = nn.Parameter(torch.eye(2))
sign, logarithm = torch.linalg.slogdet(matrix)
(sign * 2).backward(retain_graph=True)
reveal(matrix, sign)
logarithm.backward()
reveal(matrix)
