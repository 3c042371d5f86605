"""A batch: which pairs are decided together, and that each has the answer that it has alone."""

import pytest

from benchmarks import ROOT
from benchmarks.sets import SAMPLES, read_set
from ists_asp.engine import load
from ists_asp.io.text import make_sentence
from ists_asp.model import Pair
from ists_asp.solver import batch
from ists_asp.solver.batch import short_pairs

TRAIN = ROOT.parent / "shared" / "data" / "ists-2016-train"
CASES = [
    ("headlines", "headlines", True),
    ("headlines", "headlines", False),
    ("answers-students", "answers-students", True),
    ("baseline", "headlines", False),
]
PAIRS = 125
"""Of each set, besides the samples: together 500, of which those alone have labels as choices."""


def check(profile, data, chunked):
    pairs = list(data.chunked if chunked else data.plain)[:PAIRS]
    with load(profile, cache=None) as system:
        items = list(system.facts(pairs))
        together = [solution.answers for solution in system.solver.solve_all(items)]
        assert together == [system.solver.solve(*item).answers for item in items]
        assert system.solver._batches is not None
        # The engine keeps one time for each pair, and their order.
        answers = list(system.solve_many(pairs[:10], rated=False))
        assert answers == [answer for answer, *_ in together[:10]]
        assert system.stages.decided.total() == len(answers)


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "name", "chunked"), CASES)
def test_a_batch_answers_samples_as_one_at_a_time(profile, name, chunked):
    check(profile, read_set(SAMPLES / name), chunked)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(not TRAIN.is_dir(), reason=f"the train data of the task is not in {TRAIN}")
@pytest.mark.parametrize(("profile", "name", "chunked"), CASES)
def test_a_batch_answers_train_pairs_as_one_at_a_time(profile, name, chunked):
    check(profile, read_set(TRAIN / name, PAIRS), chunked)


@pytest.mark.parametrize(
    ("sizes", "batches", "tokens"),
    [
        # Long pairs stay alone, and one pair is no batch.
        ((), [], None),
        ((5,), [], None),
        ((5, 5, 5), [[0, 1, 2]], None),
        ((5, 100, 5), [[0, 2]], None),
        ((100, 5), [], None),
        ((99, 1, 99, 99), [[0, 1, 2, 3]], None),
        # A batch has so many tokens at most.
        ((20, 20, 10, 30, 150, 10, 40, 40), [[0, 1, 2], [3, 5]], 100),
    ],
)
def test_pairs_are_decided_together_that_are_not_long(monkeypatch, sizes, batches, tokens):
    monkeypatch.setattr(batch, "TOKENS", tokens or batch.TOKENS)
    sentences = (make_sentence(["a"] * size) for size in sizes)
    items = [(Pair(str(n), sentence, sentence), ()) for n, sentence in enumerate(sentences)]
    assert short_pairs(items) == batches
