"""Answers of solve, what is asked about them, and how all outputs show text."""

import json
import re
from pathlib import Path

import pytest

from ists_asp.compare.comparison import compare, read_answered
from ists_asp.evaluate.wa_check import check_file
from ists_asp.io.text import make_sentence
from ists_asp.io.wa import read_wa
from ists_asp.knowledge.reader import reader_digest, shipped_reader
from ists_asp.model import Label
from ists_asp.resources import data_dir, rules_dir
from tests.report.test_report_page import Page
from tests.sharing import cases, shared_system

TOLD = {"strict"}.union(
    *(
        re.findall(r"^#const (\w+)", file.read_text("utf-8"), re.MULTILINE)
        for file in (rules_dir() / "explanation").glob("*.lp")
    )
)
"""Constants of the rules for explanations, and of those that they rest on."""
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("images", "answers-students")]
LINKED = [  # nobody would align so
    "1 <==> 1 // REL // 1 // x <==> y",
    "2 6 7 <==> 6 7 8 // EQUI // 5 // x <==> y",
    "3 4 5 <==> 3 4 5 // OPPO // 1 // x <==> y",
    "0 <==> 2 // NOALI // 0 // -not aligned- <==> y",
]
ALIC = ("--profile", "pilot-2015-images", "--chunked")
ALIC += ("[ A black dog ] [ and ] [ a white dog ] [ run ] [ . ]", "[ Two dogs ] [ run ] [ . ]")
BUS = ("12 killed in bus accident", "10 killed in road accident", "--profile", "headlines")
ONE = "Anna's dog isn't in O'Brien's eight-year-old car ($5.99)."
TWO = "“Anna's dog is in an anti-protest car,” they said at 5 p.m."
TOKENISED = (
    "Anna 's dog isn't in O'Brien 's eight-year-old car ( $ 5.99 ) .",
    "“ Anna 's dog is in an anti-protest car , ” they said at 5 p.m.",
)
TOKENS = [text.split() for text in TOKENISED]
NEWS = ("--profile", "headlines", "--reader", "none")
ODD = [
    *("Anna 's", "$ 5", "( $", "car ,", " eight -", "anti -", "is n't", "“ ", "5 p. m", ", ”"),
    "O ' B",
]


def answers(text):
    return [json.loads(line) for line in text.splitlines()]


def test_sentence_files_become_a_correct_wa_file(good, sides, pairs, tmp_path):
    assert good("solve", *sides(pairs), "-o", "out.wa") == ""
    sentences = list(read_wa(tmp_path / "out.wa"))
    assert [sentence.id for sentence in sentences] == [str(n) for n in range(1, len(pairs) + 1)]
    assert [tuple(sentence.texts) for sentence in sentences] == pairs
    report = check_file(tmp_path / "out.wa")
    assert (report.correct, report.notes) == (True, ())


@pytest.mark.parametrize("profile", ["headlines", "baseline", *SLOW])
def test_profiles_solve_chunk_files(good, sides, chunked, profile):
    options = ("--chunked", "--profile", profile, "--format", "jsonl")
    text = good("solve", *sides(chunked), *options)
    assert [record["chunks1"] for record in answers(text)] == [
        [[1, 2], [3, 5], [6, 7]],
        [[1, 3], [4, 7], [8, 8]],
    ]


def test_ways_in_agree(good, sides, pairs, written):
    pairs = pairs[:3]
    _, first, _, second = options = sides(pairs)
    expected = good("solve", *options, "-q")
    assert good("solve", "--sent1", "-", *options[2:], stdin=first.read_text()) == expected
    assert good("solve", *options[:2], "--sent2", "-", stdin=second.read_text()) == expected
    written(expected, "pairs.wa")
    assert good("solve", "--table", "pairs.wa") == expected
    tsv = "".join(f"{one}\t{two}\n" for one, two in pairs)
    jsonl = "".join(json.dumps({"sent1": one, "sent2": two}) + "\n" for one, two in pairs)
    for kind, text in (("tsv", tsv), ("jsonl", jsonl)):
        assert good("solve", "--tokens", f"--{kind}", "-", stdin=text) == expected
        table = written(text, f"pairs.{kind}")
        assert good("solve", "--tokens", "--table", table) == expected
    assert good("solve", "--tokens", "--tsv", written(tsv, "named.wa")) == expected
    one, two = pairs[0]
    alone = good("solve", one, two)
    assert good("solve", "-", two, stdin=f"{one}\n") == alone
    assert good("solve", one, "-", stdin=two) == alone


def test_brackets_are_chunks_and_answers_in_json_can_be_read_again_with_them(good):
    text = good("solve", "--chunked", "[ a b ] [ c ]", "[ a b c ]", "--format", "jsonl")
    (record,) = answers(text)
    assert (record["chunks1"], record["chunks2"]) == ([[1, 2], [3, 3]], [[1, 3]])
    assert record["tokens1"] == ["a", "b", "c"]
    assert good("solve", "--jsonl", "-", "--format", "jsonl", stdin=text) == text


