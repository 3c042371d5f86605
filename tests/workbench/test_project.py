"""A project folder without a server: names, states, corpora, corrections, a machine that stops."""

import json

import pytest

from ists_asp.compare.comparison import read_answered
from ists_asp.errors import DataError, UsageError
from ists_asp.io.wa import given_answer, read_wa
from ists_asp.model import Text
from ists_asp.workbench.corrections import Action, Corrections, act
from ists_asp.workbench.project import ConflictError, Project, text_digest


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "p")


def test_tables_are_corpora_and_their_cells_are_text(project):
    corpora = project.root / "corpora"
    (corpora / "t.csv").write_text("id,sentence1,sentence2\nx,A dog.,A cat.\n", "utf-8")
    (corpora / "notes.txt").write_text("no corpus", "utf-8")
    assert project.corpora() == ["headlines", "images", "t.csv"]
    (pair,) = project.corpus("t.csv").pairs
    assert (pair.id, type(pair.sent1), pair.sent2.text) == ("x", Text, "A cat.")
    assert len(project.corpus("headlines").gold) == 10


@pytest.mark.parametrize(
    "name",
    [*("../x.lp", "/x.lp", "a/../x.lp", ".x.lp", "a/.b/x.lp", "x.py", ".lp", "", "x.lp/"), "é.lp"],
)
def test_no_name_leads_out_or_is_odd(project, name):
    with pytest.raises(UsageError, match="is not a name for a rule file"):
        project.check_rule(name)


def test_a_link_leads_nowhere(project, tmp_path):
    (project.root / "rules" / "out").symlink_to(tmp_path)
    with pytest.raises(DataError, match="rules/out: cannot be read: this is not a folder"):
        project.save("out/x.lp", "", None, "an edit")


def test_each_save_is_a_state_to_go_back_to(project):
    project.save("a/b.lp", "p(1).\n", None, "one")
    with pytest.raises(ConflictError) as conflict:
        project.save("a/b.lp", "p(2).\n", None, "two")
    assert conflict.value.text == "p(1).\n"
    project.save("a/b.lp", None, text_digest("p(1).\n"), "gone")
    assert [one.edit for one in Project(project.root).states] == ["the beginning", "one", "gone"]
    assert project.go_to(2).digest == project.states[1].digest
    assert project.read_rules("a/b.lp") == "p(1).\n"


@pytest.mark.parametrize("name", ["rules", ".history"])
def test_a_folder_of_a_project_is_no_link(tmp_path, name):
    (tmp_path / "outside").mkdir()
    folder = Project(tmp_path / "mine", "baseline").root
    (folder / name).rename(tmp_path / "moved")
    (folder / name).symlink_to(tmp_path / "outside")
    with pytest.raises(DataError, match=rf"{name}: cannot be \w+: this is not a folder"):
        Project(folder)
    assert not list((tmp_path / "outside").iterdir())


def test_a_spoilt_history_leads_nowhere(tmp_path):
    (tmp_path / "secret.txt").write_text("a = b\n")
    folder = Project(tmp_path / "mine", "baseline").root
    lines = ['{"when":1,"edit":"a","files":[1]}', "\xff", '{"when":1,"edit":"x","files":"abc"}']
    lines.append('{"when":1,"edit":"x","files":{"x.tsv":"../../secret.txt"}}')
    (folder / ".history" / "log.jsonl").write_text("\n".join(lines) + "\n", "latin-1")
    told = []
    project = Project(folder, warn=told.append)
    assert [state.edit for state in project.states] == ["the beginning"]
    assert [line.partition(": ")[0] for line in told] == [
        f".history/log.jsonl:{number}" for number in (1, 2, 3, 4)
    ]


def test_what_is_no_text_or_no_file_is_refused_in_a_line(project):
    for name, text in (("words.tsv/x.lp", ""), ("half.lp", "\ud800")):
        with pytest.raises((DataError, UsageError)):
            project.save(name, text, None, "an edit")
    state = project.save("windows.lp", "% a\r\n", None, "an edit")
    assert project.save("windows.lp", "% b\n", state.files["windows.lp"], "again").number > 1


def accept(project, name=None, corpus="headlines"):
    """Accept gold of a pair, the first if none is named, as its answer; the pair."""
    golds = project.corpus(corpus).gold
    name = name or next(iter(golds))
    answer = given_answer(golds[name].pair, golds[name].alignments)
    action = Action(id=name, do="accept")
    Corrections(project).change(corpus, name, lambda _: act(answer, action), f"accept {name}")
    return name


def mended(project, corpus="headlines"):
    return [list(some) for some in Corrections(project).mended(corpus)]


def test_the_log_holds_over_a_restart_and_a_line_that_was_cut_off(project):
    folder = project.root / "corrections"
    accept(project, "2")
    accept(project, "1")
    whole = (folder / ".log.jsonl").read_bytes()
    (folder / ".log.jsonl").write_bytes(whole + whole[:70])
    (folder / "headlines.wa").write_text("")
    accept(project, "3")
    assert mended(project) == [["1", "2", "3"], []]
    assert [one.id for one in read_wa(folder / "headlines.wa")] == ["1", "2", "3"]
    assert list(read_answered(folder / "headlines.jsonl")) == ["1", "2", "3"]
    for name, left in (("3", ["1", "2"]), ("1", ["2"]), ("2", [])):
        assert Corrections(project).undo("headlines") == {"id": name, "action": f"accept {name}"}
        assert [one.id for one in read_wa(folder / "headlines.wa")] == left
    with pytest.raises(UsageError, match="there is nothing to take back"):
        Corrections(project).undo("headlines")
    assert mended(project) == [[], []]
    assert json.loads((folder / ".log.jsonl").read_bytes().splitlines()[-1])["action"] == "undo"


def test_a_corpus_may_be_called_log(project):
    (project.root / "corpora" / "images").rename(project.root / "corpora" / "log")
    for corpus in ("headlines", "log"):
        name = accept(project, corpus=corpus)
        assert mended(project, corpus) == [[name], []]


def test_a_spoilt_line_of_the_log_harms_no_other_and_nothing_is_written_through_a_link(project):
    folder = project.root / "corrections"
    folder.mkdir()
    (folder / ".log.jsonl").write_bytes(b'{"corpus":"headlines","action":"x"}\n\xff\n[]\n')
    name = accept(project)
    assert mended(project) == [[name], []]
    victim = project.root / "victim"
    victim.write_text("mine")
    (folder / "headlines.wa").unlink()
    (folder / "headlines.wa").symlink_to(victim)
    with pytest.raises(DataError, match="this is a link"):
        accept(project)
    assert victim.read_text() == "mine"
