"""A project folder without a server: whose it is, its states, what ``--read-only`` leaves."""

import errno
import os
import resource
import shutil
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from ists_asp.errors import DataError, IstsError, UsageError
from ists_asp.model import Text
from ists_asp.workbench.corrections import Corrections
from ists_asp.workbench.folder import Folder, ReadOnlyError, check_name
from ists_asp.workbench.project import ConflictError, Project, text_digest
from tests.fuzz.folders import attempt, look, serve, snapshot, tried
from tests.sharing import cases, refused


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    folder = tmp_path_factory.mktemp("template") / "good"
    Project(folder, "baseline")
    return folder


@pytest.fixture
def project(template, tmp_path):
    return Project(shutil.copytree(template, tmp_path / "p"))


@pytest.mark.parametrize(
    "number", [*range(10), *(pytest.param(more, marks=pytest.mark.slow) for more in range(10, 40))]
)
def test_nothing_of_a_hostile_folder_is_touched_outside(number, template):
    assert tried(number, look, template) == ""


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
def test_names_that_lead_out_or_cannot_be_shown_are_none(name):
    for odd in (name, "x" * 256):
        with pytest.raises(UsageError):
            check_name(odd)


@pytest.mark.parametrize(
    "name",
    [*("../x.lp", "/x.lp", "a/../x.lp", ".x.lp", "a/.b/x.lp", "x.py", ".lp", "", "x.lp/"), "é.lp"],
)
def test_a_rule_file_has_a_name_that_leads_nowhere_and_is_not_odd(project, name):
    refused(UsageError, "is not a name for a rule file", project.check_rule, name)


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
def test_a_write_that_fails_changes_nothing_and_says_so(failing, project, monkeypatch):
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
        after, kept = (
            {name: (mode, text) for name, (mode, _, text) in some.items() if ".hist" not in name}
            for some in (snapshot(project.root), before)
        )
        assert after == kept
        log = str(project.root / ".history" / "log.jsonl")
        assert snapshot(project.root)[log][2] == before[log][2]
        nth += 1
    assert nth > 2
    assert not list(project.root.rglob("*.part"))


def test_a_state_is_on_disk_when_it_counts_and_a_cut_line_costs_one_record(project):
    log = project.root / ".history" / "log.jsonl"
    log.write_bytes(log.read_bytes() + b'{"when": 1, "ed')
    for name in ("a.lp", "b.lp"):
        project.save(name, "", None, name)
    again = Project(project.root)
    assert [state.edit for state in again.states] == ["the beginning", "a.lp", "b.lp"]
    assert Project(project.root).states == again.states


def test_a_folder_without_room_stays_new(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, limits[1]))
    try:
        refused(DataError, "cannot be written", Project, tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list(tmp_path.iterdir())
    assert Project(tmp_path).corpora() == ["headlines", "images"]


def test_a_folder_of_corpora_becomes_a_project(tmp_path):
    corpora = tmp_path / "corpora"
    corpora.mkdir()
    for name in ("A B.CSV", "~$lock.xlsx", ".DS_Store", "notes.md"):
        (corpora / name).write_text("sentence1,sentence2\na dog,a cat\n")
    project = Project(tmp_path)
    assert (project.corpora(), project.corpus("A B.CSV").pairs[0].id) == (["A B.CSV"], "2")
    (corpora / "notes.txt").write_text("no corpus", "utf-8")
    assert project.corpora() == ["A B.CSV", "notes.txt"]
    refused(DataError, r"notes\.txt:1: 1 column; expected two columns", project.corpus, "notes.txt")


def test_a_text_of_the_history_that_was_changed_is_none(project):
    digest = project.state.files["words.tsv"]
    (project.root / ".history" / digest).write_text("x = y\n")
    refused(DataError, "not the text that was saved", project.text_of, digest)
    # Who begins again has it again.
    assert "Words of your own" in Project(project.root).text_of(digest)


def test_read_only_writes_nothing_and_makes_no_project(project, tmp_path, monkeypatch):
    refused(UsageError, "this is not a project", Project, tmp_path / "new", read_only=True)
    assert list(tmp_path.iterdir()) == [project.root]
    shutil.rmtree(project.root / ".history")
    before, real = snapshot(tmp_path), os.open

    def reading(path, flags, *arguments, **named):
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, flags, *arguments, **named)

    monkeypatch.setattr(os, "open", reading)
    guest = Project(project.root, read_only=True)
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
    refused(DataError, "more than 20 files", Folder(tmp_path.parent).files, tmp_path.name)


def test_tables_are_corpora_and_their_cells_are_text(project):
    corpora = project.root / "corpora"
    (corpora / "t.csv").write_text("id,sentence1,sentence2\nx,A dog.,A cat.\n", "utf-8")
    assert project.corpora() == ["headlines", "images", "t.csv"]
    (pair,) = project.corpus("t.csv").pairs
    assert (pair.id, type(pair.sent1), pair.sent2.text) == ("x", Text, "A cat.")
    assert len(project.corpus("headlines").gold) == 10


