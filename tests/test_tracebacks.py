"""Errors are found in whatever is printed around them, and no file outside the current folder is looked at."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from pathlib import Path

import pytest

from gradlint import cli, explain, reading
from gradlint.tracebacks import Frame, Raised, passages, raised

SAID = "a leaf Variable that requires grad is being used in an in-place operation."
ERROR = f"RuntimeError: {SAID}"
PLAIN = f"""Traceback (most recent call last):
  File "train.py", line 4, in <module>
    w.add_(1)
    ^^^^^^^^^
{ERROR}
"""
FRAMES = (Frame("train.py", 4, "w.add_(1)"),)
NOTEBOOK = f"""---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
Cell In[3], line 2
      1 import train
----> 2 train.run()

File ~/project/train.py:4, in run()
      2 w = torch.ones(2, requires_grad=True)
      3
----> 4 w.add_(1)

{ERROR}
"""
OLD_NOTEBOOK = f"""RuntimeError                              Traceback (most recent call last)
<ipython-input-3-0123456789ab> in <module>()
----> 1 run()

~/project/train.py in run(w)
      3     pass
----> 4     w.add_(1)
      5

{ERROR}
"""
PYTEST = f"""    def test_run():
>       w.add_(1)
E       {ERROR}

train.py:4: RuntimeError
"""
CHAIN = f"""{PLAIN}
During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "main.py", line 9, in <module>
    run()
