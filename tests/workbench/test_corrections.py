"""Corrections on disk: a log of actions, what follows from it, and a machine that stops."""

import json

from ists_asp.compare.comparison import read_answered
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
