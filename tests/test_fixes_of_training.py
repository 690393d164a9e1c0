"""Rules about graphs and training offer a fix exactly where an edit cures, and leave the rest to the author."""

from __future__ import annotations

import pytest
from marked_fixes import case, check

CASES = []


def add(code: str, why: str, *parts: str) -> None:
    CASES.append(case(code, why, *parts))


# ---- GRD503 second-backward

SHARED = """
  import torch
  weight = torch.zeros(3, requires_grad=True)
  hidden = weight.exp()
  first, second = hidden.sum(), (hidden * 2).sum()
"""

add("GRD503", "one after the other", SHARED, """
- first.backward()  # now
- second.backward(retain_graph=False)
+ (first + second).backward(retain_graph=False)
""")  # fmt: skip
add("GRD503", "something in between", SHARED, """
- first.backward()
+ first.backward(retain_graph=True)
  print(weight.grad)
  second.backward()
""")  # fmt: skip
add("GRD503", "with a gradient", SHARED, """
- first.backward(torch.tensor(2.0))
+ first.backward(torch.tensor(2.0), retain_graph=True)
  second.backward()
""")  # fmt: skip
add("GRD503", "three", SHARED, """
- first.backward()
- second.backward()
+ (first + second).backward()
  (first * second).backward()
""")  # fmt: skip
add("GRD503", "a write in between", SHARED, """
  first.backward()
  hidden.data.mul_(2)
  second.backward()
""")  # fmt: skip
add("GRD503", "the graph of another iteration", SHARED, """
  for _ in range(3):
      first.backward()
      second.backward()
""")  # fmt: skip
add("GRD503", "perhaps differentiated", SHARED, """
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

add("GRD505", "a tuple", RECURRENT, """
  def train(steps):
      hidden = (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3))
      for _ in range(steps):
          output, hidden = model(torch.ones(5, 1, 2), hidden)
          loss = head(output).mean()
          loss.backward()
+         hidden = tuple(state.detach() for state in hidden)
  train(3)
""")  # fmt: skip
add("GRD505", "nothing at first", RECURRENT, """
  hidden, total = None, 0
  for _ in range(3):
      if hidden is None:
          hidden = torch.zeros(1, 3)
      hidden = torch.tanh(head.weight * hidden)
      total = total + hidden.sum().item()
      hidden.sum().backward()
+     hidden = hidden.detach()
""")  # fmt: skip
add("GRD505", "bound behind the backward", RECURRENT, """
  target = torch.zeros(1, 3)
  for _ in range(3):
      estimate = head.weight.exp()
      (estimate - target).sum().backward()
      target = 0.9 * target + estimate
+     target = target.detach()
""")  # fmt: skip
add("GRD505", "kept elsewhere as well", RECURRENT, """
  hidden, kept = torch.zeros(1, 3), []
  for _ in range(3):
      hidden = torch.tanh(head.weight * hidden)
      kept.append(hidden)
      hidden.sum().backward()
""")  # fmt: skip
add("GRD505", "an attribute", """
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

add("GRD506", "only an optimizer uses the gradients", STEPPED, """
- loss.backward(create_graph=True)
+ loss.backward()
  optimizer.step()
""")  # fmt: skip
add("GRD506", "a gradient is read", STEPPED, """
  loss.backward(create_graph=True)
  penalty = model.weight.grad.pow(2).sum()
  optimizer.step()
""")  # fmt: skip
add("GRD506", "the graph is needed again", STEPPED, """
  loss.backward(create_graph=True)
  loss.backward()
  optimizer.step()
""")  # fmt: skip
add("GRD506", "an unknown optimizer", """
  import torch
  from sophia import Sophia
  model = torch.nn.Linear(2, 1)
  optimizer = Sophia(model.parameters())
  model(torch.ones(3, 2)).exp().sum().backward(create_graph=True)
  optimizer.step()
""")  # fmt: skip


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

