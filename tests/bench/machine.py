"""What is measured on and with: the first line of what is printed."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from .environments import PEERS


@dataclass(frozen=True)
class Machine:
    """The day, the machine, how busy it was (processes that ran or waited, over a minute), and all versions.

    `ours` are the versions of what is installed beside gradlint, `peers` of what is beside the peers.
    """

    day: str
    cores: int
    processor: str
    system: str
    python: str
    load: float
    ours: Mapping[str, str]
    peers: Mapping[str, str]

    @property
    def line(self) -> str:
        """All of it that a reader of the figures asks for, in a line."""
        versions = [f"gradlint {self.ours['torch-gradlint']} with LibCST {self.ours['libcst']}"]
        versions += [pin.replace("==", " ") for pin in PEERS]
        versions[1] += f" with LibCST {self.peers['libcst']}"
        cores = f"{self.cores} {'core' if self.cores == 1 else 'cores'} of {self.processor}"
        return f"{self.day}; {cores}, load {self.load:.1f}; {self.system}, Python {self.python}; {', '.join(versions)}"


def machine(ours: Mapping[str, str], peers: Mapping[str, str]) -> Machine:
    """Return what is measured on now, with these versions."""
    return Machine(
        day=date.today().isoformat(),
        cores=os.cpu_count() or 1,
        processor=_processor(),
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        load=os.getloadavg()[0],
        ours=ours,
        peers=peers,
    )


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or "an unknown processor"
