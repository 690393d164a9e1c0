# Each of the tensors that are broadcast together keeps its own dtype; all had the first one's.
import torch

both = torch.broadcast_tensors(torch.rand(2, 2), torch.ones(2, 2, dtype=torch.complex64))
reveal(both[0], both[1])
whole = torch.broadcast_tensors(torch.rand(2, 2), torch.ones(2, 2, dtype=torch.long))
reveal(whole[1])
mixed = torch.broadcast_tensors(torch.rand(2, 2, dtype=torch.float64), torch.rand(2, 2, dtype=torch.bfloat16))
reveal(mixed[1])
for number in range(2):
    reveal(both[1], number)