def test_each_save_is_a_state_to_go_back_to(project):
    project.save("a/b.lp", "p(1).\n", None, "one")
    with pytest.raises(ConflictError) as conflict:
        project.save("a/b.lp", "p(2).\n", None, "two")
    assert conflict.value.text == "p(1).\n"
    project.save("a/b.lp", None, text_digest("p(1).\n"), "gone")
    assert [one.edit for one in Project(project.root).states] == ["the beginning", "one", "gone"]
    assert project.go_to(2).digest == project.states[1].digest
    assert project.read_rules("a/b.lp") == "p(1).\n"
    project.save("c.lp", "", None, "three")
    told = [project.step(back=back).edit for back in (True, True, True, False, True, False, False)]
    back = [f"taken back: {edit}" for edit in ("three", "back to state 2", "gone")]
    again = [f"done again: {edit}" for edit in ("gone", "gone", "back to state 2")]
    assert told == [*back, again[0], back[2], *again[1:]]
    assert Project(project.root).step(back=False).edit == "done again: three"
    assert set(project.notice().files) == {"words.tsv", "a/b.lp", "c.lp"}
    refused(UsageError, "there is nothing to redo", project.step, back=False)


@cases(
    "name | data | found",
    ("new.csv", b"sentence1,sentence2\na dog,a cat\n", ""),
    ("new.csv", b"caf\xe9,a", "no UTF-8 .* Save the file as UTF-8, and add it again$"),
    ("new.csv", b"a,b,c,d\n", "4 columns.* Call them sentence1 and sentence2$"),
    ("new.tsv", b"a,b\n", "no tab.* call it FILE.csv$"),
    ("new.txt", b"a dog", "is no table of pairs"),
    ("../new.csv", b"a,b", "is not a name for a file"),
    ("old.csv", b"a,b", "there is a corpus of this name already"),
)
def test_a_corpus_is_added_if_it_can_be_read(project, name, data, found):
    old = project.root / "corpora" / "old.csv"
    old.write_text("sentence1,sentence2\na bird,a fish\n")
    before = {path: path.read_bytes() for path in old.parent.rglob("*.*")}
    with pytest.raises(IstsError, match=found) if found else nullcontext():
        project.add_corpus(name, data)
    after = {path: path.read_bytes() for path in old.parent.rglob("*.*")}
    assert after == before | ({} if found else {old.with_name(name): data})
    if not found:
        with ZipFile(BytesIO(project.archive(name))) as archive:
            assert {one: archive.read(one) for one in archive.namelist()} == {name: data}


@pytest.mark.parametrize("name", ["rules", ".history", "rules/out"])
def test_a_link_to_a_folder_leads_nowhere(project, tmp_path, name):
    outside, link = tmp_path / "outside", project.root / name
    outside.mkdir()
    if link.exists():
        link.rename(tmp_path / "moved")
    link.symlink_to(outside)
    with pytest.raises(DataError, match=rf"{name}: cannot be \w+: this is not a folder"):
        Project(project.root).save("out/x.lp", "", None, "an edit")
    assert not list(outside.iterdir())


def test_a_spoilt_history_leads_nowhere(project):
    (project.root.parent / "secret.txt").write_text("a = b\n")
    lines = ['{"when":1,"edit":"a","files":[1]}', "\xff", '{"when":1,"edit":"x","files":"abc"}']
    lines.append('{"when":1,"edit":"x","files":{"x.tsv":"../../secret.txt"}}')
    (project.root / ".history" / "log.jsonl").write_text("\n".join(lines) + "\n", "latin-1")
    told = []
    again = Project(project.root, warn=told.append)
    assert [state.edit for state in again.states] == ["the beginning"]
    places = [line.partition(": ")[0] for line in told]
    assert places == [f".history/log.jsonl:{number}" for number in (1, 2, 3, 4)]


def test_what_is_no_text_or_no_file_is_refused_in_a_line(project):
    for name, text in (("words.tsv/x.lp", ""), ("half.lp", "\ud800"), ("a.tsv", "a\0 = b\n")):
        with pytest.raises((DataError, UsageError)):
            project.save(name, text, None, "an edit")
    with pytest.raises(DataError, match="at most 64 MB"):
        project.folder.commit({"new": "", "feedback.jsonl": " " * (65 << 20)})
    with pytest.raises(DataError, match="more than 10000 files"):
        project.folder.commit({"new": "", **{f"rules/{n}.lp": "" for n in range(10_000)}})
    assert not project.folder.stamps("new", "feedback.jsonl")
    for number in (1, 2):
        os.truncate(project.root / "corpora" / "images" / f"sent{number}.chunk.txt", 33 << 20)
    refused(DataError, "66 MB; expected at most 64 MB", project.archive, "images")
    state = project.save("windows.lp", "% a\r\n", None, "an edit")
    assert project.save("windows.lp", "% b\n", state.files["windows.lp"], "again").number > 1