ValueError: training failed
"""
GROUP = """  + Exception Group Traceback (most recent call last):
  |   File "main.py", line 9, in <module>
  |     run()
  | ExceptionGroup: several (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "train.py", line 4, in run
    |     w.add_(1)
    | RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
    +------------------------------------
"""


def prefixed(text: str, *prefixes: str) -> str:
    """The lines of a text, told by several processes at once."""
    return "".join(f"{prefix}{line}\n" for line in text.splitlines() for prefix in prefixes)


def painted(text: str) -> str:
    return "".join(f"\x1b[0;31m{line}\x1b[0m\n" for line in text.splitlines())


LOGS = {
    "plain": (PLAIN, FRAMES),
    "row ends": (PLAIN.replace("\n", "\r\n"), FRAMES),
    "ranks": (prefixed(PLAIN, "[rank0]: ", "[rank1]: "), FRAMES),
    "launcher": (prefixed(PLAIN, "[default3]:"), FRAMES),
    "workers": (prefixed(PLAIN, "(Trainer pid=71, ip=10.0.0.1) "), FRAMES),
    "containers": (prefixed(PLAIN, "trainer-1  | "), FRAMES),
    "clock": (prefixed(PLAIN, "2024-05-01T12:00:00.1234567Z "), FRAMES),
    "mail": (prefixed(PLAIN, "> "), FRAMES),
    "colours": (painted(PLAIN), FRAMES),
    "colours without their first character": (painted(PLAIN).replace("\x1b", ""), FRAMES),
    "Windows": (PLAIN.replace("train.py", r"C:\Users\me\train.py"), (Frame(r"C:\Users\me\train.py", 4, "w.add_(1)"),)),
    "progress": ("  3%|3  | 1/32 [00:01<00:31,  1.0it/s]" + PLAIN, FRAMES),
    "hint of CUDA": (PLAIN + "CUDA kernel errors might be asynchronously reported at some other API call.\n", FRAMES),
    "without a head": (PLAIN.partition("\n")[2], FRAMES),
    "first of several": (CHAIN, FRAMES),
    "cause": (CHAIN.replace("During handling of the above exception, another exception occurred",
                            "The above exception was the direct cause of the following exception"), FRAMES),
    "group": (GROUP, FRAMES),
    "new notebook": (NOTEBOOK, (Frame("<cell>", 2, "train.run()"), Frame("~/project/train.py", 4, "w.add_(1)"))),
    "old notebook": (OLD_NOTEBOOK, (Frame("<cell>", 1, "run()"), Frame("~/project/train.py", 4, "w.add_(1)"))),
    "test runner": (PYTEST, (Frame("train.py", 4),)),
    "replica": (f"RuntimeError: Caught RuntimeError in replica 0 on device 0.\nOriginal {PLAIN}", FRAMES),
    "two runs": (PLAIN.replace("train.py", "old.py") + "restarted\n" + PLAIN, FRAMES),
    "alone": (ERROR, ()),
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_the_error_and_its_places_are_found(name: str) -> None:
    text, frames = LOGS[name]
    last = [one for one in raised(f"epoch 1\n{text}\nterminated\n") if one.name == "RuntimeError"][-1]
    assert last.message.startswith(SAID)
    assert last.frames == frames


@pytest.mark.parametrize("text", [SAID, "ERROR root - " + SAID, SAID.replace(" requires ", "\n  requires ")])
def test_a_message_without_a_name_is_found(text: str) -> None:
    assert any(SAID in passage for passage in passages(f"step 1\n{text}\nstep 2\n"))


def test_a_warning_is_placed() -> None:
    text = "train.py:7: UserWarning: To copy construct from a tensor, it is recommended to use clone\n  y = tensor(x)\n"
    (found,) = raised(text)
    assert (found.name, found.frames) == ("UserWarning", (Frame("train.py", 7),))


HOSTILE = [
    "Error " * 300_000,
    "Error: \n" * 100_000,
    "a." * 1_000_000,
    "x.py:1: " * 200_000,
    'File "x", line ' * 100_000,
    "File " + "x:1" * 400_000,
    "\x1b[" * 300_000,
    "\x1b]" * 300_000,
    "[1;" * 300_000,
    "[rank0]: " * 200_000,
    "(" * 300_000 + "pid=",
    "> " * 500_000,
    "| " * 500_000,
    "-> " * 300_000 + "-" * 300_000,
    "x.py in (" * 200_000,
    "\n".join(f"[rank{n}]: Traceback (most recent call last):" for n in range(50_000)),
    "\n".join('  File "a.py", line 1' for _ in range(100_000)),
    "\r" * 500_000,
    "\0" * 500_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_whatever_stands_around_is_read_in_little_time(text: str) -> None:
    begun = time.process_time()
    assert ERROR in [f"{one.error}: {one.message}" for one in raised(f"{text}\n\n{ERROR}\n")]
    assert time.process_time() - begun < 5


# ---- files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which one stands, beside a file that is none of it."""
    project = tmp_path / "project"
    (project / "pack").mkdir(parents=True)
    faulty = "import torch\nw = torch.ones(2, requires_grad=True)\n\nw.add_(1)\n"
    for file in (project / "train.py", project / "pack" / "net.py", tmp_path / "outside.py"):
        file.write_text(faulty)
    (project / "link.py").symlink_to(tmp_path / "outside.py")
    monkeypatch.chdir(project)
    return project


@pytest.mark.parametrize(
    ("named", "row", "text", "found"),
    [
        ("train.py", 4, "w.add_(1)", "train.py"),
        ("./train.py", 4, "w.add_(1)", "train.py"),
        ("FOLDER/train.py", 4, "w.add_(1)", "train.py"),
        ("FOLDER/pack/net.py", 4, "w.add_(1)", "pack/net.py"),
        ("/home/me/work/pack/net.py", 4, "w.add_(1)", "pack/net.py"),
        ("~/work/train.py", 4, "", "train.py"),
        (r"C:\work\pack\net.py", 4, "w.add_(1)", "pack/net.py"),
        ("/home/me/work/train.py", 3, "w.add_(1)", None),
        ("train.py", 400, "", None),
        ("train.py", 0, "", None),
        ("../outside.py", 4, "w.add_(1)", None),
        ("FOLDER/../outside.py", 4, "w.add_(1)", None),
        ("OUTSIDE/outside.py", 4, "w.add_(1)", None),
        ("link.py", 4, "w.add_(1)", None),
        ("pack", 1, "", None),
        ("/usr/lib/python3/site-packages/train.py", 4, "w.add_(1)", None),
        ("<stdin>", 1, "", None),
        ("<frozen runpy>", 1, "", None),
        ("", 1, "", None),
        ("/", 1, "", None),
        ("a\0.py", 1, "", None),
        ("a/" * 3_000 + "train.py", 4, "w.add_(1)", "train.py"),
        ("x" * 5_000 + ".py", 4, "", None),
    ],
)
def test_only_files_below_the_current_folder_are_looked_at(
    folder: Path, named: str, row: int, text: str, found: str | None
) -> None:
    named = named.replace("FOLDER", str(folder)).replace("OUTSIDE", str(folder.parent))
    file = explain.own_file(Frame(named, row, text))
    assert (file and os.path.relpath(file, folder)) == found


# ---- the command


def ran(*args: str, stdin: bytes = b"", monkeypatch: pytest.MonkeyPatch) -> int:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        return cli.run(["explain", *args])


def test_the_finding_that_explains_a_traceback_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = prefixed(PLAIN.replace("train.py", "/home/me/train.py"), "[rank0]: ").encode()
    assert ran(stdin=log, monkeypatch=monkeypatch) == cli.CLEAN
    out = capsys.readouterr().out
    assert "--> train.py:4:1" in out and "help: " in out
    assert ran("--output-format", "json", stdin=log, monkeypatch=monkeypatch) == cli.CLEAN
    told = json.loads(capsys.readouterr().out)
    assert (told["error"], told["message"]) == ("RuntimeError", SAID)
    assert [(one["code"], one["location"]["row"]) for one in told["findings"]] == [("GRD301", 4)]
    assert told["rules"][0]["code"] == "GRD301" and told["rules"][0]["summary"] and told["rules"][0]["cure"]


@pytest.mark.parametrize(
    ("args", "stdin", "code", "said"),
    [
        (["-"], ERROR.encode(), cli.CLEAN, ""),
        ([], b"\xff\xfe" + ERROR.encode() + b"\0\xff", cli.CLEAN, ""),
        ([], b"", cli.FOUND, "`gradlint .`"),
        ([], b"RuntimeError: CUDA out of memory.\n", cli.FOUND, "`gradlint .`"),
        (["--output-format", "json"], b"hello\n", cli.FOUND, "`gradlint .`"),
        (["absent.txt"], b"", cli.WRONG, "absent.txt"),
        (["pack"], b"", cli.WRONG, "it is a folder"),
        (["--output-format", "xml"], b"", cli.WRONG, "json"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_exit_codes(
    args: list[str], stdin: bytes, code: int, said: str,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert ran(*args, stdin=stdin, monkeypatch=monkeypatch) == code
    assert said in capsys.readouterr().err


def test_a_file_of_a_traceback_is_not_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "train.py").write_text(
        "import torch\nopen('ran', 'w')\nw = torch.ones(2, requires_grad=True)\nw.add_(1)\n"
    )
    assert ran(stdin=PLAIN.encode(), monkeypatch=monkeypatch) == cli.CLEAN
    assert "GRD301" in capsys.readouterr().out
    assert not (folder / "ran").exists()


def test_the_last_error_that_a_rule_tells_of_counts(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"RuntimeError: grad can be implicitly created only for scalar outputs\n{CHAIN}\nKeyError: 'loss'\n"
    assert ran("--output-format", "json", stdin=text.encode(), monkeypatch=monkeypatch) == cli.CLEAN
    assert json.loads(capsys.readouterr().out)["message"] == SAID


def test_of_a_long_log_the_end_is_read(tmp_path: Path) -> None:
    data = bytes(range(256)) * 100
    assert reading.last_of(io.BytesIO(data).read, 1_000, 77) == data[-1_000:]
    assert reading.last_of(io.BytesIO(b"short").read, 1_000) == b"short"
    (tmp_path / "log.txt").write_bytes(data)
    assert reading.read_end(str(tmp_path / "log.txt"), 1_000) == data[-1_000:]
    assert reading.read_end(str(tmp_path / "log.txt"), 10**9) == data


def test_what_an_error_says_reaches_no_terminal_as_a_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"\x1b[2J::error::x\n##[group]{ERROR} \x9b2J \x1b]0;title\x07 ##[add]\n"
    assert ran(stdin=text.encode(), monkeypatch=monkeypatch) == cli.CLEAN
    out = capsys.readouterr().out
    assert not any(sign in out for sign in ("\x1b", "\x9b", "\x07", "##[")) and SAID in out


def test_a_name_with_its_module_is_the_same_error() -> None:
    assert Raised("torch._dynamo.exc.Unsupported", "").name == "Unsupported"
