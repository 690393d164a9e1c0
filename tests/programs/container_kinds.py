"""Deques, sets, counters, default dictionaries, chained maps: what is put in comes out."""

from collections import ChainMap, Counter, OrderedDict, defaultdict, deque

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)
whole = torch.arange(3)

queue = deque([plain], maxlen=3)
queue.append(weight)
reveal(queue[-1])  # Tensor[float, requires_grad=no|yes, leaf=yes]
reveal(queue.popleft())  # Tensor[float, requires_grad=no|yes, leaf=yes]
reveal(queue.pop())  # Tensor[float, requires_grad=no|yes, leaf=yes]
queue.appendleft(weight)
queue.extend([weight])
queue.rotate(1)
reveal(queue[0])  # Tensor[float, requires_grad=no|yes, leaf=yes]
seen = set()
seen.add(weight)
for item in seen:
    reveal(item)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal({weight, weight}.pop())  # Tensor[float, requires_grad=yes, leaf=yes]
for item in {weight} | {weight}:
    reveal(item)  # Tensor[float, requires_grad=yes, leaf=yes]
count = Counter("aab")
reveal(count["a"])  # number[integer]
for name, number in count.most_common(1):
    reveal(number)  # number[integer]
both = ChainMap({"a": weight}, {"b": plain})
reveal(both["b"])  # Tensor[float, requires_grad=no, leaf=yes]
groups = defaultdict(list)
groups["a"].append(weight)
reveal(groups["a"][0])  # Tensor[float, requires_grad=yes, leaf=yes]
totals = defaultdict(float)
totals["loss"] += weight.sum()
reveal(totals["loss"])  # Tensor[float, requires_grad=yes, leaf=no]
totals["other"] += 1.0
reveal(totals["other"])  # number[float]
reveal(defaultdict(lambda: plain)["x"])  # Tensor[float, requires_grad=no, leaf=yes]
counts = defaultdict(lambda: defaultdict(list))
counts["a"]["b"].append(weight)
reveal(counts["a"]["b"][0])  # Tensor[float, requires_grad=yes, leaf=yes]
named = OrderedDict([("a", weight), ("b", plain)])
reveal(named["b"])  # Tensor[float, requires_grad=no, leaf=yes]
named.move_to_end("a")
reveal(named.popitem()[1])  # Tensor[float, requires_grad=no|yes, leaf=yes]
ids = {1: weight, 2: plain}
for key, item in ids.items():
    reveal(key)  # 1 or 2
for key in {weight: 1}:
    reveal(key)  # Tensor[float, requires_grad=yes, leaf=yes]
latest = deque(maxlen=1)
latest.append(weight)
latest.append(plain)
# vague: what a bounded deque dropped is not followed
reveal(latest[0])  # Tensor[float, requires_grad=no|yes, leaf=yes]
