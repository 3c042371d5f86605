from functools import partial
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "data" / "samples" / "images"
PAIR = ("12 killed in bus accident", "10 killed in road accident")


@pytest.fixture
def run(run):
    return partial(run, "report")


@pytest.mark.slow
def test_a_file_with_gold(run, tmp_path):
    files = (SAMPLES / "sent1.chunk.txt", SAMPLES / "sent2.chunk.txt", SAMPLES / "gold.wa")
    given = ("--chunked", "--sent1", files[0], "--sent2", files[1], "--gold", files[2])
    result = run(*given, "--profile", "images", "--id", "1", "-q", "-o", "r.html")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    text = (tmp_path / "r.html").read_text("utf-8")
    assert text.count("<article ") == 1
    assert 'id="confusion"' in text
    assert "lp_rules/" in text


def test_gold_of_other_sentences_is_one_line_and_no_file(run, tmp_path):
    result = run(*PAIR, "--gold", SAMPLES / "gold.wa", "-o", "r.html")
    assert result.exit_code == 1
    assert "Give the sentences that the alignments are about" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    (tmp_path / "pairs.tsv").write_text("no\ta b\tc d\n", encoding="utf-8")
    result = run("--tsv", "pairs.tsv", "--gold", SAMPLES / "gold.wa", "-o", "r.html")
    assert (result.exit_code, "none of the pairs is in it" in result.stderr) == (1, True)
    assert not (tmp_path / "r.html").exists()


def test_the_output_may_not_be_an_input(run, tmp_path):
    (tmp_path / "g.wa").write_text("", encoding="utf-8")
    result = run(*PAIR, "--gold", "g.wa", "-o", "g.wa")
    assert (result.exit_code, "this is an input file" in result.stderr) == (2, True)
