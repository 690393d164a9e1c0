"""Calls that end the program: nothing behind them happens, unless somebody finds the `SystemExit`."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gradlint import linter
from gradlint.registry import rules

PROGRAM = """
import os
import sys
from sys import exit as leave

import torch


def stop(why):
    print(why)
    sys.exit(why)


net = torch.nn.Linear(3, 3).eval()
LEAVING
print("on", net(torch.load(sys.argv[-1])).argmax().item())
"""
LEAVING = ["sys.exit()", "sys.exit(3)", "exit()", "quit(1)", "os._exit(1)", "os.abort()", "stop(2)", "leave()"]
LEAVING += ["if len(sys.argv) > 5:\n    print('many')\nsys.exit()", "print(1) or sys.exit()"]
NOT_LEAVING = [
    "if len(sys.argv) > 5:\n    sys.exit()",
    "try:\n    sys.exit()\nexcept SystemExit:\n    print('stays')",
    "len(sys.argv) > 5 and exit()",
    "exit = print\nexit()",
    "sys.exit",
]
BEHIND = """
import sys
import torch


def main():
    print("nothing to do")


if __name__ == "__main__":
    sys.exit(main())


def score(net: torch.nn.Module, data):
    net.eval()
    return [net(x).argmax().item() for x in data]


score(torch.nn.Linear(3, 3), torch.load("held_out.pt"))
"""


def told(leaving: str) -> bool:
    return any(one.code == "GRD401" for one in linter.analyse(PROGRAM.replace("LEAVING", leaving), rules()).findings)


def goes_on(leaving: str, folder) -> bool:
    program = PROGRAM.replace("LEAVING", leaving).splitlines()
    text = "\n".join([*(line for line in program if "torch" not in line), "print('on')"])
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=folder)
    return "on" in ended.stdout.split()


@pytest.mark.parametrize("leaving", LEAVING)
def test_nothing_happens_behind_what_ends_the_program(leaving: str, tmp_path) -> None:
    assert not goes_on(leaving, tmp_path)
    assert not told(leaving)


@pytest.mark.parametrize("leaving", NOT_LEAVING)
def test_what_need_not_end_it_hides_nothing(leaving: str, tmp_path) -> None:
    assert goes_on(leaving, tmp_path)
    assert told(leaving)


def test_whoever_imports_a_script_runs_what_stands_behind_its_exit() -> None:
    for text in (BEHIND, BEHIND.replace('if __name__ == "__main__"', 'if "__main__" == __name__')):
        assert [one.code for one in linter.analyse(text, rules()).findings] == ["GRD401"]
    assert not linter.analyse(BEHIND.replace("__name__", "'__main__'"), rules()).findings
