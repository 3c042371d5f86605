"""What lies in a project folder: whose it is, what is written, and what ``--read-only`` leaves."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from ists_asp.errors import DataError, UsageError
from ists_asp.workbench.corrections import Corrections
from ists_asp.workbench.folder import Folder, ReadOnlyError, check_name
from ists_asp.workbench.project import Project
from tests.fuzz.folders import attempt, look, serve, snapshot, tried


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    folder = tmp_path_factory.mktemp("template") / "good"
    Project(folder, "baseline")
    return folder


@pytest.mark.parametrize("number", range(40))
def test_nothing_of_a_hostile_folder_is_touched_outside(number, template):
    assert tried(number, look, template) == ""


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("number", range(1000, 1006))
def test_a_server_on_a_hostile_folder_starts_or_says_why_not(number, template):
    assert tried(number, serve, template) == ""


def test_the_harness_sees_what_is_touched(template):
    def careless(project):
        (project.parent / "outside" / "mine.txt").write_text("yours")
        return []

    assert "outside" in tried(0, careless, template)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/../b", "/a", "a//b", "a/", ".a", "a/.b", "a\nb", "\u202e", "\udcff"]
)
def test_names_that_lead_out_or_cannot_be_shown_are_none(name, tmp_path):
    with pytest.raises(UsageError):
        check_name(name)
    with pytest.raises(UsageError):
        check_name("x" * 256)


def test_no_file_is_read_or_written_above_a_folder(tmp_path):
    (tmp_path / "mine").write_text("mine")
    folder = Folder(tmp_path / "p")
    (tmp_path / "p").mkdir()
    for name in ("../mine", "a/../../mine", "/etc/passwd"):
        for work in (folder.read, lambda name: folder.commit({name: "yours"})):
            with pytest.raises(DataError):
                work(name)
    assert {path.name for path in tmp_path.rglob("*")} == {"mine", "p"}


@pytest.mark.parametrize("failing", ["fsync", "replace", "open"])
def test_a_write_that_fails_changes_nothing_and_says_so(failing, template, tmp_path, monkeypatch):
    project = Project(tmp_path / "p", "baseline")
    project.save("a.lp", "% one\n", None, "one")
    before, states = snapshot(project.root), project.states
    real, calls = getattr(os, failing), []

    def full(*arguments, **named):
        if failing == "open" and not arguments[1] & os.O_CREAT:
            return real(*arguments, **named)
        calls.append(arguments)
        # What is renamed back may be renamed: that takes no room.
        if len(calls) == nth or (len(calls) > nth and failing != "replace"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*arguments, **named)

    done = project.state.files["a.lp"]
    nth, faults = 1, []
    while True:
        with monkeypatch.context() as patch:
            patch.setattr(os, failing, full)
            calls.clear()
            found = attempt(faults, project.save, "a.lp", "% two\n", done, "two")
        assert faults == []
        if found is not None:
            break
        assert project.states == states
        after = {
            name: known for name, known in snapshot(project.root).items() if ".hist" not in name
        }
        kept = {name: known for name, known in before.items() if ".hist" not in name}
        assert {name: (mode, text) for name, (mode, _, text) in after.items()} == {
            name: (mode, text) for name, (mode, _, text) in kept.items()
        }
        log = str(project.root / ".history" / "log.jsonl")
        assert snapshot(project.root)[log][2] == before[log][2]
        nth += 1
    assert nth > 2
    assert not list(project.root.rglob("*.part"))


def test_a_state_is_on_disk_when_it_counts_and_a_cut_line_costs_one_record(tmp_path):
    project = Project(tmp_path / "p", "baseline")
    log = project.root / ".history" / "log.jsonl"
    log.write_bytes(log.read_bytes() + b'{"when": 1, "ed')
    for name in ("a.lp", "b.lp"):
        project.save(name, "", None, name)
    again = Project(project.root)
    assert [state.edit for state in again.states] == ["the beginning", "a.lp", "b.lp"]
    assert Project(project.root).states == again.states


def test_a_text_of_the_history_that_was_changed_is_none(tmp_path):
    project = Project(tmp_path / "p", "baseline")
    digest = project.state.files["words.tsv"]
    (project.root / ".history" / digest).write_text("x = y\n")
    with pytest.raises(DataError, match="not the text that was saved"):
        project.text_of(digest)
    # Who begins again has it again.
    assert "Words of your own" in Project(project.root).text_of(digest)


def test_read_only_writes_nothing_and_makes_no_project(template, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="this is not a project"):
        Project(tmp_path / "new", read_only=True)
    assert list(tmp_path.iterdir()) == []
    project = Project(tmp_path / "p", "baseline")
    shutil.rmtree(project.root / ".history")
    before, real = snapshot(tmp_path), os.open

    def reading(path, flags, *arguments, **named):
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, flags, *arguments, **named)

    monkeypatch.setattr(os, "open", reading)
    guest = Project(tmp_path / "p", read_only=True)
    guest.lock()
    assert guest.text_of(guest.state.files["words.tsv"]).startswith("# Words of your own")
    assert Corrections(guest).mended("images") == ({}, {})
    assert len(guest.corpus("images").gold) == 10
    for change in (
        lambda: guest.save("x.lp", "", None, "x"),
        lambda: guest.put({"words.tsv": None}, "x"),
        lambda: guest.folder.commit({"x": "y"}),
    ):
        with pytest.raises(ReadOnlyError):
            change()
    assert snapshot(tmp_path) == before


def test_a_folder_with_too_many_files_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("ists_asp.workbench.folder.MOST", 20)
    for number in range(30):
        Path(tmp_path, f"{number}.lp").touch()
    with pytest.raises(DataError, match="more than 20 files"):
        Folder(tmp_path.parent).files(tmp_path.name)
