"""Two outputs side by side: what differs, and what gold says of it."""

import json
import random

import numpy as np
import pytest

from ists_asp.compare import Answered, compare, comparison, read_answered
from ists_asp.compare.comparison import find_changes
from ists_asp.errors import DataError
from ists_asp.evaluate.scorer import Reference, evaluate
from ists_asp.io.formats import answer_record, failure_record
from ists_asp.io.text import make_sentence
from ists_asp.io.wa import write_answer
from ists_asp.model import Alignment, Answer, Chunk, Label, Pair, Tag

WORDS = ("big cats sleep", "large cats nap")
CHUNKS = (Chunk(1, 2), Chunk(3, 3))


def line(one, two, label, score=None, *tags):
    return Alignment(tuple(one), tuple(two), Label(label), score, frozenset(map(Tag, tags)))


SAME = (line([1, 2], [1, 2], "EQUI", 5.0), line([3], [3], "SIMI", 3.0))


def pair(identifier="1"):
    return Pair(identifier, *(make_sentence(words.split()) for words in WORDS))


def answered(*lines, chunks=(CHUNKS, CHUNKS), identifier="1"):
    return Answered(pair(identifier), lines, chunks)


def told(old, new):
    return [
        (str(one.kind), one.tokens1, one.tokens2, one.old, one.new)
        for one in find_changes(old, new)
    ]


def test_equal_answers_have_no_changes():
    assert told(answered(*SAME), answered(*reversed(SAME))) == []


def test_labels_scores_and_tags_of_the_same_tokens():
    new = (line([1, 2], [1, 2], "SPE1", 4.0, "FACT"), SAME[1])
    assert told(answered(*SAME), answered(*new)) == [
        ("label", (1, 2), (1, 2), "EQUI", "SPE1"),
        ("score", (1, 2), (1, 2), "5", "4"),
        ("tag", (1, 2), (1, 2), None, "FACT"),
    ]


def test_alignments_of_one_answer_only():
    new = (SAME[0], line([3], [], "NOALI"), line([], [3], "NOALI"))
    assert told(answered(*SAME), answered(*new)) == [
        ("unaligned", (3,), (), None, "NOALI"),
        ("align", (3,), (3,), "SIMI 3", None),
        ("unaligned", (), (3,), None, "NOALI"),
    ]


def test_no_score_is_the_same_as_a_score_of_0():
    assert told(answered(line([3], [], "NOALI", 0.0)), answered(line([3], [], "NOALI", None))) == []


def test_chunks_differ_by_where_they_begin():
    whole = (Chunk(1, 3),)
    assert told(answered(chunks=(CHUNKS, CHUNKS)), answered(chunks=(CHUNKS, whole))) == [
        ("boundary", (), (3,), "begins", None)
    ]
    assert told(answered(chunks=None), answered(chunks=(CHUNKS, whole))) == []


def test_gains_add_up_and_order_the_pairs():
    gold = {name: Reference(pair(name), SAME) for name in "123"}
    worse = (SAME[0], line([3], [3], "OPPO", 1.0))
    old = {"1": answered(*SAME), "2": answered(*worse), "3": answered(*SAME)}
    new = {"1": answered(*worse), "2": answered(*SAME), "3": answered(*SAME)}
    found = compare(old, new, gold)
    assert [(one.changes[0].old, one.changes[0].new) for one in found.changed] == [
        ("OPPO", "SIMI"),
        ("SIMI", "OPPO"),
    ]
    best, worst = ({name: by for name, *_, by in one.gain.measures()} for one in found.changed)
    assert best["Ali"] == worst["Ali"] == 0
    assert best["Type"] == pytest.approx(1 / 3)
    assert best["Type"] == -worst["Type"]
    assert [by for *_, by in found.gain.measures()] == pytest.approx([0.0] * 4)
    assert (found.count, found.scored) == (3, 3)


def test_pairs_that_one_run_lacks_are_told():
    old, new = ({name: answered(*SAME) for name in names} for names in ("12", "23"))
    found = compare(old, new)
    assert (found.count, found.only_old, found.only_new) == (1, ("1",), ("3",))


def test_runs_without_a_common_pair_or_of_other_sentences():
    with pytest.raises(DataError, match="no pair in common"):
        compare({"1": answered()}, {"2": answered()})
    other = Answered(Pair("1", make_sentence(["dogs"]), make_sentence(["cats"])), ())
    with pytest.raises(DataError, match=r"pair 1: .*other sentences"):
        compare({"1": answered()}, {"1": other})
    with pytest.raises(DataError, match="gold has none of the pairs"):
        compare({"1": answered()}, {"1": answered()}, {"7": Reference(pair("7"), ())})


def test_both_kinds_of_output_are_read_as_they_were_written(tmp_path):
    answer = Answer(pair(), CHUNKS, CHUNKS, SAME, (), True)
    (tmp_path / "a.wa").write_text(write_answer(answer), encoding="utf-8")
    (tmp_path / "a.jsonl").write_text(
        "".join(
            json.dumps(record) + "\n"
            for record in (
                answer_record(answer),
                answer_record(answer, rank=2),
                failure_record(pair("2"), "no time"),
            )
        ),
        encoding="utf-8",
    )
    wa, jsonl = (read_answered(tmp_path / name) for name in ("a.wa", "a.jsonl"))
    assert wa["1"].alignments == jsonl["1"].alignments == SAME
    assert jsonl["1"].chunks == (CHUNKS, CHUNKS)
    assert jsonl["2"].alignments == ()
    assert find_changes(wa["1"], jsonl["1"]) == ()


@pytest.mark.parametrize("text", ["[]", "{", '{"id": 1}', '{"id": 1, "sent1": 2}'])
def test_lines_that_are_no_answers(tmp_path, text):
    (tmp_path / "a.jsonl").write_text(text + "\n")
    with pytest.raises(DataError, match=r"a\.jsonl:1: (this is no answer|.*JSON)"):
        read_answered(tmp_path / "a.jsonl")


def test_intervals_are_those_of_runs_that_are_measured_again(monkeypatch):
    """Each resample is measured by the scorer itself, where a pair drawn twice is two."""
    resamples, count = 25, 12
    monkeypatch.setattr(comparison, "RESAMPLES", resamples)
    rng = random.Random(7)
    labels = ("EQUI", "SIMI", "SPE1")

    def run():
        return {
            str(number): answered(
                line([1, 2], [1, 2][: rng.randint(1, 2)], rng.choice(labels), rng.randint(1, 5)),
                line([3], [rng.randint(2, 3)], "EQUI", 5.0),
                identifier=str(number),
            )
            for number in range(count)
        }

    gold, old, new = run(), run(), run()
    found = comparison.compare_runs(evaluate(gold, old), evaluate(gold, new), gold)
    generator = np.random.default_rng(comparison.SEED)
    gains = []
    for _ in range(resamples):
        drawn = list(enumerate(generator.integers(count, size=count)))
        right, before, after = (
            {str(place): some[str(number)] for place, number in drawn} for some in (gold, old, new)
        )
        scores = [evaluate(right, some).overall.named() for some in (before, after)]
        gains.append([two.f1 - one.f1 for (_, one), (_, two) in zip(*scores, strict=True)])
    for (low, high, p), measure in zip(found.gain.intervals, np.transpose(gains), strict=True):
        assert (low, high) == pytest.approx(tuple(np.quantile(measure, (0.025, 0.975))))
        assert p == pytest.approx((1 + sum(gain <= 1e-12 for gain in measure)) / (1 + resamples))
    by = [one.gain.measures()[-1][3] for one in found.changed]
    assert by == sorted(by, reverse=True)
