"""Files are changed whole or not at all, and only where they hold what the change was made for."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from gradlint import writing
from gradlint.writing import FileChanged, create_file, replace_file

OLD, NEW = b"\xef\xbb\xbfx = 1\r\n", b"y = 2"


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_bytes(OLD)
    return path


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o664])
def test_a_file_gets_the_new_bytes_and_keeps_its_mode(file, mode):
    file.chmod(mode)
    replace_file(str(file), OLD, NEW)
    assert file.read_bytes() == NEW
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert names(file.parent) == ["a.py"]


@pytest.mark.parametrize("now", [b"", OLD[:-1], OLD + b"#", NEW])
def test_a_file_that_holds_something_else_by_now_is_left_alone(file, now):
    file.write_bytes(now)
    with pytest.raises(FileChanged):
        replace_file(str(file), OLD, NEW)
    assert (file.read_bytes(), names(file.parent)) == (now, ["a.py"])


def test_a_file_that_changes_while_the_new_one_is_written_is_left_alone(file, monkeypatch):
    def changing(handle: int) -> None:
        file.write_bytes(b"mine")

    monkeypatch.setattr(writing.os, "fsync", changing)
    with pytest.raises(FileChanged):
        replace_file(str(file), OLD, NEW)
    assert (file.read_bytes(), names(file.parent)) == (b"mine", ["a.py"])


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["fsync", "chmod", "replace"])
def test_where_a_step_fails_the_file_is_as_it_was_and_nothing_lies_beside_it(file, monkeypatch, step, error):
    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr(writing.os, step, failing)
    with pytest.raises(type(error)):
        replace_file(str(file), OLD, NEW)
    assert (file.read_bytes(), names(file.parent)) == (OLD, ["a.py"])


def test_the_file_that_a_link_leads_to_is_changed(file, tmp_path):
    folder = tmp_path / "links"
    folder.mkdir()
    (folder / "one.py").symlink_to(file)
    (folder / "two.py").symlink_to("one.py")
    replace_file(str(folder / "two.py"), OLD, NEW)
    assert file.read_bytes() == NEW
    assert (folder / "two.py").is_symlink() and (folder / "one.py").is_symlink()
    assert names(folder) == ["one.py", "two.py"]


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to(path), lambda path: None])
def test_what_is_no_regular_file_is_an_error(tmp_path, make):
    path = tmp_path / "a.py"
    make(path)
    before = names(tmp_path)
    with pytest.raises(OSError, match=r"it is a|No such file|Too many levels"):
        replace_file(str(path), b"", NEW)
    assert names(tmp_path) == before


def test_a_file_that_may_not_be_written_is_an_error(file, monkeypatch):
    monkeypatch.setattr(writing.os, "access", lambda path, mode: False)  # to root, all files may be written
    with pytest.raises(PermissionError):
        replace_file(str(file), OLD, NEW)
    assert file.read_bytes() == OLD


def test_a_file_is_made_only_where_there_is_none(file, tmp_path):
    create_file(str(tmp_path / "b.py"), NEW)
    assert (tmp_path / "b.py").read_bytes() == NEW
    with pytest.raises(FileExistsError):
        create_file(str(file), NEW)
    assert file.read_bytes() == OLD
