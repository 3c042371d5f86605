"""Frames come back with columns of ours, as tables do from the command line."""

import json
import math
import sys
from datetime import date
from shutil import copytree

import pytest

from ists_asp import solve_frame
from ists_asp.engine import Setup, System
from ists_asp.errors import ResourceError, RuleError, UsageError
from ists_asp.io.formats import PAIRS
from ists_asp.model import Pair
from ists_asp.pipeline.source import Source
from tests.sharing import load_shared, python, shared_system
from tests.tours import ROOT

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

ROWS = {
    "one": ["A dog runs.", "12 killed, 3 hurt", None, "word " * 501, "A man\nsings", "", "so it"],
    "two": ["A cat sleeps.", "10 killed", "b", "c", "A man isn't singing", "x", "so\tit is"],
    "rating": list(range(7)),
}
FRAMES = {"pandas": pandas.DataFrame, "polars": polars.DataFrame}
CELLS = [5, date(2026, 1, 2), "x", True, b"x", ["x"], {}, None, math.nan, " ", "\ud800"]
CELLS += ["el perro y la gata no son de ella"]


def records(frame):
    """The rows, with None where there is nothing, whatever a library has there."""
    if isinstance(frame, polars.DataFrame):
        return frame.to_dicts()
    found = frame.to_dict("records")
    return [{name: None if one != one else one for name, one in row.items()} for row in found]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("kind", FRAMES)
def test_columns_are_those_of_the_command(run, tmp_path, kind, jobs):
    polars.DataFrame(ROWS).write_csv(tmp_path / "pairs.csv")
    options = ("--profile", "headlines", "--sent1-col", "one", "--sent2-col", "two")
    done = run("solve", "-q", "--table", "pairs.csv", "-o", "out.csv", "--skip-bad", *options)
    assert done.exit_code == 3, done.stderr
    theirs = polars.read_csv(tmp_path / "out.csv").to_dicts()
    system = shared_system("headlines")
    ours = solve_frame(FRAMES[kind](ROWS), "one", "two", system, jobs=jobs, explain=True)
    assert type(ours) is FRAMES[kind]
    assert list(ours.columns) == list(theirs[0])
    for row, found in zip(records(ours), theirs, strict=True):
        if found["error"] is None:
            assert row == {**found, "one": row["one"], "two": row["two"]}
        else:
            assert row["error"]
            assert row["ists_rating"] is None
    assert [number for number, row in enumerate(records(ours)) if row["error"]] == [2, 3, 5]


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_without_rows_gets_the_columns(kind):
    frame = FRAMES[kind]({"a": [], "b": []})
    solved = solve_frame(frame, "a", "b", shared_system("baseline"))
    assert (len(solved), len(solved.columns)) == (0, 2 + len(PAIRS) - 1)


def test_cells_are_refused_as_in_tables(tmp_path):
    system, told = shared_system("baseline"), []
    frame = pandas.DataFrame({"a": CELLS, "b": ["x"] * len(CELLS)}, dtype=object)
    solved = records(solve_frame(frame, "a", "b", system))
    (tmp_path / "a.jsonl").write_text(
        "".join(json.dumps({"a": cell, "b": "x"}, default=str) + "\n" for cell in CELLS)
    )
    source = Source(
        files={"--table": str(tmp_path / "a.jsonl")},
        columns={"sent1": "a", "sent2": "b"},
        skip_bad=True,
    )
    with source.opened(told.append, profile=system.profile) as table:
        rows = [entry for batch in table.batches() for _, entry in batch]
    # JSON has bytes as text.
    assert [cell for cell, entry in zip(CELLS, rows, strict=True) if isinstance(entry, Pair)] == [
        *CELLS[:3],
        b"x",
    ]
    assert [row["error"] is None for row in solved] == [True] * 3 + [False] * 9
    assert solved[3]["error"] == "row 4: 'a' is not a string; expected a sentence as a string"
    assert str(rows[3]).endswith(solved[3]["error"].partition(": ")[2])
    assert [row["EQUI"] for row in solved[2:4]] == [1, None]


def test_wrong_use_is_told_in_a_line(monkeypatch, tmp_path):
    system, pair = shared_system("baseline"), {"a": ["x"], "b": ["x"]}
    frame = pandas.DataFrame(pair)
    for odd, jobs, words in (
        (["a"], 1, r"list is not a frame; .*collect"),
        (polars.LazyFrame(pair), 1, "LazyFrame is not a frame"),
        (frame[["a"]], 1, "the frame has no column 'b'; expected a"),
        (frame, 0, "jobs=0; expected how many workers"),
    ):
        with pytest.raises(UsageError, match=words):
            solve_frame(odd, "a", "b", system, jobs=jobs)
    rules = tmp_path / "rules"
    copytree(ROOT / "lp_rules", rules)
    profile = rules / "profiles" / "baseline.toml"
    profile.write_text(profile.read_text().partition("[explanation]")[0])
    with pytest.raises(RuleError, match="explanation"):
        solve_frame(frame, "a", "b", System(Setup("baseline", (rules,))), explain=True)
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(ResourceError, match=r"narwhals.*ists-asp\[frames\]"):
        solve_frame(frame, "a", "b", system)


@pytest.mark.slow
def test_what_is_suspicious_about_rules_is_a_warning(tmp_path):
    file = tmp_path / "mine.lp"
    file.write_text("odd(X) :- odd(X), X = 1 + a.\n")
    frame = polars.DataFrame({"a": ["x"], "b": ["x"]})
    with (
        load_shared("baseline", rules=file, lax=True) as system,
        pytest.warns(UserWarning, match="mine.lp:1"),
    ):
        assert solve_frame(frame, "a", "b", system)["EQUI"].to_list() == [1]


@pytest.mark.slow
def test_a_script_needs_no_guard_for_its_workers(tmp_path):
    """Processes that are begun anew import the script that begins them, if it has a name."""
    (tmp_path / "script.py").write_text(
        "import pandas, ists_asp\n"
        "frame = pandas.DataFrame({'a': ['x'] * 150, 'b': ['x'] * 150})\n"
        "solved = ists_asp.solve_frame(frame, 'a', 'b', 'baseline', jobs=2)\n"
        "print(solved['EQUI'].sum())\n"
    )
    environment = {"PYTHONPATH": str(ROOT / "python"), "XDG_CACHE_HOME": str(tmp_path)}
    done = python("script.py", cwd=tmp_path, env=environment)
    assert (done.stdout, done.stderr) == ("150\n", "")
