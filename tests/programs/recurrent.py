"""Recurrent modules give tuples: outputs and the state, which for an LSTM is a pair."""

import torch
from torch import nn

sequence = torch.rand(5, 2, 3)
rnn = nn.GRU(3, 4)
output, state = rnn(sequence)
reveal(output)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(state)  # Tensor[float, requires_grad=yes, leaf=no]

lstm = nn.LSTM(3, 4)
output, (hidden, cell) = lstm(sequence)
reveal(output)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(hidden)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(cell)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(hidden.detach())  # Tensor[float, requires_grad=no, leaf=yes]
output, carried = lstm(sequence, (hidden.detach(), cell.detach()))
reveal(carried[0])  # Tensor[float, requires_grad=yes, leaf=no]

cell_module = nn.LSTMCell(3, 4)
h, c = cell_module(sequence[0])
reveal(h)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(c)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(nn.RNNCell(3, 4)(sequence[0]))  # Tensor[float, requires_grad=yes, leaf=no]
attended, scores = nn.MultiheadAttention(4, 2)(output, output, output)
reveal(attended)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(scores)  # Tensor[float, requires_grad=yes, leaf=no]
