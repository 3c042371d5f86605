"""Python callers: what they give is checked, frames come back with columns of ours."""

import json
import math
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from shutil import copytree

import pytest
from jsonschema import Draft202012Validator

import ists_asp
from ists_asp import load, solve_frame
from ists_asp.engine import Setup, System
from ists_asp.errors import DataError, ResourceError, RuleError, UsageError
from ists_asp.explain import Explanation
from ists_asp.io.formats import PAIRS
from ists_asp.io.store import FILE
from ists_asp.model import Pair
from ists_asp.pipeline.source import Source
from ists_asp.resources import cache_dir
from tests.sharing import load_shared, python, refused, shared_system
from tests.tours import ROOT

PAIR = ("12 killed in bus accident", "10 killed in road accident")
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


def test_limits_are_numbers_in_range():
    limits = [("models", value, "how many answers, from 1") for value in (0, 1.5)]
    limits += [("time_limit", one, "seconds, more than 0") for one in ("a", None, -1, math.nan)]
    for name, value, expected in limits:
        with pytest.raises(UsageError, match=f"^{name}={value!r}; expected {expected}"):
            load("baseline", **{name: value})


@pytest.mark.slow
def test_paths_and_constants_may_be_text_and_numbers(tmp_path):
    rules = tmp_path / "mine.lp"
    rules.write_text("#const links = 1.\n")
    with load("baseline", rules=str(rules), constants={"links": 3}, cache=str(tmp_path)) as system:
        assert repr(system) == f"System('baseline', rules=['{rules}'])"
        assert {*dir(system)} > {"solve", "solve_many", "rate", "judge", "close"}
        assert not [name for name in dir(system) if name.startswith("_")]
        assert all(hasattr(ists_asp.System, name) for name in dir(system))
        answer = system.solve("a cat", "a dog")
        assert answer.alignments
        refused(UsageError, "templates=3; expected what", system.explain, answer, templates=3)
    assert (tmp_path / FILE).exists()


def test_paths_of_a_setup_may_be_text(tmp_path):
    file = tmp_path / "mine.lp"
    given = {"rules": str(file), "cache": str(tmp_path), "reader": False, "constants": {"x": 1}}
    text = Setup(**given, vectors="a", answers="b.wa", templates="c")
    paths = Setup("default", (file,), {"x": "1"}, "none", None, Path("a"), tmp_path)
    assert text == replace(paths, answers=Path("b.wa"), templates=Path("c"))


def schema(name):
    text = (ROOT / "data" / "schema" / f"{name}.schema.json").read_text("utf-8")
    Draft202012Validator.check_schema(json.loads(text))
    return Draft202012Validator(json.loads(text))


@pytest.fixture(scope="module")
def answer():
    return shared_system("headlines").solve(*PAIR)


@pytest.fixture(scope="module")
def trace(answer):
    return answer.trace()


def test_the_names_that_are_public_can_be_imported():
    found = {name: getattr(ists_asp, name) for name in ists_asp.__all__}
    assert set(found) <= set(dir(ists_asp))
    with pytest.raises(AttributeError, match="no attribute 'solve'"):
        ists_asp.solve  # noqa: B018


def test_answers_are_rated_where_the_profile_has_rules_for_that(answer):
    system = shared_system("headlines")
    assert answer.rating == system.rate(answer)
    assert sum(one.thousandths for one in answer.rating.contributions) == answer.rating.thousandths
    (bare,) = system.solve_many([PAIR], rated=False)
    assert (bare.rating, bare.alignments) == (None, answer.alignments)
    assert shared_system("baseline").solve(*PAIR).rating is None


def test_ids_are_kept():
    given = [("x", *PAIR), PAIR, (7, *PAIR), shared_system("baseline").solve(*PAIR).pair]
    found = list(shared_system("baseline").solve_many(given))
    assert [one.pair.id for one in found] == ["x", "2", "7", "1"]
    assert len({one.alignments for one in found}) == 1
    for odd in ("a b", ("a",), ("x", "a", "b", "c"), 3):
        with pytest.raises(UsageError, match=r"^pair 1: .* is not a pair; expected .* an id and"):
            next(shared_system("baseline").solve_many([odd]))


def test_what_shows_itself_takes_one_line(answer, trace):
    system = shared_system("headlines")
    long = system.solve("a \x1b[31m " + "cat" * 60, "b\u2028 " + "dog" * 60)
    for one in (answer, long, answer.rating, system.explain(answer), trace):
        assert len(repr(one)) < 200
        assert repr(one).isprintable()
    assert repr(answer.pair.sent1) == f"<Sentence '{PAIR[0]}'>"
    assert repr(answer) == (
        "<SolvedAnswer '1': '12 killed in bus accident' / '10 killed in road accident', 3 lines, "
        f"rated {answer.rating.value:.3f}>"
    )


@pytest.mark.slow
def test_text_is_what_the_commands_print(answer, trace, good):
    system = shared_system("headlines")
    options = ("--profile", "headlines", *PAIR)
    assert f"{answer}\n" == good("solve", "--format", "text", *options)
    assert f"{system.explain(answer)}\n" == good("explain", *options)
    assert f"{trace}\n" == good("trace", *options)
    asked = ((answer.why, "why", "1 <==> 1"), (answer.why_not, "why-not", "1 <==> 1 // EQUI"))
    for ask, command, decision in asked:
        found = ask(decision)
        assert f"{found}\n" == good(command, *options, decision)
        assert "\n" not in repr(found)
    value, *parts = str(answer.rating).splitlines()
    assert f"{value}\n" == good("sts", *options)
    assert round(sum(float(part.split()[0]) for part in parts), 3) == float(value)


