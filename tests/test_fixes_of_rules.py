"""A rule offers a fix exactly where an edit cures, and leaves the rest to the author.

A case is a program in which the lines that the fix puts in begin with `+` and those that it takes away with `-`; where
there are none, something is reported and no fix is offered.
"""

from __future__ import annotations

import pytest

from gradlint import fixes, linter
from gradlint.finding import SAFE, UNSAFE
from gradlint.registry import rules

RULES = {rule.code: rule for rule in rules()}


def mended(code: str, text: str) -> str:
    """The text with the fixes of a rule made."""
    wanted = [RULES[code], *(RULES[other] for other in RULES[code].yields_to)]
    found = [one for one in linter.analyse(text, wanted).findings if one.code == code]
    assert found, "nothing is reported"
    return fixes.apply(text, found, (SAFE, UNSAFE)).text


def version(lines: list[str], sign: str) -> str:
    """The program without the lines of the other sign."""
    return "".join(f"{line[2:]}\n" for line in lines if line[:2] in ("", "  ", f"{sign} "))


CASES = []


def case(code: str, why: str, *parts: str) -> None:
    lines = "\n".join(part.strip("\n") for part in parts).split("\n")
    assert {line[:2] for line in lines} <= {"", "  ", "+ ", "- "}
    CASES.append(pytest.param(code, lines, id=f"{code}-{why}"))


# ---- GRD102 mixed-dict-requires-grad

MIXED = """
  import torch
  held = {'weight': torch.ones(2), 'step': torch.tensor(1)}
"""

case("GRD102", "asked by a method", MIXED, """
  for one in held.values():
-     one.requires_grad_()  # all
+     if one.is_floating_point():
+         one.requires_grad_()  # all
""")  # fmt: skip
case("GRD102", "complex numbers can require grad as well", MIXED, """
  held['phase'] = torch.ones(1) * 1j
  for one in held.values():
-     one.requires_grad = True
+     if one.is_floating_point() or one.is_complex():
+         one.requires_grad = True
""")  # fmt: skip
case("GRD102", "the value is used", MIXED, """
  for one in held.values():
      last = one.requires_grad_()
""")  # fmt: skip


# ---- GRD104 module-requires-grad-assigned