def test_alignments_that_are_given_are_kept_and_labelled(good, run, bad, pairs, sides, written):
    def wa(*lines):
        one, two = (
            "".join(f"{n} {word} :\n" for n, word in enumerate(words.split(), 1))
            for words in pairs[0]
        )
        return written(
            '<sentence id="7" status="">\n// {}\n// {}\n'.format(*pairs[0])
            + f"<source>\n{one}</source>\n<translation>\n{two}</translation>\n"
            + "\n".join(["<alignment>", *lines, "</alignment>", "</sentence>", ""]),
            "given.wa",
        )

    (found,) = read_wa(Path(written(good("solve", "--aligned", wa(*LINKED)), "out.wa")))
    lines = found.to_alignments()
    assert [line.tokens1 for line in lines] == [(1,), (2, 6, 7), (3, 4, 5), ()]
    assert [line.tokens2 for line in lines] == [(1,), (6, 7, 8), (3, 4, 5), (2,)]
    assert [line.label for line in lines][::2] == [Label.SIMI, Label.SIMI]
    assert [line.score is None for line in lines] == [False, False, False, True]
    assert "aligned, as is given" in good("why", "--aligned", "given.wa", "2 6 7 <==> 6 7 8")
    again = run("solve", "--aligned", wa(*LINKED, "7 <==> 8 // EQUI // 5 // x <==> y"))
    assert "pair 7: alignment 5 shares tokens with one before it; left out" in again.stderr
    assert again.stdout == Path("out.wa").read_text("utf-8")
    parts = "1 3 5 <==> 1 // SIMI // 3 // x <==> y"
    assert "'12 in accident' is in 3 parts of sentence 1" in bad(1, "solve", "--aligned", wa(parts))
    twice = written(Path(wa(*LINKED)).read_text("utf-8") * 2, "given.wa")
    assert "the id '7' again, first at" in bad(1, "solve", "--aligned", twice)
    # The same as links of aligners.
    links = good("solve", "--aligned", wa(*LINKED), "--format", "pharaoh")
    assert links.startswith("0-0 1-5 1-6 1-7 2-2 2-3 ")
    beside = ("solve", *sides(pairs[:1]), "--format", "pharaoh", "--aligned")
    assert good(*beside, written(links, "links")) == links
    for text, told in ("0-x", "links:1: '0-x' is no link"), ("0-0\n0-0", "links: more lines than"):
        assert told in bad(1, *beside, written(text, "links"))
    assert "--aligned does not go with --raw" in bad(2, *beside, "links", "--raw")


def test_raw_files_are_tokenised_in_batches(good, sides, pairs, monkeypatch):
    options = ("solve", "--raw", *sides(pairs))
    expected = good(*options)
    monkeypatch.setattr("ists_asp.solver.batch.batches.__defaults__", (3,))
    assert good(*options) == expected


def test_several_answers_are_ranked_best_first(good, pairs):
    text = good("solve", *pairs[0], "-n", "3", "--format", "jsonl")
    found = answers(text)
    assert [record["rank"] for record in found] == [1, 2, 3]
    costs = [record["cost"] for record in found]
    assert costs == sorted(costs)
    assert len({json.dumps(record["alignments"]) for record in found}) == 3
    best = good("solve", *pairs[0], "--format", "jsonl")
    assert best == text.splitlines(keepends=True)[0]
    atoms = good("solve", *pairs[0], "-n", "3", "--format", "atoms")
    ranked = [
        f"% answer {rank}, cost {' '.join(map(str, cost))}" for rank, cost in enumerate(costs, 1)
    ]
    assert [line for line in atoms.splitlines() if line.startswith("% answer ")] == ranked


def test_summary_is_for_files_and_goes_to_standard_error(run, sides, pairs):
    options = ("solve", *sides(pairs[:2]), "--no-incremental")
    result = run(*options)
    summary, system = result.stderr.splitlines()
    assert summary.startswith("2 pairs in ")
    assert "loading included: annotation " in summary
    assert system.startswith("ists-asp ")
    assert f", profile default, reader {reader_digest(shipped_reader())}, rules " in system
    assert run(*options, "--quiet").stderr == ""
    assert run("solve", "a", "b").stderr == ""


@pytest.mark.slow
@cases(
    "command | profile | more | hint",
    *(
        (command, "sts-en", {"highest"}, ". Did you mean highest?")
        for command in ("solve", "sts", "trace", "explain", "facts")
    ),
    ("solve", "pilot-2015-images", set(), ""),
)
def test_a_constant_that_no_rule_has_is_warned_of(run, command, profile, more, hint):
    """The constants are those of the answers' rules, of their ratings and explanations."""
    known = "highest=4" if more else "margin=1"
    assert run(command, "a cat", "a dog", "-c", known, "--profile", profile).stderr == ""
    result = run(command, "a cat", "a dog", "-c", "highets=4", "--profile", profile)
    names = ", ".join(sorted(TOLD | {"eagerness", "margin"} | more))
    told = f"the rules of profile {profile} have no #const of this name, but {names}{hint}\n"
    assert (result.exit_code, result.stderr) == (0, f"warning: -c highets: {told}")


