"""Files: written whole or not at all, under safe names, for their owner."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ists_asp.errors import DataError, UsageError
from ists_asp.io.files import Use, atomic_writer, check_there, refuse_clashes
from ists_asp.io.store import FILE, Store


def write(path, text):
    with atomic_writer(path) as stream:
        stream.write(text)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_new_file_gets_the_mode_of_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        write(tmp_path / "x", "é\n")
    finally:
        os.umask(old)
    assert (tmp_path / "x").read_bytes() == "é\n".encode()
    assert mode(tmp_path / "x") == 0o640


def test_an_error_keeps_the_old_file_and_leaves_nothing_behind(tmp_path):
    path, link = tmp_path / "x", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    with pytest.raises(TypeError), atomic_writer(path) as stream:
        stream.writelines(["new", None])
    assert path.read_text() == "old"
    assert set(tmp_path.iterdir()) == {path, link}
    # A link keeps pointing at its target.
    write(link, "new")
    assert (link.is_symlink(), path.read_text(), mode(path)) == (True, "new", 0o600)


def test_devices_and_pipes_are_written_directly(tmp_path):
    write(Path("/dev/null"), "x")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    for text in ("x" * 100_000, "x"):
        with pytest.raises(DataError, match="No space left"):
            write(Path("/dev/full"), text)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    got = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_text()))
    reader.start()
    write(fifo, "through")
    reader.join(10)
    assert (got, fifo.is_fifo()) == (["through"], True)


@pytest.mark.parametrize("name", ["no/such/x", ".", "x" * 5000, "a/x"])
def test_a_place_that_cannot_be_written(tmp_path, name):
    (tmp_path / "a").write_text("a file, no directory")
    with pytest.raises(DataError, match="cannot be written"):
        write(tmp_path / name, "x")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["out.wa", "x" * 255, "日" * 85, ".hidden"])
def test_drafts_are_hidden_and_those_of_the_dead_go(tmp_path, name):
    target, other = tmp_path / name, tmp_path / f"{name[:-1]}y"
    for path in (target, target, other):
        child = os.fork()
        if child == 0:
            with atomic_writer(path) as stream:
                stream.write("half")
                os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
    # That of the second killed the first's.
    dead = {path.name for path in tmp_path.iterdir()}
    assert [name[:10] + name[-5:] for name in dead] == [".ists-asp-.part"] * 2
    mine = tmp_path / f".ists-asp-{name[:20]}.mine.part"
    mine.write_text("")
    with atomic_writer(target):
        living = {path.name for path in tmp_path.iterdir()} - dead - {mine.name}
        write(target, "new")
        assert living < {path.name for path in tmp_path.iterdir()}
    assert len(list(tmp_path.iterdir())) == 3
    assert mine.exists()


def test_a_folder_that_vanishes_is_noticed(tmp_path):
    target = tmp_path / "gone" / "out"
    target.parent.mkdir()

    def go_on():
        with atomic_writer(target) as out:
            check_there(out, target)
            shutil.rmtree(target.parent)
            check_there(out, target)

    with pytest.raises(DataError, match="gone/out: cannot be written: its folder is gone"):
        go_on()


def use(name):
    return Use(f"--x {name}", name if isinstance(name, int) else Path(name))


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


def test_devices_pipes_copies_and_names_that_no_file_can_have_clash_with_nothing(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    ends = os.pipe()
    for name in ("/dev/null", "/dev/full", tmp_path / "pipe", *ends):
        refuse_clashes([use(name)], [use(name)])
        refuse_clashes([], [use(name), use(name)])
    for end in ends:
        os.close(end)
    for name in (tmp_path / ("x" * 300), tmp_path / "a\0b", 12345):
        refuse_clashes([use(name)], [use(name)])
    for name in ("a", "b"):
        (tmp_path / name).write_text("same")
    refuse_clashes([use(tmp_path / "a")], [use(tmp_path / "b")])
    # Nothing is looked for where nothing is written.
    refuse_clashes((pytest.fail(name) for name in "a"), [use("/dev/null")])


def test_the_cache_is_private_and_becomes_so_again(tmp_path):
    folder = tmp_path / "cache"
    for _ in range(2):
        with Store(folder) as store:
            store.put_many([(b"key", [1])])
            assert mode(folder) == 0o700
            assert {mode(path) for path in folder.iterdir()} == {0o600}
            assert len(list(folder.iterdir())) == 4
        (folder / FILE).chmod(0o644)


@pytest.mark.slow
def test_no_library_keeps_or_sends_anything_of_its_own(tmp_path):
    code = "import ists_asp; ists_asp.load(cache=None).solve('a dog', 'a cat')"
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=env, check=True, timeout=300)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
