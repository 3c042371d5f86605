import re
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.report.test_report_page import Page

SAMPLES = Path(__file__).parents[2] / "data" / "samples" / "images"
PAIR = ("12 killed in bus accident", "10 killed in road accident")


@pytest.fixture
def report(run):
    return partial(run, "report")


@pytest.mark.slow
def test_a_file_with_gold(report, tmp_path):
    files = (SAMPLES / "sent1.chunk.txt", SAMPLES / "sent2.chunk.txt", SAMPLES / "gold.wa")
    given = ("--chunked", "--sent1", files[0], "--sent2", files[1], "--gold", files[2])
    result = report(*given, "--profile", "images", "--id", "1", "-q", "-o", "r.html")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    html = Page((tmp_path / "r.html").read_text("utf-8"))
    ((pair,), (detail,)) = html.data["pairs"], html.details
    assert pair["words"]
    assert 0 < pair["rating"][0] <= 5
    assert len(pair["f1"][0]) == 4
    told = detail["why"][0]["decisions"]
    assert [one["kind"] for one in told[:2]] == ["align", "label"]
    assert told[0]["pros"][0]["rule"]["file"].startswith("lp_rules/")


def test_answers_of_any_system_are_shown_without_reasons_of_ours(report, tmp_path):
    gold = SAMPLES / "gold.wa"
    theirs = gold.read_text("utf-8").replace("// SIMI //", "// REL //")
    (tmp_path / "theirs.wa").write_text(theirs, encoding="utf-8")
    given = ("--answers", "theirs.wa", "--gold", gold, "--compare", gold)
    result = report(*given, "-o", "r.html")
    assert (result.exit_code, result.stderr) == (0, "")
    html = Page((tmp_path / "r.html").read_text("utf-8"))
    assert len(html.data["pairs"]) == 10
    assert html.data["against"] == ["gold", "gold.wa"]
    assert [name for name, _ in html.data["f1"]] == ["theirs.wa", "gold.wa"]
    assert html.data["f1"][1][1] == [1.0] * 4
    assert html.data["f1"][0][1][1] < 1
    for pair, detail in zip(html.data["pairs"], html.details, strict=True):
        assert (pair["rating"], pair["words"]) == (None, "")
        assert "why" not in detail
    result = report("--answers", "theirs.wa", "--id", "3", "-o", "r.html")
    html = Page((tmp_path / "r.html").read_text("utf-8"))
    assert [pair["id"] for pair in html.data["pairs"]] == ["3"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--answers", SAMPLES / "gold.wa", *PAIR), "--answers has pairs of its own"),
        (("--answers", SAMPLES / "gold.wa", "--id", "77"), "there is no pair with the id '77'"),
        (("--gold", SAMPLES / "gold.wa"), "there is no input"),
        ((*PAIR, "--compare", SAMPLES / "gold.wa"), "about"),
    ],
)
def test_what_does_not_go_together_is_one_line_and_no_file(report, tmp_path, given, told):
    result = report(*given, "-o", "r.html")
    assert result.exit_code in (1, 2)
    (line,) = result.stderr.splitlines()
    assert told in line
    assert not (tmp_path / "r.html").exists()


@pytest.mark.slow
def test_gold_of_other_sentences_is_one_line_and_no_file(report, tmp_path):
    result = report(*PAIR, "--gold", SAMPLES / "gold.wa", "-o", "r.html")
    assert result.exit_code == 1
    assert "Give the sentences that the alignments are about" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    (tmp_path / "pairs.tsv").write_text("no\ta b\tc d\n", encoding="utf-8")
    result = report("--tsv", "pairs.tsv", "--gold", SAMPLES / "gold.wa", "-o", "r.html")
    assert (result.exit_code, "none of the pairs is in it" in result.stderr) == (1, True)
    assert not (tmp_path / "r.html").exists()


def test_the_output_may_not_be_an_input(report, tmp_path):
    (tmp_path / "g.wa").write_text("", encoding="utf-8")
    result = report(*PAIR, "--gold", "g.wa", "-o", "g.wa")
    assert (result.exit_code, "this is an input file" in result.stderr) == (2, True)


@pytest.mark.slow
def test_solve_draws_one_pair(run, tmp_path):
    result = run("solve", *PAIR, "-o", "pair.svg")
    assert (result.exit_code, result.stderr) == (0, "")
    root = ElementTree.parse(tmp_path / "pair.svg").getroot()
    assert root[0].text == " / ".join(PAIR)
    assert run("solve", *PAIR, "--format", "svg").stdout == (tmp_path / "pair.svg").read_text()
    texts = " ".join(node.text for node in root.iter("{http://www.w3.org/2000/svg}text"))
    assert re.search(r"EQUI \d.* in bus accident in road accident|killed", texts)


def test_solve_draws_one_pair_only(run, tmp_path):
    files = ("--sent1", SAMPLES / "sent1.txt", "--sent2", SAMPLES / "sent2.txt")
    result = run("solve", *files, "-o", "pairs.svg")
    assert result.exit_code == 2
    assert "10 pairs, but svg holds one. Choose one with --id ID" in result.stderr
    result = run("solve", *PAIR, "-n", "2", "-o", "pairs.svg")
    assert (result.exit_code, "holds one answer a pair" in result.stderr) == (2, True)
    assert not (tmp_path / "pairs.svg").exists()
