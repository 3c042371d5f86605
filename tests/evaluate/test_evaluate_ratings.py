"""Pearson's correlation of ratings, means, intervals and significance; the token baseline."""

import gzip
import json
import math
from pathlib import Path

import pytest
from openpyxl import Workbook

from ists_asp.errors import DataError
from ists_asp.evaluate.ratings import (
    correlation,
    evaluate_ratings,
    render_ratings,
    significance,
    tokencos,
    weighted_mean,
)
from ists_asp.io.pairs import ScoredPair, read_sts
from ists_asp.learn.ratings import scaled
from tests.sharing import cases, make_pair, refused

SHARED = Path(__file__).parents[3] / "shared"
EXPECTED = SHARED / "expected" / "sts" / "tokencos.json"
SCORES = ["4.8", "2", "3.5", "1", "-", "-1"]
SICK = "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\n"
GLUE = "index\tgenre\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
PAWS = "id\tsentence1\tsentence2\tlabel\n"
SNLI = '{{"pairID": "{n}", "gold_label": "-", "sentence1": "A {n}", "sentence2": "B", '


def test_the_baseline_keeps_case_and_counts_a_token_once():
    assert tokencos(make_pair("a a b", "b A")) == pytest.approx(1 / 2)
    assert tokencos(make_pair("a b", "b a")) == pytest.approx(1)
    assert tokencos(make_pair("a", "b")) == 0


def test_a_faulty_row_costs_its_pair(tmp_path):
    gold, run, lines = (tmp_path / name for name in ("gold.csv", "run.csv", "run.txt"))
    gold.write_text("id,score\n1,1\n2,x\n3,3\n4,4\n4,9\n5,2\n6,5\n7,0\n")
    run.write_text("id,rating\n1,1\n2,2\n3,oops\n4,4\n5,2\n6,5\n7,0\n")
    lines.write_text("1\n2\nnan\n4\n9\n2\n5\n0\n")
    for answers, wrong in ((run, "run.csv:4"), (lines, "run.txt:3")):
        refused(DataError, r"gold.csv:3[^$]*gold.csv:6", evaluate_ratings, gold, answers)
        told = []
        found = evaluate_ratings(gold, answers, warn=told.append, skip_bad=True)
        assert (found.mean.correlation.pairs, found.mean.correlation.r) == (5, pytest.approx(1))
        places = [line.partition(": ")[0].rpartition("/")[2].partition(",")[0] for line in told]
        assert places == [*("gold.csv:3", "gold.csv:6"), wrong]


@cases(
    "name | head | line | column",
    ("SICK.txt", SICK, "{n}\tA {n}\tB {n}\tNEUTRAL\t{score}", None),
    ("stsb.csv", "", 'main-news\tMSRpar\t2012\t{n}\t{score}\tA "{n}, and\tB {n}.{more}', "5"),
    ("stsb.tsv", GLUE, "{n}\tnews\tx\ty\tA {n}\tB {n}\t{score}", None),
    ("paws.tsv", PAWS, "{n}\tb'A\\'{n}'\tb\"B {n}\"\t{score}", None),
    ("snli.jsonl", "", SNLI + '"agreement": "{score}"}}', "agreement"),
)
def test_sets_of_researchers_are_read_as_they_come(tmp_path, name, head, line, column):
    gold, run, warnings = tmp_path / name, tmp_path / "run.csv", list[str]()
    lines = (
        line.format(n=n, score=score, more="\ta, b" * (n == 2)) for n, score in enumerate(SCORES, 1)
    )
    gold.write_text(head + "\n".join(lines) + "\n")
    key = "column 4" if column == "5" else "id"
    run.write_text(f"{key},rating\n1,5\n2,2\n3,3\n4,1\n5,0\n6,9\n")
    found = evaluate_ratings(gold, run, column=column).mean
    assert (found.correlation.pairs, found.ranks["kendall"].r) == (4, pytest.approx(1))
    pairs = list(read_sts(gold, warnings.append, column=column))
    assert [pair.score for pair in pairs] == [4.8, 2, 3.5, 1]
    assert pairs[1].pair.sent2.text.startswith("B")
    assert warnings[-1] == f"{gold}: rows without a score, which are left out: 2"
    told = f"{gold}:2: Python's bytes, such as b'…'; read as the text in them, here and elsewhere"
    assert warnings.count(told) == (head == PAWS)


def test_gold_in_a_sheet_that_is_named(tmp_path):
    book, run, told = Workbook(), tmp_path / "run.csv", []
    for name, scores in (("A", "1111"), ("B", "1234 ")):
        sheet = book.create_sheet(name)
        sheet.append(["id", "s1", "s2", "score"])
        for number, score in enumerate(scores, 1):
            sheet.append([number, "a dog", "a cat" if score != " " else None, score.strip() or 5])
    book.save(tmp_path / "gold.xlsx")
    run.write_text("id,rating\n1,1\n2,2\n3,3\n4,4\n5,5\n")
    for sheet, r in ("A", 0), ("B", 1), ("3", 1):
        found = evaluate_ratings(tmp_path / "gold.xlsx", run, sheet=sheet, skip_bad=True)
        assert found.mean.correlation.r == pytest.approx(r)
    pairs = list(read_sts(tmp_path / "gold.xlsx", told.append, sheet="B"))
    assert [one.score for one in pairs] == [1, 2, 3, 4]
    assert told[0].endswith("sheet 'B', row 6: s2 is empty; expected at least one token; left out")


