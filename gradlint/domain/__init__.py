"""Facts, values, and objects on the heap: what can be known about a program."""

from gradlint.domain.facts import *  # noqa: F403
from gradlint.domain.ground import *  # noqa: F403
from gradlint.domain.joining import *  # noqa: F403
from gradlint.domain.memories import *  # noqa: F403
from gradlint.domain.mentions import *  # noqa: F403
from gradlint.domain.objects import *  # noqa: F403
from gradlint.domain.provenance import *  # noqa: F403
from gradlint.domain.refs import *  # noqa: F403
from gradlint.domain.state import *  # noqa: F403
from gradlint.domain.value_sets import *  # noqa: F403
from gradlint.domain.values import *  # noqa: F403
