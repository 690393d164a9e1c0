"""Rules about tensors and modes offer a fix exactly where an edit cures, and leave the rest to the author."""

from __future__ import annotations

import pytest
from marked_fixes import case, check

CASES = []


def add(code: str, why: str, *parts: str) -> None:
    CASES.append(case(code, why, *parts))


# ---- GRD102 mixed-dict-requires-grad

MIXED = """
  import torch
  held = {'weight': torch.ones(2), 'step': torch.tensor(1)}
"""

add("GRD102", "asked by a method", MIXED, """
  for one in held.values():
-     one.requires_grad_()  # all
+     if one.is_floating_point():
+         one.requires_grad_()  # all
""")  # fmt: skip
add("GRD102", "complex numbers can require grad as well", MIXED, """
  held['phase'] = torch.ones(1) * 1j
  for one in held.values():
-     one.requires_grad = True
+     if one.is_floating_point() or one.is_complex():
+         one.requires_grad = True
""")  # fmt: skip
add("GRD102", "the value is used", MIXED, """
  for one in held.values():
      last = one.requires_grad_()
""")  # fmt: skip


# ---- GRD104 module-requires-grad-assigned

add("GRD104", "an assignment of its own line", """
  import torch
  layer = torch.nn.Linear(2, 3)
  if layer.bias is not None:
-     layer.requires_grad = False  # all
+     layer.requires_grad_(False)  # all
""")  # fmt: skip
add("GRD104", "an assignment beside another", """
  import torch
  layer = torch.nn.Linear(2, 3)
  layer.requires_grad = False; layer.frozen = True
""")  # fmt: skip


# ---- GRD113 non-leaf-requires-grad-false

RESULT = """
  import torch
  layer = torch.nn.Linear(2, 3)
  out = layer(torch.ones(1, 2))
"""

add("GRD113", "a name holds it alone", RESULT, """
- out.requires_grad = False
+ out = out.detach()
""")  # fmt: skip
add("GRD113", "another name holds it as well", RESULT, """
  kept = out
  out.requires_grad = False
""")  # fmt: skip
add("GRD113", "a list holds it as well", RESULT, """
  for one in [out]:
      one.requires_grad = False
""")  # fmt: skip
add("GRD113", "nobody holds it", RESULT, """
  layer.weight[0].requires_grad = False
""")  # fmt: skip
add("GRD113", "its gradient may be wanted, or the end of the graph", RESULT, """
  out.requires_grad = True
""")  # fmt: skip


# ---- GRD121 moved-parameter

SCALED = """
  import torch
  class Scaled(torch.nn.Module):
      def __init__(self, size):
          super().__init__()
"""

add("GRD121", "set once", SCALED, """
-         self.scale = torch.nn.Parameter(torch.ones(size)) * 0.1
+         self.scale = torch.nn.Parameter(torch.nn.Parameter(torch.ones(size)) * 0.1)
""")  # fmt: skip
add("GRD121", "set again to what is no parameter", SCALED, """
          self.scale = torch.nn.Parameter(torch.ones(size)) * 0.1
      def forward(self, x):
          self.scale = self.scale.abs()
          return x * self.scale
""")  # fmt: skip


# ---- GRD209 aliased-grad

add(
    "GRD209",
    "kept where it is read",
    """
  import torch
  weight = torch.ones(2, requires_grad=True)
  (weight * 1).sum().backward()
- first = weight.grad
+ first = weight.grad.clone()
  (weight * 2).sum().backward()
""",
)
add(
    "GRD209",
    "put back, where a copy of what was kept cures nothing",
    """
  import torch
  net = torch.nn.Linear(4, 1)
  net(torch.ones(2, 4)).mean().backward()
  kept = [p.grad.clone() for p in net.parameters()]
  for p, grad in zip(net.parameters(), kept):
      p.grad = grad
  net(torch.ones(2, 4)).mean().backward()
""",
)


# ---- GRD211 mutating-hook

HOOKED = """
  import torch
  weight = torch.ones(3, requires_grad=True)
"""

