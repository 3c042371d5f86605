"""Ratings of whole pairs on the command line."""

import json
import re

import pytest

from ists_asp._version import __version__

PAIRS = [
    ("12 killed in bus accident in Pakistan", "10 killed in road accident in NW Pakistan"),
    ("A brown horse in a green field .", "A brown horse in a green field ."),
    ("A brown horse in a green field .", "Shares fell after the bank raised interest rates"),
]


@pytest.fixture
def tsv(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{one}\t{two}\n" for one, two in PAIRS))
    return path


@pytest.mark.slow
def test_ratings_stand_behind_what_was_read_and_are_evaluated_by_id(good, bad, tmp_path):
    lines = "".join(f"pair {n}\t{one}\t{two}\n" for n, (one, two) in enumerate([*PAIRS, PAIRS[0]]))
    (tmp_path / "pairs.tsv").write_text(lines)
    plain = good("sts", "--tsv", "pairs.tsv", "-q").splitlines()
    table = good("sts", "--tsv", "pairs.tsv", "-q", "--format", "tsv")
    rows = [row.split("\t") for row in table.splitlines()]
    assert rows[0] == ["id", "sentence1", "sentence2", "rating", "margin", "error"]
    assert [row[:3] for row in rows[1:]] == [line.split("\t") for line in lines.splitlines()]
    assert [f"{float(row[3]):.3f}" for row in rows[1:]] == plain
    good("sts", "--tsv", "pairs.tsv", "-q", "-o", "ratings.tsv")
    assert (tmp_path / "ratings.tsv").read_text() == table
    (tmp_path / "gold.txt").write_text("1\n2\n3\n0\n")
    (tmp_path / "gold.csv").write_text("points;id\n0;pair 3\n3;pair 2\n2;pair 1\n1;pair 0\n")
    (tmp_path / "plain.txt").write_text("".join(f"{one}\n" for one in plain))
    evaluations = [
        json.loads(good("evaluate", "--task", "sts", *run, "--json"))["mean"]
        for run in (
            ("gold.txt", "plain.txt"),
            ("gold.txt", "ratings.tsv"),
            ("gold.csv", "ratings.tsv", "--gold-col", "points"),
        )
    ]
    assert evaluations[0] == evaluations[1] == evaluations[2]
    (tmp_path / "gold.csv").write_text("score;id\n0;pair 3\n3;pair 2\n2;pair 1\n1;pair 9\n")
    message = bad(1, "evaluate", "--task", "sts", "gold.csv", "ratings.tsv")
    assert "1 of the pairs of gold.csv are not in it, such as 'pair 9'" in message


@pytest.mark.slow
def test_contributions_sum_to_the_rating_which_solve_has_as_well(good, tsv):
    plain = good("sts", "--tsv", tsv, "-q").splitlines()
    answer = json.loads(good("solve", "--profile", "sts-en", *PAIRS[0], "--format", "jsonl"))
    assert f"{answer['rating']['value']:.3f}" == plain[0]
    close, same, apart = map(float, plain)
    assert 0 <= apart < 1 < 1.5 < close < 4.5 < same == 5
    good("sts", "--tsv", tsv, "-q", "-o", "out.jsonl")
    lines = (tsv.parent / "out.jsonl").read_text("utf-8").splitlines()
    for text, record in zip(plain, map(json.loads, lines), strict=True):
        rating = record["rating"]
        assert f"{rating['value']:.3f}" == text
        total = sum(round(1000 * part["value"]) for part in rating["contributions"])
        assert total == round(1000 * rating["value"])
        assert record["alignments"]


@pytest.mark.slow
def test_traces_hold_the_rating(good, tsv):
    good("sts", "--tsv", tsv, "-q", "-o", "out.txt", "--trace", "traces.jsonl")
    ratings = (tsv.parent / "out.txt").read_text().split()
    traces = (tsv.parent / "traces.jsonl").read_text("utf-8").splitlines()
    for rating, trace in zip(ratings, map(json.loads, traces), strict=True):
        (decision,) = trace["rating"]["decisions"]
        assert decision["text"] == f"the pair is rated {rating}"


@pytest.mark.slow
def test_why_a_rating(good):
    text = good("why", "--profile", "sts-en", *PAIRS[0], "rating")
    first, *rest = text.splitlines()
    assert first.startswith("the pair is rated ")
    assert any("-" in line and "numbers_differ" in line for line in rest)
    weights = [line.split(maxsplit=2)[1] for line in rest if line.startswith(("   ├─ ", "   └─ "))]
    assert sum(map(int, weights)) == round(1000 * float(first.split()[4]))


@pytest.mark.slow
def test_a_rule_of_ones_own_counts(good, tmp_path):
    good("rules", "copy", "my")
    with (tmp_path / "my/sts/conflicts.lp").open("a") as file:
        file.write('%@rule bus_against_road: "a bus"\n')
        file.write('speaks_against(bus,500) :- word(1,_,"bus").\n')
    with (tmp_path / "my/weights/reader-sts-en.lp").open("a") as file:
        file.write("weight(bus,rating,400).\n")
    before = float(good("sts", *PAIRS[0]))
    assert float(good("sts", "--rules", "my", *PAIRS[0])) == pytest.approx(before - 0.2)


def test_evaluating_ratings(good, tmp_path):
    gold = "".join(f"{n}\t{one}\t{two}\n" for n, (one, two) in enumerate([*PAIRS, *PAIRS]))
    (tmp_path / "gold.tsv").write_text(gold)
    (tmp_path / "run.txt").write_text("0\n1\n2\n3\n4\n5\n")
    assert " 1.0000 " in good("evaluate", "--task", "sts", "gold.tsv", "run.txt")
    record = json.loads(good("evaluate", "--task", "sts", "gold.tsv", "run.txt", "--json"))
    assert record["mean"]["correlation"]["pairs"] == 6
    assert re.fullmatch(
        rf"sts\|pearson\+spearman\+kendall\|sets:1\|pairs:6\|gold:\w{{10}}\|answers:\w{{10}}\|version:{__version__}",
        record["signature"],
    )
    (tmp_path / "crlf.txt").write_bytes(b"0.0\r\n1\r\n2\r\n3\r\n4\r\n5\r\n")
    same = good("evaluate", "--task", "sts", "gold.tsv", "crlf.txt", "--versus", "run.txt")
    assert same.endswith("\n")
    answers, other = re.findall(r"(?:answers|other):(\w+)", same.splitlines()[-1])
    assert answers == other
    assert f"answers:{answers}|" in record["signature"]
