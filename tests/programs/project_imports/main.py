"""Names of other files, however they are imported: each is looked at when it is needed."""

from typing import TYPE_CHECKING

import constants
import constants as other
import torch
from constants import RATE, START as begin, weight
from reexporting import doubled, weight as again

if TYPE_CHECKING:
    from constants import START as typed_only

try:
    from constants import RATE as found
except ImportError:
    found = None

try:
    from not_there_at_all import RATE as missing
except ImportError:
    missing = None

reveal(RATE)  # 0.5
reveal(begin)  # 3
reveal(found)  # 0.5 or None
reveal(missing)  # not_there_at_all.RATE or None
reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(constants.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(other.weight * RATE)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(again)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(doubled(torch.ones(1)))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(doubled(weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(constants.OPTIONS["bias"])  # True
reveal(constants.__name__)  # 'constants'


def later():
    import constants
    from constants import frozen

    reveal(frozen)  # Tensor[float, requires_grad=no, leaf=yes]
    reveal(constants.RATE)  # 0.5


later()
