# How large the output of a recurrent layer is was not known, nor that `input` may be named behind a state.
import torch
from torch import nn

rows, state = torch.rand(4, 2, 3), torch.rand(1, 2, 5)
reveal(nn.GRU(3, 5)(rows)[0], nn.GRU(3, 5)(hx=state, input=rows)[0], nn.GRUCell(3, 5)(rows[0]))
output, (hidden, cell) = nn.LSTM(3, 5)(rows)
reveal(output, hidden)
reveal(nn.LSTM(3, 5, proj_size=2)(rows)[0], nn.RNN(3, 5, bidirectional=True)(rows)[0], nn.RNN(3, 5, 2)(rows)[0])
normed = nn.utils.weight_norm(nn.RNN(3, 5), "weight_hh_l0")
reveal(normed(rows)[0])
score = nn.Linear(5, 1)(output)
reveal(score)
score.backward()
