"""Names that mean the same file."""

import os
from pathlib import Path

import pytest

from ists_asp.errors import UsageError
from ists_asp.io.files import Use, refuse_clashes


def use(name):
    return Use(f"--x {name}", name if isinstance(name, int) else Path(name))


def test_devices_and_pipes_are_read_and_written_at_a_time(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reading, writing = os.pipe()
    try:
        for name in ("/dev/null", "/dev/full", tmp_path / "pipe", reading, writing):
            refuse_clashes([use(name)], [use(name)])
            refuse_clashes([], [use(name), use(name)])
    finally:
        os.close(reading)
        os.close(writing)


def test_new_files_are_the_same_if_folder_and_name_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("link").symlink_to("folder")
    Path("dangling").symlink_to("folder/new")
    for one, other in [("new", "./new"), ("folder/new", "link/new"), ("dangling", "folder/new")]:
        with pytest.raises(UsageError, match="writes the same file"):
            refuse_clashes([], [use(one), use(other)])
    with pytest.raises(UsageError, match="--x folder/x/y writes the same file"):
        refuse_clashes([], [use("folder/x/y"), use("link/x/y")])
    refuse_clashes([], [use("new"), use("folder/new"), use("folder/newer")])


def test_what_no_clash_is(tmp_path):
    """Names that no file can have are left to whoever opens them; a copy is another file."""
    for name in (tmp_path / ("x" * 300), tmp_path / "a\0b", 12345):
        refuse_clashes([use(name)], [use(name)])
    for name in ("a", "b"):
        (tmp_path / name).write_text("same")
    refuse_clashes([use(tmp_path / "a")], [use(tmp_path / "b")])

    def reads():
        raise AssertionError
        yield

    # Nothing is looked for where nothing is written.
    refuse_clashes(reads(), [use("/dev/null")])