add("GRD211", "a lambda", HOOKED, """
- weight.register_hook(lambda grad: grad.clamp_(-1, 1))
+ weight.register_hook(lambda grad: grad.clone().clamp_(-1, 1))
""")  # fmt: skip
add("GRD211", "on one of two ways", HOOKED, """
  def hook(grad):
      if weight.sum() > 1:
+         grad = grad.clone()
          grad[0] = 0
      return grad
  weight.register_hook(hook)
""")  # fmt: skip
add("GRD211", "nothing is given back", HOOKED, """
  def hook(grad):
      if weight.sum() > 1:
          return
+     grad = grad.clone()
      grad /= 2
+     return grad
  weight.register_hook(hook)
""")  # fmt: skip
add("GRD211", "perhaps nothing is given back", HOOKED, """
  def hook(grad):
      grad /= 2
      if weight.sum() > 1:
          return grad
  weight.register_hook(hook)
""")  # fmt: skip
add("GRD211", "something else is given back", HOOKED, """
  def hook(grad):
      grad.mul_(2)
      return weight
  weight.register_hook(hook)
""")  # fmt: skip
add("GRD211", "something comes after", HOOKED, """
  def hook(grad):
      grad.mul_(2)
      print(grad)
  weight.register_hook(hook)
""")  # fmt: skip
add("GRD211", "a helper", HOOKED, """
  def halve(grad):
      grad.mul_(0.5)
  weight.register_hook(lambda grad: halve(grad))
""")  # fmt: skip


# ---- GRD311 shared-dict-alias

DICTS = """
  import copy, torch
  weights = {"w": torch.ones(2), "b": torch.zeros(1)}
"""

add("GRD311", "a comprehension", DICTS, """
- backup = {key: value for key, value in weights.items()}
+ backup = copy.deepcopy({key: value for key, value in weights.items()})
  backup["w"].mul_(2)
""")  # fmt: skip
add("GRD311", "two copies", DICTS, """
- first, second = weights.copy(), dict(weights)
+ first, second = copy.deepcopy(weights.copy()), copy.deepcopy(dict(weights))
  weights["w"].mul_(2)
""")  # fmt: skip
add("GRD311", "one cannot be copied deeply", DICTS, """
  weights["w"] = torch.ones(2, requires_grad=True) * 2
  backup = dict(weights)
  weights["b"].mul_(2)
""")  # fmt: skip


# ---- GRD312 numpy-write

ARRAYS = """
  import torch
  w = torch.ones(3, requires_grad=True)
"""

add("GRD312", "a view of the array", ARRAYS, """
- array = w.detach().numpy()
+ array = w.detach().numpy().copy()
  array[1:][0] = 2
""")  # fmt: skip
add("GRD312", "made in one of two ways", ARRAYS, """
  array = w.detach().numpy() if input() else w.data.numpy()
  array[0] = 2
""")  # fmt: skip


# ---- GRD314 stale-manual-gradient

BY_HAND = """
  import torch
  w = torch.ones(3, requires_grad=True)
  for step in range(3):
      (w * 2 - 1).pow(2).sum().backward()
      with torch.no_grad():
"""

add("GRD314", "behind the last of two updates", BY_HAND, """
          w -= 0.1 * w.grad
          w -= 0.1 * w.grad
+         w.grad = None
""")  # fmt: skip
add("GRD314", "read before the update", BY_HAND, """
          print(w.grad)
          w -= 0.1 * w.grad
+         w.grad = None
""")  # fmt: skip
add("GRD314", "read later", BY_HAND, """
          w -= 0.1 * w.grad
      print(w.grad.norm())
""")  # fmt: skip
add("GRD314", "perhaps updated again", BY_HAND, """
          w -= 0.1 * w.grad
          if step:
              w -= 0.1 * w.grad
""")  # fmt: skip
add("GRD314", "updated several times by one line", BY_HAND, """
          for _ in range(2):
              w -= 0.1 * w.grad
""")  # fmt: skip


# ---- GRD401 inference-without-no-grad

