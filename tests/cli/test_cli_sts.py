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


@pytest.mark.slow
def test_ratings_stand_behind_what_was_read_and_are_evaluated_by_id(good, bad, written, tmp_path):
    lines = "".join(f"pair {n}\t{one}\t{two}\n" for n, (one, two) in enumerate([*PAIRS, PAIRS[0]]))
    call = ("sts", "--tsv", written(lines, "pairs.tsv"), "-q")
    plain = good(*call).splitlines()
    table = good(*call, "--format", "tsv")
    rows = [row.split("\t") for row in table.splitlines()]
    assert rows[0] == ["id", "sentence1", "sentence2", "rating", "margin", "error"]
    assert [row[:3] for row in rows[1:]] == [line.split("\t") for line in lines.splitlines()]
    assert [f"{float(row[3]):.3f}" for row in rows[1:]] == plain
    good(*call, "-o", "ratings.tsv")
    assert (tmp_path / "ratings.tsv").read_text() == table
    written("1\n2\n3\n0\n", "gold.txt")
    written("points;id\n0;pair 3\n3;pair 2\n2;pair 1\n1;pair 0\n", "gold.csv")
    written("".join(f"{one}\n" for one in plain), "plain.txt")
    first, second, third = (
        json.loads(good("evaluate", "--task", "sts", *run.split(), "--json"))["mean"]
        for run in (
            *("gold.txt plain.txt", "gold.txt ratings.tsv"),
            "gold.csv ratings.tsv --gold-col points",
        )
    )
    assert first == second == third
    written("score;id\n0;pair 3\n3;pair 2\n2;pair 1\n1;pair 9\n", "gold.csv")
    message = bad(1, "evaluate", "--task", "sts", "gold.csv", "ratings.tsv")
    assert "1 of the pairs of gold.csv are not in it, such as 'pair 9'" in message


@pytest.mark.slow
def test_contributions_sum_to_the_rating_which_solve_and_traces_have_as_well(
    good, written, tmp_path
):
    tsv = written("".join(f"{one}\t{two}\n" for one, two in PAIRS), "pairs.tsv")
    plain = good("sts", "--tsv", tsv, "-q").splitlines()
    answer = json.loads(good("solve", "--profile", "sts-en", *PAIRS[0], "--format", "jsonl"))
    assert f"{answer['rating']['value']:.3f}" == plain[0]
    close, same, apart = map(float, plain)
    assert 0 <= apart < 1 < 1.5 < close < 4.5 < same == 5
    good("sts", "--tsv", tsv, "-q", "-o", "out.jsonl", "--trace", "traces.jsonl")
    records, traces = (
        map(json.loads, (tmp_path / name).read_text("utf-8").splitlines())
        for name in ("out.jsonl", "traces.jsonl")
    )
    for text, record, trace in zip(plain, records, traces, strict=True):
        rating = record["rating"]
        assert f"{rating['value']:.3f}" == text
        total = sum(round(1000 * part["value"]) for part in rating["contributions"])
        assert total == round(1000 * rating["value"])
        assert record["alignments"]
        (decision,) = trace["rating"]["decisions"]
        assert decision["text"] == f"the pair is rated {text}"


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
    call = ("evaluate", "--task", "sts", "gold.tsv")
    assert " 1.0000 " in good(*call, "run.txt")
    record = json.loads(good(*call, "run.txt", "--json"))
    assert record["mean"]["correlation"]["pairs"] == 6
    signature = r"sts\|pearson\+spearman\+kendall\|sets:1\|pairs:6\|gold:\w{10}\|answers:\w{10}"
    assert re.fullmatch(rf"{signature}\|version:{__version__}", record["signature"])
    (tmp_path / "crlf.txt").write_bytes(b"0.0\r\n1\r\n2\r\n3\r\n4\r\n5\r\n")
    same = good(*call, "crlf.txt", "--versus", "run.txt")
    assert same.endswith("\n")
    answers, other = re.findall(r"(?:answers|other):(\w+)", same.splitlines()[-1])
    assert answers == other
    assert f"answers:{answers}|" in record["signature"]
