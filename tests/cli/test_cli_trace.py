"""What is asked about an answer, and how all outputs show text: as it was written."""

import json

import pytest

from ists_asp.compare.comparison import compare, read_answered
from ists_asp.io.text import make_sentence
from tests.report.test_report_page import Page
from tests.sharing import cases, shared_system

PAIR = ("12 killed in bus accident", "10 killed in road accident", "--profile", "headlines")
ONE = "Anna's dog isn't in O'Brien's eight-year-old car ($5.99)."
TWO = "“Anna's dog is in an anti-protest car,” they said at 5 p.m."
TOKENISED = (
    "Anna 's dog isn't in O'Brien 's eight-year-old car ( $ 5.99 ) .",
    "“ Anna 's dog is in an anti-protest car , ” they said at 5 p.m.",
)
TOKENS = [text.split() for text in TOKENISED]
PROFILE = ("--profile", "headlines", "--reader", "none")
ODD = [
    *("Anna 's", "$ 5", "( $", "car ,", " eight -", "anti -", "is n't", "“ ", "5 p. m", ", ”"),
    "O ' B",
]


@pytest.mark.slow
@pytest.mark.usefixtures("_stopped_early")
@cases(
    "command | more",
    *(("solve", ()), ("trace", ("--only", "label", "--depth", "0")), ("why", ("2 <==> 2",))),
    *(("why-not", ("1 <==> 2",)), ("report", ("-o", "page.html"))),
)
def test_an_answer_not_proved_the_best_is_named(run, command, more):
    result = run(command, *PAIR[:2], *more, *PAIR[2:], "--timeout", "2.5")
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: pair 1: within 2.5 s the answer was not proved the b")


@pytest.mark.slow
def test_solve_writes_traces(good, sides, pairs, tmp_path):
    given = ("solve", *sides(pairs[:2]))
    assert good(*given, "--trace", "t.jsonl") == good(*given)
    traces = (tmp_path / "t.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["pair"]["id"] for line in traces] == ["1", "2"]


@pytest.mark.slow
@cases(
    "command | kept",
    (("solve", "--format", "text"), [ONE, TWO, "$5.99", "an anti-protest car"]),
    (("solve", "--format", "csv"), [ONE, TWO, "“Anna's dog "]),
    (("solve", "--format", "csv", "--rows", "alignments"), [ONE, TWO, "$5.99"]),
    (("solve", "--format", "atoms"), [f"% 1: {ONE}", f"% 2: {TWO}"]),
    (("explain",), ["“Anna's dog ", "“$5.99”"]),
    (("explain", "--json"), [TWO, "$5.99"]),
    (("trace",), [ONE, TWO, '"$5.99"']),
    (("facts",), [ONE, TWO]),
)
def test_outputs_show_the_text_as_it_was_written(good, command, kept):
    name, *options = command
    out = good(name, *options, *PROFILE, ONE, TWO)
    assert [text for text in ODD + kept if text in out] == kept


@pytest.mark.slow
def test_questions_name_words_as_they_are_written(good):
    asked = ("why", *PROFILE, ONE, TWO)
    assert 'begins at "$"' in good(*asked, "$5.99")
    assert '"isn\'t"' in good(*asked, "isn't")
    assert good(*asked, "anti-protest car") == good(*asked, "anti-protest  car")


@pytest.mark.slow
def test_the_report_shows_the_text_as_it_was_written(good, tmp_path):
    good("report", *PROFILE, ONE, TWO, "-o", "page.html")
    page = Page((tmp_path / "page.html").read_text("utf-8"))
    (pair,), (detail,) = page.data["pairs"], page.details
    assert (pair["one"], pair["two"]) == (ONE, TWO)
    assert ">$5.99<" in detail["picture"]
    assert [text for text in ODD if text in str([pair, detail])] == []


@pytest.mark.slow
def test_answers_in_json_keep_text_and_tokens_and_read_back(good, tmp_path):
    first = good("solve", "--format", "jsonl", *PROFILE, ONE, TWO)
    record = json.loads(first)
    assert [record["sent1"], record["sent2"]] == [ONE, TWO]
    assert [record["tokens1"], record["tokens2"]] == TOKENS
    again = json.loads(good("solve", "--jsonl", "-", "--format", "jsonl", *PROFILE, stdin=first))
    keys = ("sent1", "sent2", "tokens1", "tokens2", "chunks1", "chunks2")
    assert [again[key] for key in keys] == [record[key] for key in keys]
    texts, same = (
        [(one["text1"], one["text2"]) for one in it["alignments"]] for it in (record, again)
    )
    assert texts == same
    (tmp_path / "a.jsonl").write_text(first, "utf-8")
    # As answers to tokens have them, and as earlier versions wrote all sentences.
    record |= dict(zip(("sent1", "sent2"), TOKENISED, strict=True))
    (tmp_path / "b.jsonl").write_text(json.dumps(record), "utf-8")
    old, new = (read_answered(tmp_path / name) for name in ("b.jsonl", "a.jsonl"))
    assert (old["1"].pair.sent1.text, new["1"].pair.sent1.text) == (record["sent1"], ONE)
    assert not any(pair.changes for pair in compare(old, new).changed)


def test_wa_and_chunk_files_have_all_tokens_apart(good):
    assert f"// {TOKENISED[0]}\n" in good("solve", "--format", "wa", *PROFILE, ONE, TWO)
    chunks = good("chunk", *PROFILE, "--side", "1", ONE, TWO)
    assert [word for word in chunks.split() if word not in "[]"] == TOKENS[0]


@pytest.mark.slow
def test_strings_are_text_in_python_unless_they_are_said_to_be_tokens():
    system, car = shared_system("headlines", reader="none"), ("a car.", "the car.")
    pair = system.solve(ONE, TWO).pair
    assert [[one.form for one in side.tokens] for side in (pair.sent1, pair.sent2)] == TOKENS
    assert (pair.sent1.text, pair.sent2.text) == (ONE, TWO)
    (many,) = system.solve_many([(ONE, make_sentence(["a", "b."]))])
    assert many.pair.sent1 == pair.sent1
    assert [one.form for one in many.pair.sent2.tokens] == ["a", "b."]
    assert system.trace(ONE, TWO).answer.pair == pair
    for answer in (
        system.solve(*car, tokens=True),
        *system.solve_many([car], tokens=True),
        system.trace(*car, tokens=True).answer,
    ):
        assert [one.form for one in answer.pair.sent1.tokens] == ["a", "car."]