@pytest.mark.slow
def test_chunks_are_printed_one_sentence_a_line(good, sides, pairs):
    options = ("chunk", *sides(pairs[:2]))
    lines = good(*options).splitlines()
    assert len(lines) == 4
    assert lines[0].replace("[ ", "").replace(" ]", "") == pairs[0][0]
    assert good(*options, "--side", "1").splitlines() == lines[::2]
    good(*options, "--side", "1", "-o", "1.txt")
    good(*options, "--side", "2", "-o", "2.txt")
    found = good("solve", *options[1:])
    assert good("solve", "--chunked", "--sent1", "1.txt", "--sent2", "2.txt") == found


@pytest.mark.slow
@pytest.mark.parametrize("chunked", [True, False])
@pytest.mark.parametrize("name", ["headlines", "images"])
def test_answers_are_well_formed_by_the_scheme_of_2015(good, tmp_path, name, chunked):
    folder, profile = data_dir() / "samples" / name, ("--profile", f"pilot-2015-{name}")
    suffix, option = (".chunk.txt", ("--chunked",)) if chunked else (".txt", ())
    files = ("--sent1", folder / f"sent1{suffix}", "--sent2", folder / f"sent2{suffix}")
    good("solve", *profile, *option, *files, "-o", "out.wa")
    assert "correct (pairs: 10, faults: 0, notes: 0)" in good("check", "--scheme", "2015", "out.wa")
    lines = [line for pair in read_wa(tmp_path / "out.wa") for line in pair.alignments]
    assert {line.score for line in lines if not line.to_alignment().label.aligned} == {"NIL"}
    assert good("evaluate", folder / "gold.wa", "out.wa", "--scheme", "2015")


@pytest.mark.slow
def test_a_chunk_whose_counterpart_is_taken_is_alic(good, tmp_path):
    (record,) = answers(good("solve", *ALIC, "--format", "jsonl"))
    lines = {line["text1"]: line for line in record["alignments"] if line["text1"]}
    assert lines["A black dog"]["text2"] == "Two dogs"
    assert (lines["a white dog"]["label"], lines["a white dog"]["score"]) == (Label.ALIC, None)
    assert lines["and"]["label"] == Label.NOALI
    good("report", *ALIC, "-o", "out.html")
    assert "counterpart aligned elsewhere" in (tmp_path / "out.html").read_text("utf-8")
    good("solve", *ALIC, "-o", "out.wa")
    assert good("explain", *ALIC, "--answers", "out.wa") == good("explain", *ALIC)


@pytest.mark.slow
@pytest.mark.usefixtures("_stopped_early")
@cases(
    "command | more",
    *(("solve", ()), ("trace", ("--only", "label", "--depth", "0")), ("why", ("2 <==> 2",))),
    *(("why-not", ("1 <==> 2",)), ("report", ("-o", "page.html"))),
)
def test_an_answer_not_proved_the_best_is_named(run, command, more):
    result = run(command, *BUS[:2], *more, *BUS[2:], "--timeout", "2.5")
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
    out = good(name, *options, *NEWS, ONE, TWO)
    assert [text for text in ODD + kept if text in out] == kept


@pytest.mark.slow
def test_questions_name_words_as_they_are_written(good):
    asked = ("why", *NEWS, ONE, TWO)
    assert 'begins at "$"' in good(*asked, "$5.99")
    assert '"isn\'t"' in good(*asked, "isn't")
    assert good(*asked, "anti-protest car") == good(*asked, "anti-protest  car")


@pytest.mark.slow
def test_the_report_shows_the_text_as_it_was_written(good, tmp_path):
    good("report", *NEWS, ONE, TWO, "-o", "page.html")
    page = Page((tmp_path / "page.html").read_text("utf-8"))
    (pair,), (detail,) = page.data["pairs"], page.details
    assert (pair["one"], pair["two"]) == (ONE, TWO)
    assert ">$5.99<" in detail["picture"]
    assert [text for text in ODD if text in str([pair, detail])] == []


@pytest.mark.slow
def test_answers_in_json_keep_text_and_tokens_and_read_back(good, tmp_path):
    first = good("solve", "--format", "jsonl", *NEWS, ONE, TWO)
    record = json.loads(first)
    assert [record["sent1"], record["sent2"]] == [ONE, TWO]
    assert [record["tokens1"], record["tokens2"]] == TOKENS
    again = json.loads(good("solve", "--jsonl", "-", "--format", "jsonl", *NEWS, stdin=first))
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
    assert f"// {TOKENISED[0]}\n" in good("solve", "--format", "wa", *NEWS, ONE, TWO)
    chunks = good("chunk", *NEWS, "--side", "1", ONE, TWO)
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
