"""Ratings: the same whichever sentence comes first, and the best for what is said twice."""

from itertools import islice
from pathlib import Path

import pytest

from ists_asp.engine.program import highest_rating
from ists_asp.io.pairs import read_sts
from ists_asp.model import Pair
from ists_asp.rules import Purpose
from tests.sharing import shared_system

DATA = Path(__file__).parents[3] / "shared" / "data"
PROFILES = [
    ("sts-en", {}, "sts-en-train", 1),
    ("sts-en", {"reader": True}, "sts-en-train", 1),
    ("sts-es", {}, "sts-es-train", 4),
]


def some_pairs(folder, each):
    """From the middle of each file so many pairs."""
    files = sorted((DATA / folder).glob("*.tsv"))
    return [gold.pair for file in files for gold in islice(read_sts(file), 30, 30 + each)]


def highest(system):
    return highest_rating(system.program(Purpose.RATING).rules, system.constants)


def ratings(system, pairs):
    return [answer.rating.value for answer, *_ in system.decide(system.annotate(pairs), rated=True)]


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason=f"the ratings are not in {DATA}")
@pytest.mark.parametrize(("profile", "options", "folder", "each"), PROFILES)
def test_which_sentence_comes_first_makes_no_difference(profile, options, folder, each):
    system = shared_system(profile, **options)
    pairs = some_pairs(folder, each)
    assert len(pairs) >= 10
    rated = ratings(system, pairs)
    assert rated == ratings(system, [Pair(one.id, one.sent2, one.sent1) for one in pairs])
    assert rated == [one.value for one in system.rate_many(system.solve_many(pairs))]
    doubled = [Pair(one.id, side, side) for one in pairs for side in (one.sent1, one.sent2)]
    assert set(ratings(system, doubled)) == {highest(system)}


@pytest.mark.parametrize("profile", ["sts-en", "sts-es"])
def test_sentences_without_a_word_may_be_the_same(profile):
    system = shared_system(profile)
    texts = [("...", "..."), ("!", "?")]
    answers = [system.solve(*sides) for sides in texts]
    same, other = (one.value for one in system.rate_many(answers))
    assert same == highest(system)
    assert other < same