@pytest.mark.parametrize("scores", ["1 2,5 3 4,25", "20% 50 % 60% 85%", "1 2.5 3 4.25"])
def test_numbers_as_people_write_them(tmp_path, scores):
    gold, run = tmp_path / "gold.csv.gz", tmp_path / "run.txt"
    rows = "".join(f"{score};a;b\n" for score in scores.replace(" %", "%").split())
    gold.write_bytes(gzip.compress(f"score;s1;sé\n{rows}".encode("cp1252")))
    run.write_text("1\n2.5\n3\n4.25\n")
    found = evaluate_ratings(gold, run, encoding="cp1252")
    assert found.mean.correlation.r == pytest.approx(1)
    refused(DataError, "such as --encoding cp1252", evaluate_ratings, gold, run)


def test_pairs_that_a_run_left_out_do_not_count(tmp_path):
    gold, run, told = tmp_path / "gold.csv", tmp_path / "run.csv", list[str]()
    gold.write_text("id,score\n" + "".join(f"{n},{n}\n" for n in range(1, 7)))
    rows = "1,9,1,|2,2,,no words|3,9,4,|4,9,3,|6,9,6,|5,9,5,".replace("|", "\n")
    run.write_text(f"id,rating,ists_rating,error\n{rows}\n")
    (found,) = evaluate_ratings(gold, run, warn=told.append).data_sets
    expected = "expected 0 to 5. If their scale is another, say so: --gold-scale 1..6"
    assert told == [
        f"{gold}: gold ratings from 1 to 6; {expected}",
        f"{run}: pairs left out, as their rows have errors: 1",
    ]
    with pytest.raises(DataError, match="found '6'; expected a number from 1 to 5"):
        evaluate_ratings(gold, run, scale=(1, 5))
    # By hand: tanh(atanh(r) -+ 1.96 sqrt((1 + r r / 2) / (n - 3))), and sqrt(.437 / (n - 4)).
    expected = {"spearman": (0.9, -0.1690, 0.9961), "kendall": (0.8, -0.1946, 0.9835)}
    assert (found.correlation.pairs, found.ranks.keys()) == (5, expected.keys())
    for name, figures in expected.items():
        rank = found.ranks[name]
        assert (rank.r, rank.low, rank.high) == pytest.approx(figures, abs=1e-3)


@cases(
    "scores | scale | expected",
    ([0, 2.5, 5], None, [0, 2.5, 5]),
    ([0, 0.5, 1], (0.0, 1.0), [0, 2.5, 5]),
    ([1, 3, 5], (1.0, 5.0), [0, 2.5, 5]),
    ([0, 0.5, 1], None, "gold ratings from 0 to 1; expected 0 to 5.*--gold-scale 0..1"),
    ([1, 3, 5.5], None, "from 1 to 5.5; .*--gold-scale 1..6"),
    ([0, 50, 100], None, "from 0 to 100; .*--gold-scale 0..100"),
    ([0, 6], (0.0, 5.0), "from 0 to 6; expected 0 to 5"),
)
def test_gold_on_another_scale_is_never_learned_from_silently(scores, scale, expected):
    pairs = [ScoredPair(make_pair("a", "b"), score) for score in scores]
    if isinstance(expected, list):
        assert [one.score for one in scaled(pairs, scale, 5, "f")] == expected
    else:
        refused(DataError, expected, scaled, pairs, scale, 5, "f")


@pytest.mark.slow
@pytest.mark.skipif(not EXPECTED.is_file(), reason="the task's train data is not beside us")
def test_the_baseline_reaches_the_official_correlations():
    for name, expected in json.loads(EXPECTED.read_text("utf-8")).items():
        scored = ((one.score, tokencos(one.pair)) for one in read_sts(SHARED / "data" / name))
        found = correlation(*map(list, zip(*scored, strict=True)), name)
        # The official figures are of texts with their entities and broken characters.
        near = pytest.approx(expected["pearson"], abs=1e-3)
        assert (found.pairs, found.r) == (expected["pairs"], near), name


def test_correlation_has_fishers_interval_or_tells_nothing_or_has_too_little():
    found, margin = correlation([1, 2, 3, 4, 5], [1, 3, 2, 5, 4]), 1.959964 / math.sqrt(2)
    ends = (math.tanh(math.atanh(0.8) + sign * margin) for sign in (-1, 1))
    assert (found.r, found.low, found.high) == pytest.approx((0.8, *ends), abs=1e-6)
    assert correlation([1, 2, 3, 4], [2, 2, 2, 2]).r == 0
    refused(DataError, "at least 4", correlation, [1, 2, 3], [1, 2, 3])


