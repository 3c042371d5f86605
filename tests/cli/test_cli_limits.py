"""What is too long, or takes too long, fails alike in every company and with any number of jobs."""

import json
import time

import pytest

from ists_asp.errors import DataError
from tests.sharing import shared_system

GOOD = ("12 killed in bus accident", "10 killed in road accident")
HOSTILE = {
    "letters": ("the " + "a" * 100_000, "the b" + "a" * 99_999 + "b"),
    "chinese": ("人" * 6_000, "人" * 5_998 + "们们"),
    "backslashes": ("\\" * 40_000, "\\" * 39_999),
    "words": (" ".join(["a" * 1_000] * 512), " ".join(["b" * 1_000] * 512)),
    "many": ("x " * 501, "y"),
    "long": ("the " + "a" * 9_000, "the b" + "a" * 8_999 + "b"),
    "marks": ("\"'" * 4_000 + "word", "\"'" * 3_999 + "word"),
}
FAILED = {
    "letters": "sentence 1: a sentence of 100004 characters; expected at most 10000 characters",
    "backslashes": "sentence 1: a sentence of 40000 characters; expected at most 10000 characters",
    "words": "sentence 1: a sentence of 512 tokens; expected at most 500 tokens",
    "many": "sentence 1: a sentence of 501 tokens; expected at most 500 tokens",
}


def _table(pairs):
    return "".join(f"{name}\t{first}\t{second}\n" for name, (first, second) in pairs.items())


@pytest.mark.slow
def test_hostile_words_take_no_time_and_cost_no_neighbour_anything(run):
    table = _table({"first": GOOD, **HOSTILE, "last": GOOD})
    found = {}
    for jobs in ("1", "2"):
        began = time.process_time()
        result = run(
            *("solve", "--tsv", "-", "--format", "jsonl", "--timeout", "2", "--jobs", jobs),
            stdin=table,
        )
        # Nearly all of it is for loading; the square of 100 000 takes an hour.
        assert time.process_time() - began < 20.0
        assert result.exit_code == 3, result.stderr
        found[jobs] = result.stdout
        assert f"no answer for 4 of 9 pairs: {', '.join(FAILED)}\n" in result.stderr
    assert found["1"] == found["2"]
    records = {record["id"]: record for record in map(json.loads, found["1"].splitlines())}
    assert list(records) == ["first", *HOSTILE, "last"]
    assert {name: one["error"] for name, one in records.items() if "error" in one} == FAILED
    assert records["first"]["alignments"] == records["last"]["alignments"] != []


@pytest.mark.parametrize("name", ["letters", "many"])
def test_alone_and_from_python_the_reason_is_the_same(bad, name):
    reason = FAILED[name]
    assert bad(1, "solve", *HOSTILE[name]).startswith(f"{reason}. Split the text")
    answers = shared_system().solve_many([GOOD, HOSTILE[name], GOOD])
    assert next(answers).alignments
    with pytest.raises(DataError, match=f"pair 2, {reason}"):
        next(answers)


@pytest.mark.slow
def test_text_that_has_too_many_tokens_fails_when_they_are_known(run):
    table = _table({"first": GOOD, "many": ("x, " * 300, "y"), "last": GOOD})
    result = run("sts", "--raw", "--tsv", "-", stdin=table)
    assert result.exit_code == 3
    assert "pair many: sentence 1: a sentence of 600 tokens; expected at most 500" in result.stderr
    first, failed, last = result.stdout.split()
    assert first == last != failed == "0.000"