def test_an_answer_is_the_line_that_solve_writes_and_comes_back_from_it(answer, good):
    record = json.loads(json.dumps(answer.to_dict()))
    schema("answer").validate(record)
    assert record == json.loads(good("solve", "--profile", "headlines", "--json", "-q", *PAIR))
    again = ists_asp.SolvedAnswer.from_dict(record)
    assert again.to_dict() == record
    for name in ("alignments", "rating", "made_by", "knowledge"):
        assert getattr(again, name) == getattr(answer, name)
    system = shared_system("headlines")
    assert system.rate(again) == answer.rating
    assert system.explain(again).text == system.explain(answer).text
    refused(UsageError, "cannot be traced", again.why, "1 <==> 1")


@pytest.mark.slow
def test_answers_of_all_kinds_keep_to_the_schema(good):
    validator = schema("answer")
    for profile, *pair in (
        ("baseline", "A cat sits, doesn't it?", "dogs (two)"),
        ("pilot-2015-headlines", "12 killed in bus accident in Pakistan", "10 killed"),
        ("es", "Un perro corre", "Un gato no duerme"),
    ):
        with load_shared(profile, models=2) as system:
            for found in system.solve_all([pair]):
                for rank, one in enumerate(found, 1):
                    record = one.to_dict()
                    validator.validate(record)
                    assert record["rank"] == rank
                    assert ists_asp.SolvedAnswer.from_dict(record).to_dict() == record


def test_what_is_no_answer_or_asks_of_nothing_is_refused(answer):
    for change in (
        *({"alignments": [{"tokens1": [1]}]}, {"alignments": 3}, {"tokens1": ["12"]}),
        *({"chunks1": [1]}, {"rating": {"contributions": []}}, {"system": {"version": "1"}}),
        {"error": "too long", "alignments": None},
    ):
        with pytest.raises(DataError):
            ists_asp.SolvedAnswer.from_dict(answer.to_dict() | change)
    with pytest.raises(UsageError, match="None is not an answer"):
        next(shared_system("headlines").with_facts([None]))
    refused(UsageError, "expected words of it", answer.why)


def test_a_record_is_judged_by_the_scheme_of_its_profile(answer):
    record = answer.to_dict()
    # An aligned span of two chunks.
    line = {"tokens1": [1, 2], "tokens2": [1], "label": "SIMI", "score": 3, "tags": []}
    record |= {"tokens1": ["a", "b"], "tokens2": ["c"], "chunks1": [[1, 1], [2, 2]]}
    record |= {"chunks2": [[1, 1]], "alignments": [line], "boundaries1": [], "boundaries2": []}
    record["system"] |= {"profile": "headlines"}
    assert ists_asp.SolvedAnswer.from_dict(record).chunks1
    record["system"] |= {"profile": "pilot-2015-headlines"}
    refused(DataError, "several chunks", ists_asp.SolvedAnswer.from_dict, record)


@pytest.mark.slow
def test_explanations_and_traces_keep_to_their_schemas(answer, trace):
    explanation = shared_system("headlines").explain(answer)
    record = json.loads(json.dumps(explanation.to_dict()))
    schema("explanation").validate(record)
    again = Explanation.from_dict(record, answer)
    assert (again.to_dict(), str(again)) == (record, explanation.text)
    other = shared_system("headlines").solve("a cat", "a dog")
    for odd, about in ((record, other), ({}, answer), ({"text": "", "statements": [1]}, answer)):
        with pytest.raises(DataError, match=r"not an explanation .*; expected .* pair 1"):
            Explanation.from_dict(odd, about)
    record = json.loads(json.dumps(trace.to_dict()))
    schema("trace").validate(record)
    assert any(one["runner_up"] for one in record["decisions"])
    assert not any(one["runner_up"] for one in trace.to_dict(compare=False)["decisions"])


def test_answers_are_kept_where_the_command_line_keeps_them(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "ists-asp"
    assert cache_dir(True) == folder
    with load("baseline") as system:
        assert system.setup.cache == folder
        system.solve("a cat", "a dog")
    assert (folder / FILE).exists()
    assert [cache_dir(given) for given in (None, False, "none")] == [None] * 3
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert cache_dir(True) is None
    assert cache_dir(tmp_path) == tmp_path


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
        refused(UsageError, words, solve_frame, odd, "a", "b", system, jobs=jobs)
    rules = tmp_path / "rules"
    copytree(ROOT / "lp_rules", rules)
    profile = rules / "profiles" / "baseline.toml"
    profile.write_text(profile.read_text().partition("[explanation]")[0])
    with pytest.raises(RuleError, match="explanation"):
        solve_frame(frame, "a", "b", System(Setup("baseline", (rules,))), explain=True)
    monkeypatch.setitem(sys.modules, "narwhals", None)
    refused(ResourceError, r"narwhals.*ists-asp\[frames\]", solve_frame, frame, "a", "b", system)


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
