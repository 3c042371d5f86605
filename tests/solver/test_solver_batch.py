"""A batch gives the same as one pair at a time, on real pairs."""

from itertools import islice

import pytest

from benchmarks import ROOT
from benchmarks.sets import SAMPLES, read_set
from ists_asp.engine import load

pytestmark = pytest.mark.slow

TRAIN = ROOT.parent / "shared" / "data" / "ists-2016-train"
CASES = [
    ("headlines", "headlines", True),
    ("headlines", "headlines", False),
    ("answers-students", "answers-students", True),
    ("baseline", "headlines", False),
]
PAIRS = 125
"""Of each set, besides the samples: together 500, of which those alone have labels as choices."""


def check(profile, pairs):
    with load(profile, cache=None) as system:
        solver = system.solver
        items = list(system.facts(pairs))
        together = list(solver.solve_all(items))
        alone = [solver.solve(pair, facts) for pair, facts in items]
    assert [found.answers for found in together] == [found.answers for found in alone]
    assert solver._batches is not None


@pytest.mark.parametrize(("profile", "name", "chunked"), CASES)
def test_a_batch_answers_samples_as_one_at_a_time(profile, name, chunked):
    data = read_set(SAMPLES / name)
    check(profile, data.chunked if chunked else data.plain)


@pytest.mark.long
@pytest.mark.skipif(not TRAIN.is_dir(), reason=f"the train data of the task is not in {TRAIN}")
@pytest.mark.parametrize(("profile", "name", "chunked"), CASES)
def test_a_batch_answers_train_pairs_as_one_at_a_time(profile, name, chunked):
    data = read_set(TRAIN / name, PAIRS)
    check(profile, list(islice(data.chunked if chunked else data.plain, PAIRS)))


def test_the_engine_keeps_one_time_for_each_pair_and_their_order():
    data = read_set(SAMPLES / "headlines")
    with load("headlines", cache=None) as system:
        answers = list(system.solve_many(data.chunked))
        assert [answer.pair.id for answer in answers] == [pair.id for pair in data.chunked]
        assert system.stages.decided.total() == len(answers)
        assert answers[0] == system.solve(data.chunked[0].sent1, data.chunked[0].sent2)
