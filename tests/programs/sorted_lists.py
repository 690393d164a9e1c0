import bisect
import heapq
from heapq import heappop, heappush

import torch

w = torch.ones(2, requires_grad=True)

heap = []
heappush(heap, (1.0, w * 2))
heapq.heappush(heap, (0.5, w * 3))
score, found = heappop(heap)
reveal(found)  # Tensor[float, requires_grad=yes, leaf=no]
for _, one in heap:
    reveal(one)  # Tensor[float, requires_grad=yes, leaf=no]
    one.sum().backward()

counts = [torch.arange(2)]
heapq.heapify(counts)
reveal(counts[0])  # Tensor[integer, requires_grad=no, leaf=yes]

queue = [(3, w.detach())]
last = heapq.heappushpop(queue, (4, w.detach() * 2))
reveal(last[1])  # Tensor[float, requires_grad=no, leaf=yes]
other = heapq.heapreplace(queue, (1, w * 4))
reveal(other[1])  # Tensor[float, requires_grad=no|yes, leaf=no|yes]

order = [1, 5]
bisect.insort(order, 3)
reveal(order[1])  # 1 or 5 or 3
best = heapq.nlargest(1, [w * 2, w * 3], key=lambda one: one.sum().item())
reveal(best[0])  # Tensor[float, requires_grad=yes, leaf=no]


class Beam:
    def __init__(self, most):
        self.kept, self.most = [], most

    def add(self, score, state):
        heapq.heappush(self.kept, (score, len(self.kept), state))
        if len(self.kept) > self.most:
            heapq.heappop(self.kept)

    def __iter__(self):
        return iter(self.kept)


beam = Beam(2)
for number in range(4):
    beam.add(float(number), torch.ones(1) * number)
for _, _, state in beam:
    reveal(state)  # Tensor[float, requires_grad=no, leaf=yes]
