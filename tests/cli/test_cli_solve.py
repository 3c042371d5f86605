import json
import re

import pytest

from ists_asp.evaluate.wa_check import check_file
from ists_asp.io.wa import read_wa
from ists_asp.knowledge.reader import reader_digest, shipped_reader
from ists_asp.resources import rules_dir

TOLD = {"strict"}.union(
    *(
        re.findall(r"^#const (\w+)", file.read_text("utf-8"), re.MULTILINE)
        for file in (rules_dir() / "explanation").glob("*.lp")
    )
)
"""Constants of the rules for explanations, and of those that they rest on."""


def answers(text):
    return [json.loads(line) for line in text.splitlines()]


def labels(record):
    return [(line["text1"], line["text2"], line["label"]) for line in record["alignments"]]


def test_sentence_files_become_a_correct_wa_file(good, files, pairs, tmp_path):
    first, second = files(pairs)
    assert good("solve", "--sent1", first, "--sent2", second, "-o", "out.wa") == ""
    sentences = list(read_wa(tmp_path / "out.wa"))
    assert [sentence.id for sentence in sentences] == [str(n) for n in range(1, len(pairs) + 1)]
    assert [tuple(sentence.texts) for sentence in sentences] == pairs
    report = check_file(tmp_path / "out.wa")
    assert (report.correct, report.notes) == (True, ())


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("images", "answers-students")]


@pytest.mark.parametrize("profile", ["headlines", "baseline", *SLOW])
def test_profiles_solve_chunk_files(good, files, chunked, profile):
    first, second = files(chunked)
    text = good(
        "solve", "--sent1", first, "--sent2", second, "--chunked", "--profile", profile,
        "--format", "jsonl",
    )  # fmt: skip
    assert [record["chunks1"] for record in answers(text)] == [
        [[1, 2], [3, 5], [6, 7]],
        [[1, 3], [4, 7], [8, 8]],
    ]


def test_ways_in_agree(good, files, pairs):
    pairs = pairs[:3]
    first, second = files(pairs)
    expected = good("solve", "--sent1", first, "--sent2", second, "-q")
    lines = first.read_text(), second.read_text()
    tsv = "".join(f"{one}\t{two}\n" for one, two in pairs)
    jsonl = "".join(json.dumps({"sent1": one, "sent2": two}) + "\n" for one, two in pairs)
    assert good("solve", "--sent1", "-", "--sent2", second, stdin=lines[0]) == expected
    assert good("solve", "--sent1", first, "--sent2", "-", stdin=lines[1]) == expected
    assert good("solve", "--tokens", "--tsv", "-", stdin=tsv) == expected
    assert good("solve", "--tokens", "--jsonl", "-", stdin=jsonl) == expected
    for name, text in (("pairs.tsv", tsv), ("pairs.jsonl", jsonl)):
        first.with_name(name).write_text(text)
    assert good("solve", "--tokens", "--table", "pairs.tsv") == expected
    assert good("solve", "--tokens", "--table", "pairs.jsonl") == expected
    first.with_name("pairs.wa").write_text(expected)
    assert good("solve", "--table", "pairs.wa") == expected


def test_ids_of_tsv_and_jsonl_are_kept(good):
    assert '<sentence id="x7"' in good("solve", "--tsv", "-", stdin="x7\ta b\tc\n")
    line = '{"id": "y", "sent1": "a b", "sent2": "c"}\n'
    assert '<sentence id="y"' in good("solve", "--jsonl", "-", stdin=line)


def test_brackets_are_chunks_and_answers_in_json_can_be_read_again_with_them(good):
    text = good("solve", "--chunked", "[ a b ] [ c ]", "[ a b c ]", "--format", "jsonl")
    (record,) = answers(text)
    assert (record["chunks1"], record["chunks2"]) == ([[1, 2], [3, 3]], [[1, 3]])
    assert record["tokens1"] == ["a", "b", "c"]
    assert good("solve", "--jsonl", "-", "--format", "jsonl", stdin=text) == text


def test_several_answers_are_numbered_in_text_and_not_for_wa_files(good, bad, pairs):
    text = good("solve", *pairs[0], "-n", "2", "--format", "text")
    assert text.count("Answer 1\nPair 1\n") == text.count("\nAnswer 2\nPair 1\n") == 1
    assert bad(2, "solve", "a", "b", "-n", "2") == (
        "-n 2 does not go with the format wa, which holds one answer a pair. "
        "Add --format jsonl or --format atoms or --format text"
    )


@pytest.mark.slow
def test_constants_are_those_of_the_rules_and_of_their_ratings(run):
    assert run("solve", "a cat", "a dog", "-c", "highest=4").stderr == ""
    result = run("solve", "a cat", "a dog", "-c", "odd=3", "--profile", "pilot-2015-images")
    assert result.stderr.endswith(
        f"have no #const of this name, but {', '.join(sorted(TOLD | {'eagerness', 'margin'}))}\n"
    )


@pytest.mark.slow
def test_one_sentence_can_come_from_standard_input(good):
    expected = good("solve", "a black cat", "one cat")
    assert good("solve", "-", "one cat", stdin="a black cat\n") == expected
    assert good("solve", "a black cat", "-", stdin="one cat") == expected