case("GRD104", "an assignment of its own line", """
  import torch
  layer = torch.nn.Linear(2, 3)
  if layer.bias is not None:
-     layer.requires_grad = False  # all
+     layer.requires_grad_(False)  # all
""")  # fmt: skip
case("GRD104", "an assignment beside another", """
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

case("GRD113", "a name holds it alone", RESULT, """
- out.requires_grad = False
+ out = out.detach()
""")  # fmt: skip
case("GRD113", "another name holds it as well", RESULT, """
  kept = out
  out.requires_grad = False
""")  # fmt: skip
case("GRD113", "a list holds it as well", RESULT, """
  for one in [out]:
      one.requires_grad = False
""")  # fmt: skip
case("GRD113", "nobody holds it", RESULT, """
  layer.weight[0].requires_grad = False
""")  # fmt: skip
case("GRD113", "its gradient may be wanted, or the end of the graph", RESULT, """
  out.requires_grad = True
""")  # fmt: skip


# ---- GRD211 mutating-hook

HOOKED = """
  import torch
  weight = torch.ones(3, requires_grad=True)
"""

case("GRD211", "a lambda", HOOKED, """
- weight.register_hook(lambda grad: grad.clamp_(-1, 1))
+ weight.register_hook(lambda grad: grad.clone().clamp_(-1, 1))
""")  # fmt: skip
case("GRD211", "on one of two ways", HOOKED, """
  def hook(grad):
      if weight.sum() > 1:
+         grad = grad.clone()
          grad[0] = 0
      return grad
  weight.register_hook(hook)
""")  # fmt: skip
case("GRD211", "nothing is given back", HOOKED, """
  def hook(grad):
      if weight.sum() > 1:
          return
+     grad = grad.clone()
      grad /= 2
+     return grad
  weight.register_hook(hook)
""")  # fmt: skip
case("GRD211", "perhaps nothing is given back", HOOKED, """
  def hook(grad):
      grad /= 2
      if weight.sum() > 1:
          return grad
  weight.register_hook(hook)
""")  # fmt: skip
case("GRD211", "something else is given back", HOOKED, """
  def hook(grad):
      grad.mul_(2)
      return weight
  weight.register_hook(hook)
""")  # fmt: skip
case("GRD211", "something comes after", HOOKED, """
  def hook(grad):
      grad.mul_(2)
      print(grad)
  weight.register_hook(hook)
""")  # fmt: skip
case("GRD211", "a helper", HOOKED, """
  def halve(grad):
      grad.mul_(0.5)
  weight.register_hook(lambda grad: halve(grad))
""")  # fmt: skip


# ---- GRD311 shared-dict-alias

DICTS = """
  import copy, torch
  weights = {"w": torch.ones(2), "b": torch.zeros(1)}
"""

case("GRD311", "a comprehension", DICTS, """
- backup = {key: value for key, value in weights.items()}
+ backup = copy.deepcopy({key: value for key, value in weights.items()})
  backup["w"].mul_(2)
""")  # fmt: skip
case("GRD311", "two copies", DICTS, """
- first, second = weights.copy(), dict(weights)
+ first, second = copy.deepcopy(weights.copy()), copy.deepcopy(dict(weights))
  weights["w"].mul_(2)
""")  # fmt: skip
case("GRD311", "one cannot be copied deeply", DICTS, """
  weights["w"] = torch.ones(2, requires_grad=True) * 2
  backup = dict(weights)
  weights["b"].mul_(2)
""")  # fmt: skip


# ---- GRD312 numpy-write

ARRAYS = """
  import torch
  w = torch.ones(3, requires_grad=True)
"""

case("GRD312", "a view of the array", ARRAYS, """
- array = w.detach().numpy()
+ array = w.detach().numpy().copy()
  array[1:][0] = 2
""")  # fmt: skip
case("GRD312", "made in one of two ways", ARRAYS, """
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

case("GRD314", "behind the last of two updates", BY_HAND, """
          w -= 0.1 * w.grad
          w -= 0.1 * w.grad
+         w.grad = None
""")  # fmt: skip
case("GRD314", "read before the update", BY_HAND, """
          print(w.grad)
          w -= 0.1 * w.grad
+         w.grad = None
""")  # fmt: skip
case("GRD314", "read later", BY_HAND, """
          w -= 0.1 * w.grad
      print(w.grad.norm())
""")  # fmt: skip
case("GRD314", "perhaps updated again", BY_HAND, """
          w -= 0.1 * w.grad
          if step:
              w -= 0.1 * w.grad
""")  # fmt: skip
case("GRD314", "updated several times by one line", BY_HAND, """
          for _ in range(2):
              w -= 0.1 * w.grad
""")  # fmt: skip


# ---- GRD406 forced-grad-mode

case("GRD406", "switched on twice", """
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

case("GRD410", "what was computed before", GENERATOR, """
      for batch in batches:
          with torch.no_grad():
              found = model(batch)
-             yield found, batch
+         yield found, batch
""")  # fmt: skip
case("GRD410", "a generator that is all one block", """
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
case("GRD410", "the value is computed outside", GENERATOR, """
      for batch in batches:
          with torch.no_grad():
              found = model(batch)
              yield found * 2
""")  # fmt: skip
case("GRD410", "something comes after", GENERATOR, """
      for batch in batches:
          with torch.no_grad():
              found = model(batch)
              yield found
              print(batch)
""")  # fmt: skip
case("GRD410", "something comes before the block", GENERATOR, """
      model = model.cpu()
      with torch.no_grad():
          for batch in batches:
              yield model(batch)
""")  # fmt: skip
case("GRD410", "a block that does more", GENERATOR, """
      with torch.no_grad(), open("log") as log:
          for batch in batches:
              yield model(batch)
""")  # fmt: skip
case("GRD410", "a coroutine", """
  import torch
  async def features(model, batches):
      with torch.no_grad():
          for batch in batches:
              yield model(batch)
""")  # fmt: skip


# ---- GRD503 second-backward

SHARED = """
  import torch
  weight = torch.zeros(3, requires_grad=True)
  hidden = weight.exp()
  first, second = hidden.sum(), (hidden * 2).sum()
"""

case("GRD503", "one after the other", SHARED, """
- first.backward()  # now
- second.backward(retain_graph=False)
+ (first + second).backward(retain_graph=False)
""")  # fmt: skip
case("GRD503", "something in between", SHARED, """
- first.backward()
+ first.backward(retain_graph=True)
  print(weight.grad)
  second.backward()
""")  # fmt: skip
case("GRD503", "with a gradient", SHARED, """
- first.backward(torch.tensor(2.0))
+ first.backward(torch.tensor(2.0), retain_graph=True)
  second.backward()
""")  # fmt: skip
case("GRD503", "three", SHARED, """
- first.backward()
- second.backward()
+ (first + second).backward()
  (first * second).backward()
""")  # fmt: skip
case("GRD503", "a write in between", SHARED, """
  first.backward()
  hidden.data.mul_(2)
  second.backward()
""")  # fmt: skip
case("GRD503", "the graph of another iteration", SHARED, """
  for _ in range(3):
      first.backward()
      second.backward()
""")  # fmt: skip
case("GRD503", "perhaps differentiated", SHARED, """
  if input():
      first.backward()
  second.backward()
  second.backward()
""")  # fmt: skip


# ---- GRD505 undetached-hidden-state

RECURRENT = """
  import torch
  model, head = torch.nn.LSTM(2, 3), torch.nn.Linear(3, 1)
"""

case("GRD505", "a tuple", RECURRENT, """
  def train(steps):
      hidden = (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3))
      for _ in range(steps):
          output, hidden = model(torch.ones(5, 1, 2), hidden)
          loss = head(output).mean()
          loss.backward()
+         hidden = tuple(state.detach() for state in hidden)
  train(3)
""")  # fmt: skip
case("GRD505", "nothing at first", RECURRENT, """
  hidden, total = None, 0
  for _ in range(3):
      if hidden is None:
          hidden = torch.zeros(1, 3)
      hidden = torch.tanh(head.weight * hidden)
      total = total + hidden.sum().item()
      hidden.sum().backward()
+     hidden = hidden.detach()
""")  # fmt: skip
case("GRD505", "bound behind the backward", RECURRENT, """
  target = torch.zeros(1, 3)
  for _ in range(3):
      estimate = head.weight.exp()
      (estimate - target).sum().backward()
      target = 0.9 * target + estimate
+     target = target.detach()
""")  # fmt: skip
case("GRD505", "kept elsewhere as well", RECURRENT, """
  hidden, kept = torch.zeros(1, 3), []
  for _ in range(3):
      hidden = torch.tanh(head.weight * hidden)
      kept.append(hidden)
      hidden.sum().backward()
""")  # fmt: skip
case("GRD505", "an attribute", """
  import torch
  class Agent:
      def __init__(self):
          self.weight = torch.ones(1, 3, requires_grad=True)
          self.state = torch.zeros(1, 3)
      def train(self):
          for _ in range(3):
              self.state = torch.tanh(self.weight * self.state)
              self.state.sum().backward()
  Agent().train()
""")  # fmt: skip


# ---- GRD506 create-graph-backward

STEPPED = """
  import torch
  model = torch.nn.Linear(2, 1)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  loss = model(torch.ones(3, 2)).exp().sum()
"""

case("GRD506", "only an optimizer uses the gradients", STEPPED, """
- loss.backward(create_graph=True)
+ loss.backward()
  optimizer.step()
""")  # fmt: skip
case("GRD506", "a gradient is read", STEPPED, """
  loss.backward(create_graph=True)
  penalty = model.weight.grad.pow(2).sum()
  optimizer.step()
""")  # fmt: skip
case("GRD506", "the graph is needed again", STEPPED, """
  loss.backward(create_graph=True)
  loss.backward()
  optimizer.step()
""")  # fmt: skip
case("GRD506", "an unknown optimizer", """
  import torch
  from sophia import Sophia
  model = torch.nn.Linear(2, 1)
  optimizer = Sophia(model.parameters())
  model(torch.ones(3, 2)).exp().sum().backward(create_graph=True)
  optimizer.step()
""")  # fmt: skip


# ---- GRD209 aliased-grad

case(
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
case(
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


# ---- GRD617 undetached-target

ADVERSARIAL = """
  import torch
  d, g = torch.nn.Linear(2, 1), torch.nn.Linear(3, 2)
  of_d, of_g = torch.optim.SGD(d.parameters(), 0.1), torch.optim.SGD(g.parameters(), 0.1)
  for _ in range(2):
      fake = g(torch.ones(4, 3))
      of_d.zero_grad()
"""
STEPS = """
      of_d.step()
      of_g.zero_grad()
      (-d(g(torch.ones(4, 3)))).mean().backward()
      of_g.step()
"""

case("GRD617", "through operations", ADVERSARIAL, """
      fake = torch.tanh(fake) * 2
-     loss = d(fake).mean() - d(torch.ones(1, 2) * fake).abs().mean()
+     loss = d(fake.detach()).mean() - d((torch.ones(1, 2) * fake).detach()).abs().mean()
      loss.backward()
""", STEPS)  # fmt: skip
case("GRD617", "in the loss itself", ADVERSARIAL, """
      loss = d(fake).mean() + fake.mean()
      loss.backward()
""", STEPS)  # fmt: skip
case("GRD617", "a call that serves both steps", """
  import torch
  d, g = torch.nn.Linear(2, 1), torch.nn.Linear(3, 2)
  of_d, of_g = torch.optim.SGD(d.parameters(), 0.1), torch.optim.SGD(g.parameters(), 0.1)
  def scored():
      return d(g(torch.ones(4, 3))).mean()
  for _ in range(2):
      of_d.zero_grad()
      scored().backward()
      of_d.step()
      of_g.zero_grad()
      (-scored()).backward()
      of_g.step()
""")  # fmt: skip


# ---- GRD702 zero-grad-before-step

TRAINED = """
  import torch
  model = torch.nn.Linear(2, 1)
  optimizer, head = torch.optim.SGD(model.parameters(), lr=0.1), torch.optim.SGD([model.weight], lr=0.1)
  loss = model(torch.ones(4, 2)).mean()
"""

case("GRD702", "all that clears is taken away", TRAINED, """
+ optimizer.zero_grad()
  loss.backward()
- head.zero_grad()
- optimizer.zero_grad()
  optimizer.step()
""")  # fmt: skip
case("GRD702", "a block would be left without anything", TRAINED, """
  loss.backward()
  with torch.no_grad():
      head.zero_grad()
      optimizer.zero_grad()
  optimizer.step()
""")  # fmt: skip
case("GRD702", "another clearing has no name", TRAINED, """
  loss.backward()
  optimizer.zero_grad()
  for parameter in model.parameters():
      parameter.grad = None
  optimizer.step()
""")  # fmt: skip


# ---- GRD717 frozen-after-optimizer

TRAINED = """
  import torch
  model = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Linear(1, 1))
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  model(torch.ones(1, 1)).sum().backward()
"""

case("GRD717", "a module", TRAINED, """
  model[0].requires_grad_(False)  # frozen
+ model[0].zero_grad()
  optimizer.step()
""")  # fmt: skip
case("GRD717", "each parameter", TRAINED, """
  for one in model[0].parameters():
      one.requires_grad = False
+     one.grad = None
  optimizer.step()
""")  # fmt: skip
case("GRD717", "at two places", TRAINED, """
  first, second = model[0], model[1]
  first.requires_grad_(False)
+ first.zero_grad()
  second.bias.requires_grad = False
+ second.bias.grad = None
  optimizer.step()
""")  # fmt: skip
case("GRD717", "one of two has no name", TRAINED, """
  list(model[0].parameters())[0].requires_grad_(False)
  model[1].requires_grad_(False)
  optimizer.step()
""")  # fmt: skip


# ---- GRD720 zero-grad-breaks-accumulation

case("GRD720", "all that clears is taken away", """
  import torch
  model = torch.nn.Linear(2, 1)
  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
  for index in range(8):
-     model.zero_grad()
-     optimizer.zero_grad()
      model(torch.ones(4, 2)).mean().backward()
      if index % 4 == 3:
          optimizer.step()
+         model.zero_grad()
""")  # fmt: skip


# ---- GRD903 tensor-on-ctx

FUNCTION = """
  import torch
  class Square(torch.autograd.Function):
      @staticmethod
"""

case("GRD903", "read in several places", FUNCTION, """
      def forward(ctx, x: torch.Tensor):
          ctx.size = len(x)
-         ctx.x = (x)  # for backward
+         ctx.save_for_backward((x))  # for backward
          return x * x
      @staticmethod
      def backward(context, grad):
          assert context.size
-         return grad * (context.x + context.x)
+         return grad * (context.saved_tensors[0] + context.saved_tensors[0])
""")  # fmt: skip
case("GRD903", "deleted in backward", FUNCTION, """
      def forward(ctx, x: torch.Tensor):
          ctx.x = x
          return x * x
      @staticmethod
      def backward(ctx, grad):
          grad = 2 * grad * ctx.x
          del ctx.x
          return grad
""")  # fmt: skip
case("GRD903", "something else is saved", FUNCTION, """
      def forward(ctx, x: torch.Tensor, y: torch.Tensor):
          ctx.save_for_backward(y)
          ctx.x = x
          return x * y
      @staticmethod
      def backward(ctx, grad):
          (y,) = ctx.saved_tensors
          return grad * y, grad * ctx.x
""")  # fmt: skip
case("GRD903", "perhaps", FUNCTION, """
      def forward(ctx, x: torch.Tensor):
          if len(x):
              ctx.x = x
          return x * x
      @staticmethod
      def backward(ctx, grad):
          return 2 * grad * ctx.x
""")  # fmt: skip
case("GRD903", "handed on", FUNCTION, """
      def forward(ctx, x: torch.Tensor):
          ctx.x = x
          return x * x
      @staticmethod
      def backward(ctx, grad):
          return 2 * grad * getattr(ctx, "x")
""")  # fmt: skip


# ---- GRD121 moved-parameter

SCALED = """
  import torch
  class Scaled(torch.nn.Module):
      def __init__(self, size):
          super().__init__()
"""

case("GRD121", "set once", SCALED, """
-         self.scale = torch.nn.Parameter(torch.ones(size)) * 0.1
+         self.scale = torch.nn.Parameter(torch.nn.Parameter(torch.ones(size)) * 0.1)
""")  # fmt: skip
case("GRD121", "set again to what is no parameter", SCALED, """
          self.scale = torch.nn.Parameter(torch.ones(size)) * 0.1
      def forward(self, x):
          self.scale = self.scale.abs()
          return x * self.scale
""")  # fmt: skip


# ---- GRD911 detached-functional-call

FUNCTIONAL = """
  import torch
  model = torch.nn.Linear(3, 1)
"""
CALLED = """
  torch.func.functional_call(model, weights, (torch.ones(2, 3),)).mean().backward()
"""

case("GRD911", "a copy of the dict", FUNCTIONAL, """
- weights = dict(model.state_dict(prefix=""))
+ weights = dict(model.state_dict(prefix="", keep_vars=True))
""", CALLED)  # fmt: skip
case("GRD911", "an entry is written", FUNCTIONAL, """
  weights = model.state_dict()
  weights["bias"].zero_()
""", CALLED)  # fmt: skip
case("GRD911", "a frozen module", FUNCTIONAL, """
  weights = model.requires_grad_(False).state_dict()
""", CALLED)  # fmt: skip


@pytest.mark.parametrize(("code", "lines"), CASES)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_fix_is_offered_where_it_cures(code: str, lines: list[str], newline: str) -> None:
    before, after = (version(lines, sign).replace("\n", newline) for sign in "-+")
    assert mended(code, before) == after