PAIR = """
  import torch
  from torch import nn
  encoder, decoder = nn.Linear(4, 2), nn.Linear(2, 4)
  def evaluate(loader, criterion):
      total = 0.0
      for x, y in loader:
"""

add("GRD401", "two calls one after the other", PAIR, """
-         code = encoder(x)
-         total += criterion(decoder(code), y).item()
+         with torch.no_grad():
+             code = encoder(x)
+         with torch.no_grad():
+             total += criterion(decoder(code), y).item()
      return total
""")  # fmt: skip
add("GRD401", "two calls in one", PAIR, """
-         total += criterion(decoder(encoder(x)), y).item()
+         with torch.no_grad():
+             total += criterion(decoder(encoder(x)), y).item()
      return total
""")  # fmt: skip
add("GRD401", "two results in one", PAIR, """
-         code, sketch = encoder(x), encoder(x * 2)
+         with torch.no_grad():
+             code, sketch = encoder(x), encoder(x * 2)
-         total += (decoder(code) + decoder(sketch)).sum().item()
+         with torch.no_grad():
+             total += (decoder(code) + decoder(sketch)).sum().item()
      return total
""")  # fmt: skip
add("GRD401", "the second is called to train as well", PAIR, """
-         code = encoder(x)
-         total += criterion(through(code), y).item()
+         with torch.no_grad():
+             code = encoder(x)
+         with torch.no_grad():
+             total += criterion(through(code), y).item()
      return total
  def through(code):
      return decoder(code)
  def train(loader, optimizer):
      for x, y in loader:
          optimizer.zero_grad()
          (through(x[:, :2]) - y).pow(2).mean().backward()
          optimizer.step()
  train(batches, torch.optim.SGD(decoder.parameters(), lr=0.1))
  evaluate(batches, nn.MSELoss())
""")  # fmt: skip


# ---- GRD406 forced-grad-mode

add("GRD406", "switched on twice", """
  import torch
  def probe(x):
+     grad_enabled = torch.is_grad_enabled()
      torch.set_grad_enabled(False)
-     torch.set_grad_enabled(True)
-     torch.set_grad_enabled(True)
+     torch.set_grad_enabled(grad_enabled)
+     torch.set_grad_enabled(grad_enabled)
  with torch.no_grad():
      probe(torch.ones(1))
""")  # fmt: skip


# ---- GRD410 no-grad-generator

GENERATOR = """
  import torch
  def features(model, batches):
"""

add("GRD410", "what was computed before", GENERATOR, """
      for batch in batches:
          with torch.no_grad():
              found = model(batch)
-             yield found, batch
+         yield found, batch
""")  # fmt: skip
add("GRD410", "a generator that is all one block", """
  import torch
  class Loader:
+     @torch.inference_mode()
      def features(self, model, batches):
          "Batch by batch."
-         with torch.inference_mode():
-             # in order
-             for batch in batches:
+         # in order
+         for batch in batches:

-                 yield model(batch)
+             yield model(batch)
""")  # fmt: skip
add("GRD410", "the value is computed outside", GENERATOR, """
      for batch in batches:
          with torch.no_grad():
              found = model(batch)
              yield found * 2
""")  # fmt: skip
add("GRD410", "something comes after", GENERATOR, """
      for batch in batches:
          with torch.no_grad():
              found = model(batch)
              yield found
              print(batch)
""")  # fmt: skip
add("GRD410", "something comes before the block", GENERATOR, """
      model = model.cpu()
      with torch.no_grad():
          for batch in batches:
              yield model(batch)
""")  # fmt: skip
add("GRD410", "a block that does more", GENERATOR, """
      with torch.no_grad(), open("log") as log:
          for batch in batches:
              yield model(batch)
""")  # fmt: skip
add("GRD410", "a coroutine", """
  import torch
  async def features(model, batches):
      with torch.no_grad():
          for batch in batches:
              yield model(batch)
""")  # fmt: skip


@pytest.mark.parametrize(("code", "lines"), CASES)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_fix_is_offered_where_it_cures(code: str, lines: list[str], newline: str) -> None:
    check(code, lines, newline)