def test_the_mean_is_weighted_by_pairs_and_has_an_interval_on_both_sides():
    one = correlation([1, 2, 3, 4], [4, 3, 2, 1])
    other = correlation([1, 2, 3, 4] * 3, [1, 2, 3, 4] * 3)
    assert weighted_mean([one, other]).r == pytest.approx(0.5)
    found = weighted_mean([correlation([1, 2, 3, 4, 5] * 4, [3, 1, 2, 5, 4] * 4)] * 2)
    margin = 1.959964 * math.sqrt(2 * (0.5 * (1 - 0.6**2)) ** 2 / 17)
    expected = (0.6, 0.6 - margin, 0.6 + margin)
    assert (found.r, found.low, found.high) == pytest.approx(expected, abs=1e-6)


def test_significance_is_that_of_the_paper():
    """The best of 74 runs (0.8015 over 3000 pairs) beat the 11th, about 0.785, and none above."""
    assert significance(0.8015, 0.7846, 3000) < 0.05
    assert significance(0.8015, 0.7900, 3000) > 0.05
    assert significance(0.8, 0.8, 100) == pytest.approx(0.5)
    assert significance(0.7, 0.8, 100) + significance(0.8, 0.7, 100) == pytest.approx(1)


@pytest.fixture
def folders(tmp_path):
    """Gold, a good run and a bad one, each a folder of two data sets."""
    forum = "".join(json.dumps({"rating": {"value": n}}) + "\n" for n in (1, 2, 3, 4.5))
    sentences = "".join(f"{n}\ta\tb\n" for n in (1, 2, 3, 4))
    for folder, texts in (
        ("gold", {"STS.gs.news.txt": "5\n\ta\tb\n1\n2\n3\n0\n", "forum.tsv": sentences}),
        ("good", {"news.txt": "5\n0\n1\n2\n3\n0\n", "forum.jsonl": forum}),
        ("bad", {"news.txt": "1\n5\n2\n0\n3\n4\n", "forum.jsonl": forum}),
    ):
        (tmp_path / folder).mkdir()
        for name, text in texts.items():
            (tmp_path / folder / name).write_text(text)
    return [tmp_path / folder for folder in ("gold", "good", "bad")]


def test_folders_are_matched_by_data_set_and_unrated_pairs_left_out(folders):
    warnings = list[str]()
    found = evaluate_ratings(*folders, warn=warnings.append)
    told = f"{folders[0] / 'STS.gs.news.txt'}: rows without a score, which do not count: 1"
    assert warnings == [told]
    assert [one.name for one in found.data_sets] == ["news", "forum"]
    news, forum = found.data_sets
    assert (news.correlation.pairs, round(news.correlation.r, 6)) == (5, 1)
    assert news.other.p < 0.05
    assert forum.other.p == pytest.approx(0.5)
    assert found.mean.correlation.pairs == 9
    _, first, _, mean = render_ratings(found).splitlines()[:4]
    assert (first[:4], " *" in first, mean[:4]) == ("news", True, "mean")


@cases(
    "name | text | message",
    ("news.txt", "5\n1\n", r"news.txt: 2 ratings; expected 6"),
    ("news.txt", "5\n0\nx\n2\n3\n0\n", r"news.txt:3: found 'x'; expected a number"),
    ("news.txt", "5\n0\n\n2\n3\n0\n", r"news.txt:3: no rating"),
    ("forum.jsonl", '{"a": 1}\n' * 4, r"forum.jsonl: none of the columns a is known"),
    ("forum.jsonl", "[]\n" * 4, r"forum.jsonl:1: "),
    ("forum.jsonl", '{"rating": {"value": 1' + "0" * 400 + "}}\n", r"forum.jsonl:1, column r"),
    ("forum.jsonl", '{"a":' * 100_000, r"forum.jsonl:1: no valid JSON"),
    ("news.txt", "score\tsentence1\tsentence2\n5\n", r"news.txt:2: 1 cell; expected 3"),
    ("news.txt", "x\n1\ny\n", r"news.txt:1: found 'x'.*\n.*news.txt:3: found 'y'"),
    ("forum.jsonl", "nan\n" * 4, r"forum.jsonl:1: no valid JSON"),
    ("forum.jsonl", '{"rating": NaN}\n' * 4, r"forum.jsonl:1, column rating: found 'nan'"),
    # The column of gold is asked for once.
    (
        "STS.gs.news.txt",
        "captions\t5\ta\tb\n" * 6,
        r"^[^\n]*:1: found 'captions'.* with --gold-col$",
    ),
)
def test_faulty_ratings_are_named(folders, name, text, message):
    gold, run, _ = folders
    (gold if name.startswith("STS") else run).joinpath(name).write_text(text)
    refused(DataError, message, evaluate_ratings, gold, run)


def test_a_run_that_lacks_a_data_set_is_refused(folders):
    gold, run, _ = folders
    (run / "news.txt").unlink()
    for one, message in ((gold, "no ratings of news"), (gold / "forum.tsv", "a folder")):
        refused(DataError, message, evaluate_ratings, one, run)
