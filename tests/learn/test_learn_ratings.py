"""What evidence is worth, learned from gold ratings."""

import pytest

from ists_asp.engine import Setup
from ists_asp.evaluate.ratings import correlation
from ists_asp.io.pairs import ScoredPair
from ists_asp.io.text import make_sentence
from ists_asp.learn import ratings
from ists_asp.learn.ratings import Evidence, RatedExample, learn_ratings, predict
from ists_asp.model import Pair
from ists_asp.rules import Purpose
from tests.sharing import load_shared


def example(gold, data_set="a", **evidence):
    found = (Evidence(name, value) for name, value in evidence.items())
    return RatedExample(data_set, gold, tuple(found))


GOLD = [
    example(level + 3 * words / 1000 - 1.0 * (conflict / 1000), name, words=words, odds=-conflict)
    for name, level in (("a", 0.0), ("b", 1.5))
    for words in range(0, 1001, 50)
    for conflict in (0, 1000)
]


def test_weights_are_what_evidence_was_worth_whatever_the_level_of_a_data_set():
    found = {weight.name: weight.value for weight in learn_ratings(GOLD)}
    assert found["words"] == pytest.approx(3000, rel=0.05)
    assert found["odds"] == pytest.approx(1000, rel=0.05)
    assert found.get(ratings.BASE, 0) == 0


def test_evidence_that_would_count_the_wrong_way_counts_nothing():
    values = [one.evidence[0].thousandths for one in GOLD]
    wrong = [example(5 - value / 250, words=value) for value in values]
    assert [weight.name for weight in learn_ratings(wrong)] == [ratings.BASE]


def test_the_scale_is_fixed_at_both_ends():
    unrelated = [example(0, words=value) for value in range(100)]
    weights = learn_ratings(GOLD, unrelated)
    full, low, none = predict([example(0, words=n) for n in (1000, 95, 0)], weights)
    assert (full, low) == pytest.approx((5, 1), abs=0.002)
    assert none < 1
    (full,) = predict([example(0, words=1000)], learn_ratings(GOLD, unrelated, 4), 4)
    assert full == pytest.approx(4, abs=0.002)


def test_cross_validation_by_data_set_and_by_parts():
    found = ratings.cross_validate_ratings(GOLD, folds=None)
    assert found.keys() == {"a", "b"}
    # Not 1: what is below 0 is rated 0.
    assert all(correlation(one.gold, one.predicted).r > 0.97 for (one,) in found.values())
    parts = ratings.cross_validate_ratings(GOLD, folds=3)
    assert [len(found) for found in parts.values()] == [3, 3]
    assert sum(len(one.gold) for found in parts.values() for one in found) == len(GOLD)


def test_margins_say_what_two_of_three_were_within():
    found = [0.1] * 30 + [2.6] * 30 + [4.9] * 5
    gold = [0.1] * 20 + [0.9] * 10 + [2.6 + number / 100 for number in range(30)] + [4.9] * 5
    assert ratings.fit_margins([ratings.Rated("a", gold, found)]) == ((0, 0, 30), (2500, 190, 30))


def test_predictions_stay_within_the_scale_and_bounds():
    weights = learn_ratings(GOLD)
    assert predict([example(0, odds=-1000), example(0, words=9000)], weights) == [0, 5]
    bounds = (Evidence("same", 4500), Evidence("differs", -2000))
    some = [RatedExample("a", 0, (), found) for found in ((), bounds[:1], bounds)]
    assert predict(some, ()) == [0, 4.5, 2]


def scored(number):
    first, second = (make_sentence([f"{side}{number}"]) for side in "xy")
    return ScoredPair(Pair(str(number), first, second), 3.0)


def test_mismatched_pairs_are_of_different_pairs_of_one_data_set():
    many = [scored(number) for number in range(1000)]
    few = [scored(number) for number in range(1000, 1007)]
    found = ratings.mismatched([many, few])
    assert len(found) == 143 + 7
    for one in found:
        first, second = (int(sentence.text[1:]) for sentence in (one.pair.sent1, one.pair.sent2))
        assert (first == second, first < 1000, one.score) == (False, second < 1000, 0)
    assert len({one.pair.id for one in found}) == len(found)


@pytest.mark.slow
def test_every_evidence_of_the_rules_is_collected(tmp_path):
    rule = 'speaks_for(mine,700) :- word(1,_,"x1").\nspeaks_against(theirs,20) :- word(2,_,"y1").\n'
    (tmp_path / "conflicts.lp").write_text(rule)
    with ratings.RatingExampleBuilder(Setup("sts-en", (tmp_path / "conflicts.lp",))) as teacher:
        assert teacher.highest == 5
        one, two = teacher.examples("a", [scored(1), scored(2)])
    assert {Evidence("mine", 700), Evidence("theirs", -20)} <= set(one.evidence)
    assert not {"mine", "theirs"} & {item.name for item in two.evidence}


def test_what_speaks_against_a_rating_is_negative():
    pair = Pair("1", make_sentence(["9", "men", "died"]), make_sentence(["7", "men", "died"]))
    with load_shared("sts-en") as system:
        program = system.program(Purpose.RATING)
        items = (program.facts(*decided) for decided in system.decided([pair]))
        (best,) = program.solver.best_of_all(items)
        found, _ = ratings.evidence_of(best.atoms)
    values = {one.name: one.thousandths for one in found}
    assert values["numbers_differ"] == -1000
    assert max(values.values()) > 0
