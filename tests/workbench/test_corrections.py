"""Corrections on disk: a log of actions, what follows from it, and a machine that stops."""

import json

import pytest

from ists_asp.compare.comparison import read_answered
from ists_asp.errors import DataError
from ists_asp.io.wa import given_answer, read_wa
from ists_asp.workbench.corrections import Corrections
from ists_asp.workbench.project import Project


def test_the_log_holds_over_a_restart_and_a_line_that_was_cut_off(tmp_path):
    project = Project(tmp_path / "p", "headlines")
    gold, folder = project.corpus("headlines").gold, project.root / "corrections"

    def mend(name):
        answer = given_answer(gold[name].pair, gold[name].alignments)
        Corrections(project).change("headlines", name, lambda _: answer, f"accept {name}")

    mend("2")
    mend("1")
    whole = (folder / ".log.jsonl").read_bytes()
    (folder / ".log.jsonl").write_bytes(whole + whole[:70])
    (folder / "headlines.wa").write_text("")
    mend("3")
    assert list(Corrections(project).mended("headlines")) == ["2", "1", "3"]
    assert [one.id for one in read_wa(folder / "headlines.wa")] == ["1", "2", "3"]
    assert list(read_answered(folder / "headlines.jsonl")) == ["1", "2", "3"]
    assert Corrections(project).undo("headlines") == ("3", "accept 3")
    assert Corrections(project).undo("headlines") == ("1", "accept 1")
    assert [one.id for one in read_wa(folder / "headlines.wa")] == ["2"]
    assert Corrections(project).undo("headlines") == ("2", "accept 2")
    assert Corrections(project).undo("headlines") is None
    assert Corrections(project).mended("headlines") == {}
    assert json.loads((folder / ".log.jsonl").read_bytes().splitlines()[-1])["action"] == "undo"


def test_a_corpus_may_be_called_log(tmp_path):
    project = Project(tmp_path / "p", "headlines")
    other = project.root / "corpora" / "log"
    (project.root / "corpora" / "images").rename(other)
    corrections = Corrections(project)
    for corpus in ("headlines", "log"):
        (name, gold), *_ = project.corpus(corpus).gold.items()
        answer = given_answer(gold.pair, gold.alignments)
        corrections.change(corpus, name, lambda _, answer=answer: answer, "accept")
    assert [len(corrections.mended(corpus)) for corpus in ("headlines", "log")] == [1, 1]


def test_a_spoilt_line_of_the_log_harms_no_other(tmp_path):
    project = Project(tmp_path / "p", "headlines")
    (name, gold), *_ = project.corpus("headlines").gold.items()
    answer = given_answer(gold.pair, gold.alignments)
    log = project.root / "corrections" / ".log.jsonl"
    log.write_bytes(b'{"corpus":"headlines","action":"x"}\n\xff\n[]\n')
    Corrections(project).change("headlines", name, lambda _: answer, "accept")
    assert list(Corrections(project).mended("headlines")) == [name]


def test_nothing_is_written_through_a_link(tmp_path):
    project = Project(tmp_path / "p", "headlines")
    (name, gold), *_ = project.corpus("headlines").gold.items()
    answer = given_answer(gold.pair, gold.alignments)
    (tmp_path / "victim").write_text("mine")
    (project.root / "corrections" / "headlines.wa").symlink_to(tmp_path / "victim")
    with pytest.raises(DataError, match="this is a link"):
        Corrections(project).change("headlines", name, lambda _: answer, "accept")
    assert (tmp_path / "victim").read_text() == "mine"
