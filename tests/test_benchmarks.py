"""The benchmarks run on the samples and report what they should."""

import json
import os
import re
import shutil
import subprocess
import sys
from itertools import islice
from pathlib import Path
from statistics import stdev

import pytest

from benchmarks import ROOT, accuracy, cases, compare, lengths, memory, reasons, scaling, sets
from benchmarks.synthetic import make_pair
from benchmarks.tables import replace_between
from ists_asp.errors import DataError, UsageError
from ists_asp.learn import Weight


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--sets images --limit 3", "5 parts of 3 gold pairs"),
        ("--write --limit 3", "five folds"),
        ("--data /nowhere", "--data DIR"),
    ],
)
def test_usage_errors(data, capsys, options, message):
    assert accuracy.main(["--data", str(data), *options.split()]) == 2
    assert message in capsys.readouterr().err


def test_what_is_no_commit_is_told(capsys):
    assert compare.main(["no-such-commit"]) == 1
    assert "there is no commit and no checkout 'no-such-commit'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        *("no marks", "<!-- x -->\n", "<!-- /x -->\n<!-- x -->\n"),
        "<!-- x -->\n<!-- /x -->\n<!-- x -->\n",
        "<!-- x -->\n<!-- /x -->\n<!-- /x -->\n",
    ],
)
def test_a_table_replaces_the_old_one_in_its_place(text):
    page = "a\n<!-- x -->\n{}\n<!-- /x -->\nb\n"
    assert replace_between(page.format("old"), "x", "new\n") == page.format("new")
    with pytest.raises(DataError, match="'x'"):
        replace_between(text, "x", "new\n")


@pytest.mark.parametrize("size", [1, 5, 40])
def test_made_up_pairs_have_the_chunks_or_the_length_asked_for(size):
    pair = make_pair(size, seed=7)
    assert len(pair.sent1.chunks) == len(pair.sent2.chunks) == size
    assert pair == make_pair(size, seed=7)
    assert pair != make_pair(size, seed=8)
    pairs = list(islice(lengths.of_length(36), 20))
    assert {len(one.tokens) for pair in pairs for one in (pair.sent1, pair.sent2)} == {36}


pytestmark = pytest.mark.slow

SAMPLES = ROOT / "data" / "samples"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The samples, laid out as the task's train data."""
    folder = tmp_path_factory.mktemp("data")
    shutil.copytree(SAMPLES, folder / "ists-2016-train")
    return folder


@pytest.fixture(scope="module")
def report(data, tmp_path_factory):
    """Exit code and JSON of a run over two sets."""
    file = tmp_path_factory.mktemp("report") / "figures.json"
    options = ["--data", data, "--sets", "headlines", "images", "--folds", "2", "--json", file]
    code = accuracy.main(list(map(str, options)))
    return code, json.loads(file.read_text("utf-8"))


@pytest.mark.long
def test_accuracy_has_a_case_for_each_set_chunks_and_profile(report):
    code, figures = report
    assert code == 0
    cases = [(case["set"], case["chunks"], case["profile"]) for case in figures["cases"]]
    assert cases == [
        (name, chunks, profile)
        for name in ("headlines", "images")
        for chunks in ("gold", "found")
        for profile in (name, "baseline")
    ]


@pytest.mark.long
def test_accuracy_reports_measures_times_and_soundness(report):
    for case in report[1]["cases"]:
        assert case["pairs"] == 10
        assert set(case["scores"]) == {"Ali", "Type", "Score", "Typ+Sco"}
        assert 0 <= case["scores"]["Typ+Sco"]["f1"] <= case["scores"]["Ali"]["f1"] <= 1
        assert (case["chunking"] is None) == (case["chunks"] == "gold")
        seconds = case["timing"]["seconds"]
        assert {"grounding", "solving"} <= seconds.keys()
        assert min(seconds["grounding"], seconds["solving"]) > 0
        decide = case["timing"]["decide_ms"]
        assert 0 < decide["p50"] <= decide["p95"] <= decide["max"]
        assert (case["faults"], case["lost_tokens"]) == (0, 0)


@pytest.mark.long
def test_accuracy_is_cross_validated_where_weights_are_learned(report):
    for case in report[1]["cases"]:
        learned = case["profile"] != "baseline"
        assert len(case["folds"]) == (2 if learned else 0)
        if learned:
            assert set(case["spread"]) == {"alignment", "type", "score", "type_score"}
            f1s = [fold["Typ+Sco"]["f1"] for fold in case["folds"]]
            assert case["spread"]["type_score"] == pytest.approx(stdev(f1s), abs=1e-3)
            # All pairs scored together, which is nearly the mean.
            assert min(f1s) - 0.01 <= case["scores"]["Typ+Sco"]["f1"] <= max(f1s) + 0.01
            assert 0 <= case["left_out"]["Typ+Sco"]["f1"] <= case["left_out"]["Ali"]["f1"] <= 1
        else:
            assert case["spread"] is None
            assert case["left_out"] is None


