"""The stand-in for the solver chooses what the solver chooses."""

import random
from itertools import combinations

import pytest

from ists_asp.learn.cross import best_candidates
from ists_asp.learn.examples import Candidate
from ists_asp.learn.fit import Weight
from ists_asp.learn.rendering import render_weights


def candidate(tokens1, tokens2):
    return Candidate(tuple(tokens1), tuple(tokens2), 1, {}, {}, ({}, {}), frozenset(), None)


def by_hand(candidates, weights):
    """The best total over all choices that use no token twice."""
    best = 0
    for size in range(len(candidates) + 1):
        for chosen in combinations(range(len(candidates)), size):
            sides = [
                [token for number in chosen for token in candidates[number].tokens1],
                [token for number in chosen for token in candidates[number].tokens2],
            ]
            if all(len(side) == len(set(side)) for side in sides):
                best = max(best, sum(weights[number] for number in chosen))
    return best


@pytest.mark.parametrize("seed", range(30))
def test_no_choice_is_better(seed):
    draw = random.Random(seed)
    drawn = (
        candidate(sorted(draw.sample(range(1, 6), draw.randint(1, 2))), draw.sample(range(1, 6), 1))
        for _ in range(12)
    )
    # Two that are the same could not be told apart below.
    candidates = list({(one.tokens1, one.tokens2): one for one in drawn}.values())
    assert len(candidates) > 6
    weights = [draw.randint(-20, 100) for _ in candidates]
    chosen = best_candidates(candidates, weights)
    total = sum(weights[candidates.index(one)] for one in chosen)
    assert len({(one.tokens1, one.tokens2) for one in chosen}) == len(chosen)
    used = [token for one in chosen for token in one.tokens1]
    assert len(used) == len(set(used))
    assert total == by_hand(candidates, weights)


def test_many_rivals_take_no_time_and_what_weighs_nothing_is_not_chosen():
    rivals = [candidate([i], [j]) for i in range(1, 31) for j in range(1, 31)]
    weights = [100 - abs(one.tokens1[0] - one.tokens2[0]) for one in rivals]
    chosen = best_candidates(rivals, weights)
    assert {one.tokens1 == one.tokens2 for one in chosen} == {True}
    assert len(chosen) == 30
    assert best_candidates(rivals[::31][:2], [0, -5]) == best_candidates([], []) == ()


@pytest.mark.slow
def test_the_solver_chooses_the_same(teacher, examples):
    """With weights drawn at random, so that no two choices are equally good."""
    compared = 0
    for seed in range(3):
        draw = random.Random(seed)
        names = sorted({name for e in examples for c in e.candidates for name in c.pair})
        values = {name: draw.randint(-97, 113) for name in names}
        drawn = [Weight(name, "align", value, 1) for name, value in values.items()]
        text = render_weights(drawn, {}, "drawn at random", "none")
        answers = teacher.decide(text, [(example, True) for example in examples])
        for example, (answer, _) in zip(examples, answers, strict=True):
            worth = [
                one.token_count * int(sum(values[n] * v for n, v in one.pair.items()) / 100)
                for one in example.candidates
            ]
            chosen = best_candidates(example.candidates, worth)
            lines = [line for line in answer.alignments if line.label.aligned]
            assert {(line.tokens1, line.tokens2) for line in lines} == {
                (one.tokens1, one.tokens2) for one in chosen
            }
            compared += len(chosen)
    assert compared > 20
