"""What the standard library gives holds no tensor, and its constants are numbers."""

import json
import logging
import math
import os
import random
import re
import time
from contextlib import nullcontext
from math import pi
from pathlib import Path

import torch

weight = torch.ones(3, requires_grad=True)
whole = torch.arange(3)

logger = logging.getLogger(__name__)
logger.info("weight %s", weight)
reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(whole * math.pi)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight * pi)  # Tensor[float, requires_grad=yes, leaf=no]
path = Path("models") / "best.pt"
reveal(path)  # path
reveal(path.parent)  # path
reveal(path.suffix)  # str
reveal(path.exists())  # number[bool]
reveal(os.path.join("a", "b"))  # str
reveal(os.path.splitext("a.b")[0])  # str
reveal("a,b".split(",")[0])  # 'a'
reveal("{}".format(weight).strip())  # str
reveal("abc".startswith("a"))  # True
reveal(time.time() - time.time())  # number[float]
reveal(random.random())  # number[float]
values = [weight, whole]
random.shuffle(values)
reveal(values[0])  # Tensor[integer|float, requires_grad=no|yes, leaf=yes]
reveal(random.choice([weight]))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(random.sample([weight], 1)[0])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(re.sub("a", "b", "a"))  # str
found = re.match("a", "a")
if found:
    reveal(found.group())  # str
settings = json.loads('{"a": {"b": [1]}}')
for name in settings["a"]:
    reveal(weight * len(name))  # Tensor[float, requires_grad=yes, leaf=no]
with nullcontext(weight) as value:
    reveal(value)  # Tensor[float, requires_grad=yes, leaf=yes]
with torch.no_grad() if weight.requires_grad else nullcontext():
    reveal(weight * 2)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(round(1.5))  # number[integer]
reveal(math.floor(1.5))  # number[integer]
reveal(min(0.1, 1.0 / 3))  # 0.1 or 0.3333333333333333
reveal(os.environ.get("NOBODY_SETS_THIS"))  # data
