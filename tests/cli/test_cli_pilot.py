"""The pilot's profiles: one chunk to one chunk, ALIC, and every command copes with it."""

import json
from pathlib import Path

import pytest

from ists_asp.io.wa import read_wa
from ists_asp.model import Label

pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
SETS = ("headlines", "images")
PAIR = ("[ A black dog ] [ and ] [ a white dog ] [ run ] [ . ]", "[ Two dogs ] [ run ] [ . ]")
ALIC = "5 6 7 <==> 0 // ALIC"
CHUNKED = ("--profile", "pilot-2015-images", "--chunked")


@pytest.mark.parametrize("chunked", [True, False])
@pytest.mark.parametrize("name", SETS)
def test_answers_are_well_formed_by_the_scheme_of_2015(good, name, chunked):
    suffix, option = (".chunk.txt", ("--chunked",)) if chunked else (".txt", ())
    files = [SAMPLES / name / f"sent{side}{suffix}" for side in (1, 2)]
    profile = ("--profile", f"pilot-2015-{name}")
    good("solve", *profile, *option, "--sent1", files[0], "--sent2", files[1], "-o", "out.wa")
    assert "correct (pairs: 10, faults: 0, notes: 0)" in good("check", "--scheme", "2015", "out.wa")
    lines = [line for sentence in read_wa(Path("out.wa")) for line in sentence.alignments]
    assert {line.score for line in lines if not line.to_alignment().label.aligned} == {"NIL"}
    assert good("evaluate", SAMPLES / name / "gold.wa", "out.wa", "--scheme", "2015")


def test_a_chunk_whose_counterpart_is_taken_is_alic(good):
    (record,) = map(json.loads, good("solve", *CHUNKED, *PAIR, "--format", "jsonl").splitlines())
    lines = {line["text1"]: line for line in record["alignments"] if line["text1"]}
    assert lines["A black dog"]["text2"] == "Two dogs"
    assert (lines["a white dog"]["label"], lines["a white dog"]["score"]) == (Label.ALIC, None)
    assert lines["and"]["label"] == Label.NOALI


def test_why_names_the_rule(good):
    text = good("why", *CHUNKED, *PAIR, ALIC)
    assert text == good("why", *CHUNKED, *PAIR, "5 6 7 <==> 0")
    assert '"a white dog" of sentence 1 is ALIC' in text
    assert "[counterpart_taken_1 lp_rules/pilot/alic.lp:" in text
    assert "alic:1:5-7" in good("trace", *CHUNKED, *PAIR, "--depth", "0")
    decisions = json.loads(good("trace", *CHUNKED, *PAIR, "--json"))["decisions"]
    assert {"alic", "noali"} <= {one["kind"] for one in decisions}


def test_why_not(good):
    assert "is ALIC" in good("why-not", *CHUNKED, *PAIR, "4 <==> 0 // ALIC")
    assert "is NOALI" in good("why-not", *CHUNKED, *PAIR, "5 6 7 <==> 0 // NOALI")
    assert "no rule can derive it" in good("why-not", *CHUNKED, *PAIR, "1 2 3 5 6 7 <==> 1 2")


def test_explanations_and_reports_have_a_word_for_it(good):
    assert good("explain", *CHUNKED, *PAIR)
    good("report", *CHUNKED, *PAIR, "-o", "out.html")
    assert "counterpart aligned elsewhere" in Path("out.html").read_text("utf-8")
    good("solve", *CHUNKED, *PAIR, "-o", "out.wa")
    assert good("explain", *CHUNKED, *PAIR, "--answers", "out.wa") == good(
        "explain", *CHUNKED, *PAIR
    )