add("GRD617", "through operations", ADVERSARIAL, """
      fake = torch.tanh(fake) * 2
-     loss = d(fake).mean() - d(torch.ones(1, 2) * fake).abs().mean()
+     loss = d(fake.detach()).mean() - d((torch.ones(1, 2) * fake).detach()).abs().mean()
      loss.backward()
""", STEPS)  # fmt: skip
add("GRD617", "in the loss itself", ADVERSARIAL, """
      loss = d(fake).mean() + fake.mean()
      loss.backward()
""", STEPS)  # fmt: skip
add("GRD617", "a call that serves both steps", """
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

add("GRD702", "all that clears is taken away", TRAINED, """
+ optimizer.zero_grad()
  loss.backward()
- head.zero_grad()
- optimizer.zero_grad()
  optimizer.step()
""")  # fmt: skip
add("GRD702", "a block would be left without anything", TRAINED, """
  loss.backward()
  with torch.no_grad():
      head.zero_grad()
      optimizer.zero_grad()
  optimizer.step()
""")  # fmt: skip
add("GRD702", "another clearing has no name", TRAINED, """
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

add("GRD717", "a module", TRAINED, """
  model[0].requires_grad_(False)  # frozen
+ model[0].zero_grad()
  optimizer.step()
""")  # fmt: skip
add("GRD717", "each parameter", TRAINED, """
  for one in model[0].parameters():
      one.requires_grad = False
+     one.grad = None
  optimizer.step()
""")  # fmt: skip
add("GRD717", "at two places", TRAINED, """
  first, second = model[0], model[1]
  first.requires_grad_(False)
+ first.zero_grad()
  second.bias.requires_grad = False
+ second.bias.grad = None
  optimizer.step()
""")  # fmt: skip
add("GRD717", "one of two has no name", TRAINED, """
  list(model[0].parameters())[0].requires_grad_(False)
  model[1].requires_grad_(False)
  optimizer.step()
""")  # fmt: skip


# ---- GRD720 zero-grad-breaks-accumulation

add("GRD720", "all that clears is taken away", """
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

add("GRD903", "read in several places", FUNCTION, """
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
add("GRD903", "deleted in backward", FUNCTION, """
      def forward(ctx, x: torch.Tensor):
          ctx.x = x
          return x * x
      @staticmethod
      def backward(ctx, grad):
          grad = 2 * grad * ctx.x
          del ctx.x
          return grad
""")  # fmt: skip
add("GRD903", "something else is saved", FUNCTION, """
      def forward(ctx, x: torch.Tensor, y: torch.Tensor):
          ctx.save_for_backward(y)
          ctx.x = x
          return x * y
      @staticmethod
      def backward(ctx, grad):
          (y,) = ctx.saved_tensors
          return grad * y, grad * ctx.x
""")  # fmt: skip
add("GRD903", "perhaps", FUNCTION, """
      def forward(ctx, x: torch.Tensor):
          if len(x):
              ctx.x = x
          return x * x
      @staticmethod
      def backward(ctx, grad):
          return 2 * grad * ctx.x
""")  # fmt: skip
add("GRD903", "handed on", FUNCTION, """
      def forward(ctx, x: torch.Tensor):
          ctx.x = x
          return x * x
      @staticmethod
      def backward(ctx, grad):
          return 2 * grad * getattr(ctx, "x")
""")  # fmt: skip


# ---- GRD911 detached-functional-call

FUNCTIONAL = """
  import torch
  model = torch.nn.Linear(3, 1)
"""
CALLED = """
  torch.func.functional_call(model, weights, (torch.ones(2, 3),)).mean().backward()
"""

add("GRD911", "a copy of the dict", FUNCTIONAL, """
- weights = dict(model.state_dict(prefix=""))
+ weights = dict(model.state_dict(prefix="", keep_vars=True))
""", CALLED)  # fmt: skip
add("GRD911", "an entry is written", FUNCTIONAL, """
  weights = model.state_dict()
  weights["bias"].zero_()
""", CALLED)  # fmt: skip
add("GRD911", "a frozen module", FUNCTIONAL, """
  weights = model.requires_grad_(False).state_dict()
""", CALLED)  # fmt: skip


@pytest.mark.parametrize(("code", "lines"), CASES)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_fix_is_offered_where_it_cures(code: str, lines: list[str], newline: str) -> None:
    check(code, lines, newline)
