"""Swapping the sentences swaps SPE1 and SPE2, and nothing else."""

from pathlib import Path

import pytest

from ists_asp.io.pairs import read_pairs
from tests.sharing import shared_system

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "ists-2016-train"
SETS = ("headlines", "images", "answers-students")
SWAPPED = {"SPE1": "SPE2", "SPE2": "SPE1"}


def lines(answer, *, swap):
    found = set()
    for line in answer.alignments:
        label = str(line.label)
        sides = (line.tokens2, line.tokens1) if swap else (line.tokens1, line.tokens2)
        found.add((*sides, SWAPPED.get(label, label) if swap else label, line.score, line.tags))
    return found


def different(system, pairs):
    """The pairs whose answer is not the mirror image of that of the swapped sentences."""
    pairs = list(pairs)
    mirrored = [type(pair)(pair.id, pair.sent2, pair.sent1) for pair in pairs]
    answers, others = (list(system.solve_many(some, rated=False)) for some in (pairs, mirrored))
    return [
        one.pair.id
        for one, two in zip(answers, others, strict=True)
        if lines(one, swap=False) != lines(two, swap=True)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("chunked", [True, False], ids=["given", "found"])
@pytest.mark.parametrize("name", SETS)
def test_samples_are_their_own_mirror_images(name, chunked):
    folder = ROOT / "data" / "samples" / name
    ending = ".chunk.txt" if chunked else ".txt"
    pairs = read_pairs(folder / f"sent1{ending}", folder / f"sent2{ending}", chunked=chunked)
    assert different(shared_system(name), pairs) == []


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason=f"the train data is not in {DATA}")
@pytest.mark.parametrize("chunked", [True, False], ids=["given", "found"])
@pytest.mark.parametrize("name", SETS)
def test_train_pairs_are_their_own_mirror_images(name, chunked):
    """Ties may fall otherwise: of spans that are exactly as good one has to come first."""
    ending = ".chunk.txt" if chunked else ".txt"
    files = (DATA / name / f"sent{side}{ending}" for side in (1, 2))
    pairs = list(read_pairs(*files, chunked=chunked))[:300]
    assert len(different(shared_system(name), pairs)) <= len(pairs) // 50
