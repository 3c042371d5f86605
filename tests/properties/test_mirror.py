"""Swapping the sentences swaps SPE1 and SPE2 and no rating; what is said twice is rated best."""

from itertools import islice
from pathlib import Path

import pytest

from ists_asp.engine.program import highest_rating
from ists_asp.io.pairs import read_pairs, read_sts
from ists_asp.model import Pair
from ists_asp.rules import Purpose
from tests.sharing import shared_system

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
SWAPPED = {"SPE1": "SPE2", "SPE2": "SPE1"}


def mirrored(pairs):
    return [Pair(pair.id, pair.sent2, pair.sent1) for pair in pairs]


def lines(answer, *, swap):
    for line in answer.alignments:
        label, sides = str(line.label), (line.tokens1, line.tokens2)
        yield (
            *(sides[::-1] if swap else sides),
            SWAPPED.get(label, label) if swap else label,
            *(line.score, line.tags),
        )


def different(folder, name, chunked):
    """How many of the first pairs have no answer that is the mirror image of the swapped one's."""
    ending = ".chunk.txt" if chunked else ".txt"
    files = (folder / name / f"sent{side}{ending}" for side in (1, 2))
    pairs = list(islice(read_pairs(*files, chunked=chunked), 300))
    system = shared_system(name)
    answers, others = (
        list(system.solve_many(given, rated=False)) for given in (pairs, mirrored(pairs))
    )
    return sum(
        set(lines(answer, swap=False)) != set(lines(other, swap=True))
        for answer, other in zip(answers, others, strict=True)
    )


@pytest.mark.slow
@pytest.mark.parametrize("chunked", [True, False], ids=["given", "found"])
@pytest.mark.parametrize("name", ["headlines", "images", "answers-students"])
@pytest.mark.parametrize("most", [0, pytest.param(6, marks=pytest.mark.long)])
def test_pairs_are_their_own_mirror_images(name, chunked, most):
    """Ties of train pairs may fall otherwise: of spans that are as good one has to come first."""
    folder = DATA / "ists-2016-train" if most else ROOT / "data" / "samples"
    if not folder.is_dir():
        pytest.skip(f"the train data is not in {folder}")
    assert different(folder, name, chunked) <= most


def highest(system):
    return highest_rating(system.program(Purpose.RATING).rules, system.constants)


def ratings(system, pairs):
    return [answer.rating.value for answer, *_ in system.decide(system.annotate(pairs), rated=True)]


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason=f"the ratings are not in {DATA}")
@pytest.mark.parametrize(
    ("profile", "options", "each"),
    [("sts-en", {}, 1), ("sts-en", {"reader": True}, 1), ("sts-es", {}, 4)],
)
def test_which_sentence_comes_first_makes_no_difference(profile, options, each):
    system = shared_system(profile, **options)
    files = sorted((DATA / f"{profile}-train").glob("*.tsv"))
    # From the middle of each file.
    pairs = [gold.pair for file in files for gold in islice(read_sts(file), 30, 30 + each)]
    assert len(pairs) >= 10
    rated = ratings(system, pairs)
    assert rated == ratings(system, mirrored(pairs))
    assert rated == [rating.value for rating in system.rate_many(system.solve_many(pairs))]
    doubled = [Pair(pair.id, side, side) for pair in pairs for side in (pair.sent1, pair.sent2)]
    assert set(ratings(system, doubled)) == {highest(system)}


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["sts-en", "sts-es"])
def test_sentences_without_a_word_may_be_the_same(profile):
    system = shared_system(profile)
    answers = [system.solve(*sides) for sides in (("...", "..."), ("!", "?"))]
    same, other = (rating.value for rating in system.rate_many(answers))
    assert other < same == highest(system)