def test_raw_text_is_tokenised(good):
    text = good("solve", "--raw", "The bulb isn't on.", "A bulb is off.", "--format", "jsonl")
    assert answers(text)[0]["tokens1"] == ["The", "bulb", "isn't", "on", "."]


def test_raw_files_are_tokenised_in_batches(good, files, pairs, monkeypatch):
    first, second = files(pairs)
    options = ("solve", "--raw", "--sent1", first, "--sent2", second)
    expected = good(*options)
    monkeypatch.setattr("ists_asp.solver.batch.batches.__defaults__", (3,))
    assert good(*options) == expected


def test_format_follows_the_suffix_of_the_output(good, tmp_path):
    for name, start in (("x.wa", "<sentence"), ("x.jsonl", "{"), ("x.txt", "Pair 1\n")):
        good("solve", "a cat", "a dog", "-o", name)
        assert (tmp_path / name).read_text().startswith(start)
    good("solve", "a cat", "a dog", "-o", "y.wa", "--format", "text")
    assert (tmp_path / "y.wa").read_text().startswith("Pair 1\n")
    assert good("solve", "a cat", "a dog").startswith("<sentence")


def test_several_answers_are_ranked_best_first(good, pairs):
    text = good("solve", *pairs[0], "-n", "3", "--format", "jsonl")
    found = answers(text)
    assert [record["rank"] for record in found] == [1, 2, 3]
    costs = [record["cost"] for record in found]
    assert costs == sorted(costs)
    assert len({json.dumps(record["alignments"]) for record in found}) == 3
    best = good("solve", *pairs[0], "--format", "jsonl")
    assert best == text.splitlines(keepends=True)[0]
    assert good("solve", *pairs[0], "-n", "2", "-o", "x.txt") == ""


def test_summary_is_for_files_and_goes_to_standard_error(run, files, pairs):
    first, second = files(pairs[:2])
    options = ("solve", "--sent1", first, "--sent2", second, "--no-incremental")
    result = run(*options)
    summary, system = result.stderr.splitlines()
    assert summary.startswith("2 pairs in ")
    assert "loading included: annotation " in summary
    assert system.startswith("ists-asp ")
    assert f", profile default, reader {reader_digest(shipped_reader())}, rules " in system
    assert run(*options, "--quiet").stderr == ""
    assert run("solve", "a", "b").stderr == ""


@pytest.mark.slow
def test_constants_reach_the_rules(good, bad, tmp_path):
    (tmp_path / "limit.lp").write_text("#const most = 9.\n:- #count{X,Y : aligned(X,Y)} > most.\n")
    same = "[ a cat ] [ sleeps ]"
    options = ("solve", "--chunked", same, same, "--format", "jsonl", "--rules", "limit.lp")
    assert len(labels(answers(good(*options))[0])) == 2
    assert [label for *_, label in labels(answers(good(*options, "-c", "most=0"))[0])] == [
        "NOALI"
    ] * 4
    assert bad(2, *options, "-c", "most").startswith("-c: 'most' is not a constant; expected NAME=")
    assert bad(2, *options, "-c", "most=a b").startswith(
        "-c most: found 'a b'; expected an integer"
    )


@pytest.mark.slow
@pytest.mark.parametrize("command", ["solve", "sts", "trace", "explain", "facts"])
def test_a_constant_that_no_rule_has_is_warned_of(run, command):
    result = run(command, "a cat", "a dog", "-c", "highets=4", "--profile", "sts-en")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "warning: -c highets: the rules of profile sts-en have no #const of this name, "
        f"but {', '.join(sorted(TOLD | {'eagerness', 'highest', 'margin'}))}. "
        "Did you mean highest?"
    ]


@pytest.mark.usefixtures("_stopped_early")
def test_answer_that_was_not_proved_the_best_is_told(run, pairs):
    result = run("solve", *pairs[0], "--timeout", "2.5")
    assert result.stderr == (
        "warning: pair 1: within 2.5 s the answer was not proved the best; "
        "allow more with --timeout\n"
    )


@pytest.mark.slow
def test_chunks_are_printed_one_sentence_a_line(good, files, pairs):
    first, second = files(pairs[:2])
    both = good("chunk", "--sent1", first, "--sent2", second)
    lines = both.splitlines()
    assert len(lines) == 4
    assert lines[0].replace("[ ", "").replace(" ]", "") == pairs[0][0]
    options = ("chunk", "--sent1", first, "--sent2", second, "--side")
    assert good(*options, "1").splitlines() == lines[::2]
    good(*options, "1", "-o", "1.txt")
    good(*options, "2", "-o", "2.txt")
    found = good("solve", "--sent1", first, "--sent2", second)
    assert good("solve", "--chunked", "--sent1", "1.txt", "--sent2", "2.txt") == found


def test_what_words_are_compared_by_is_told(good):
    pair = ("--format", "jsonl", "a dog barks", "a puppy barks")
    assert answers(good("solve", *pair))[0]["knowledge"] == ["lexicon", "vectors", "reader"]
    alone = answers(good("solve", "--reader", "none", *pair))
    assert alone[0]["knowledge"] == ["lexicon", "vectors"]