def test_no_weight_has_seen_what_it_decides(monkeypatch):
    common, taught = [], []

    def ids(examples):
        return [example.gold.pair.id for example in examples]

    def learn(examples, _senses, _settings):
        common.append(ids(examples))
        return [Weight("nearest", "align", len(common), 1)]

    def rules(examples, _senses, settings):
        taught.append((ids(examples), dict(settings.base)))
        return ""

    def validate(_teacher, weighed, *_arguments, **_options):
        return [ids(test) for _, test in weighed]

    monkeypatch.setattr(cases, "COMMON_WEIGHTS", "weights/headlines")
    for name, stub in (("learn_weights", learn), ("learned_rules", rules), ("validate", validate)):
        monkeypatch.setattr(cases, name, stub)
    two = [sets.read_set(SAMPLES / name, 3) for name in ("headlines", "images")]
    with cases.HoldOut(two, 2) as teaching:
        parts = teaching.cross_validate("headlines", "headlines")
        left_out = teaching.leave_out("headlines")
    news, images = ([f"{data.name} {pair.id}" for pair in data.chunked] for data in two)
    assert parts == [news[:1], news[1:]]
    assert common == [news[1:] + images[1:], news[:1] + images[:1]]
    base = {("nearest", "align"): 1}, {("nearest", "align"): 2}
    assert taught == [(news[1:], base[0]), (news[:1], base[1]), (images, {})]
    assert left_out == [news]


@pytest.mark.long
def test_the_spread_is_in_the_table(data, capsys):
    options = ["--data", str(data), "--sets", "headlines", "--profiles", "own", "--folds", "2"]
    assert accuracy.main(options) == 0
    first = next(line for line in capsys.readouterr().out.splitlines() if "| gold |" in line)
    assert re.search(r"\| 0\.\d{3} \| 0\.\d{3} ± 0\.\d{3} \| \|$", first)


def test_the_tables_are_markdown(data, capsys):
    options = ["--data", str(data), "--sets", "images", "--limit", "1", "--profiles", "baseline"]
    assert accuracy.main(options) == 0
    printed = capsys.readouterr().out
    assert "| images | gold | `baseline` |" in printed
    tables = re.findall(r"(?:^\|.*\n)+", printed, re.MULTILINE)
    assert tables
    for table in tables:
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_data_is_looked_for_beside_the_checkout(monkeypatch, tmp_path):
    monkeypatch.setattr(sets, "_DEFAULT", tmp_path)
    with pytest.raises(UsageError, match="ists-2016-train"):
        sets.find_data(None)
    (tmp_path / "ists-2016-train").mkdir()
    assert sets.find_data(None) == tmp_path / "ists-2016-train"


@pytest.mark.parametrize("kind", scaling.KINDS)
def test_a_long_pair_is_solved_to_its_optimum(kind):
    with scaling.load("headlines") as system:
        growth = scaling.grow(system, kind, 20, pairs=2)
    assert growth.proven == growth.pairs > 0
    assert growth.aligned > 1


def run_python(*arguments):
    """Python in the root of the checkout, without a path to the package."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
def test_memory_does_not_grow_with_the_pairs():
    options = ("--profile", "baseline", "--jobs", "2")
    few, many = (memory.measure(count, options, repeated=True) for count in (1_000, 3_000))
    assert (few.pairs, many.pairs) == (1_000, 3_000)
    assert many.peak - few.peak < 20


@pytest.mark.parametrize(
    "name",
    sorted(
        path.stem for path in (ROOT / "benchmarks").glob("*.py") if "def main" in path.read_text()
    ),
)
def test_a_benchmark_starts_and_has_the_options_that_the_page_names(name):
    module = "benchmarks" if name == "__main__" else f"benchmarks.{name}"
    printed = run_python("-m", module, "--help")
    assert f"python -m {module}" in printed
    page = (ROOT / "docs" / "explanation" / "accuracy.md").read_text("utf-8")
    for options in re.findall(rf"python -m {re.escape(module)}\b(?!\.)([^`\n]*)", page):
        for option in re.findall(r"--[a-z-]+", options):
            assert option in printed


def test_what_is_measured_is_this_checkout():
    printed = run_python("-c", "import benchmarks, ists_asp; print(ists_asp.__file__)")
    assert Path(printed.strip()).is_relative_to(ROOT / "python")


def test_reasons_are_counted_and_told(data, capsys):
    code = reasons.main(["--data", str(data), "--pairs", "3", "--read", "1", "--sets", "headlines"])
    printed = capsys.readouterr().out
    assert code in (0, 1)
    (row,) = re.findall(r"^\| headlines \| (.*) \|$", printed, re.MULTILINE)
    labels, chosen, median, most, share, twice = map(float, row.split(" | "))
    assert labels >= chosen > 0
    assert 1 <= median <= most
    assert (0 < share <= 1, twice) == (True, 0)
    assert " is labelled " in printed
