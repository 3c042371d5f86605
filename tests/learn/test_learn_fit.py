"""Weights fitted to a handful of examples."""

from dataclasses import replace
from statistics import fmean, stdev

import pytest

from ists_asp.errors import DataError, UsageError
from ists_asp.learn import Settings, Weight, cross_validate, learn_weights, render_weights
from ists_asp.learn.examples import Decision
from ists_asp.learn.fit import BIAS, LABELS, fit_alignments, fit_boundaries, fit_labels, strongest
from ists_asp.learn.folds import deal
from ists_asp.model import Label

SETTINGS = Settings()


def fit(examples, settings=SETTINGS):
    """All four decisions, without tuning."""
    weights = [
        *fit_boundaries(examples, settings),
        *fit_alignments(examples, settings),
        *fit_labels(examples, settings),
    ]
    return strongest(weights, settings)


def relabelled(examples, change):
    """The examples with each gold alignment of a candidate changed."""
    return [
        replace(
            example,
            **{
                side: tuple(
                    replace(one, gold=one.gold and change(one.gold))
                    for one in getattr(example, side)
                )
                for side in ("candidates", "mirrored")
            },
        )
        for example in examples
    ]


def test_examples_have_features_of_all_decisions(examples):
    (storm, *_) = examples
    assert {decision.taken for decision in storm.boundaries} == {True, False}
    golden = [one for one in storm.candidates if one.gold]
    assert {one.gold.label for one in golden} == {Label.EQUI, Label.SPE1}
    for one in storm.candidates:
        assert "bias" in one.align
        assert {name for name in one.align if not name.startswith("both(")} <= set(one.link)
        assert one.mass > 0
    assert "neither_adds" in golden[0].link


def test_a_mirror_image_turns_more_specific_round(examples):
    (storm, *_) = examples
    swapped = {(one.tokens2, one.tokens1): one for one in storm.mirrored}
    assert len(swapped) == len(storm.mirrored)
    turned = {Label.SPE1: Label.SPE2, Label.SPE2: Label.SPE1}
    golden = [one for one in storm.candidates if one.gold]
    assert golden
    for one in golden:
        mirror = swapped[one.tokens1, one.tokens2]
        assert mirror.gold.label is turned.get(one.gold.label, one.gold.label)
        assert mirror.mass == one.mass


def test_the_strongest_weights_are_kept_and_come_first(examples):
    weights = fit(examples)
    strengths = [abs(weight.value) for weight in weights]
    assert strengths == sorted(strengths, reverse=True)
    fewer = fit(examples, replace(SETTINGS, most=20))
    assert fewer == weights[:20]
    assert all(weight.support >= 4 or weight.name == "bias" for weight in weights)
    assert all(abs(weight.value) >= 4 or weight.name == "bias" for weight in weights)


def test_learning_twice_gives_the_same(examples):
    texts = [render_weights(learn_weights(examples, SETTINGS), "x", "y") for _ in range(2)]
    assert texts[0] == texts[1]


def test_one_label_for_all_is_learned_as_such(examples):
    same = relabelled(examples, lambda gold: replace(gold, label=Label.SIMI, score=3.0))
    weights = learn_weights(same, SETTINGS)
    labelling = [w for w in weights if w.decision not in ("align", "boundary")]
    assert [w for w in labelling if w.support] == [
        Weight("bias", decision, 100, weights_support(same)) for decision in ("score(3)", "simi")
    ]
    against = {w.decision for w in labelling if w.value < 0}
    assert against == LABELS - {"simi"}


def weights_support(examples):
    return sum(
        one.gold is not None
        for example in examples
        for one in (*example.candidates, *example.mirrored)
    )


def test_two_labels_are_weighed_against_each_other(examples):
    def change(gold):
        equal = gold.label is Label.EQUI
        return replace(gold, label=Label.EQUI if equal else Label.SIMI)

    weights = fit(relabelled(examples, change))
    equi = {w.name: w.value for w in weights if w.decision == "equi"}
    simi = {w.name: -w.value for w in weights if w.decision == "simi"}
    assert equi
    assert equi == simi


def test_pairs_without_candidates_do_no_harm(examples):
    bare = [*examples, replace(examples[0], candidates=(), mirrored=(), boundaries=())]
    assert fit(bare) == fit(examples)


def ungold(candidates):
    return tuple(replace(one, gold=None) for one in candidates)


@pytest.mark.parametrize(
    ("spoilt", "what"),
    [
        (lambda e: replace(e, candidates=(), mirrored=()), "alignments"),
        (lambda e: replace(e, candidates=ungold(e.candidates), mirrored=()), "alignments"),
        (lambda e: replace(e, boundaries=(Decision(("bias",), True),)), "chunk boundaries"),
        (lambda e: replace(e, boundaries=()), "chunk boundaries"),
    ],
)
def test_gold_without_a_choice_is_an_error(examples, spoilt, what):
    with pytest.raises(DataError, match=f"no choice to learn from: {what}"):
        fit(list(map(spoilt, examples)))


def test_each_item_is_tested_once():
    items = list(range(11))
    parts = list(deal(items, 4, seed=3))
    assert sorted(item for _, test in parts for item in test) == items
    assert all(sorted(train + test) == items for train, test in parts)
    assert parts == list(deal(items, 4, seed=3))
    assert parts != list(deal(items, 4, seed=4))


@pytest.mark.slow
def test_cross_validation_scores_held_out_answers(teacher, examples):
    ticks = []
    results = cross_validate(teacher, examples, SETTINGS, folds=3, tick=lambda: ticks.append(None))
    assert len(ticks) == 2 * len(examples)
    with_gold, with_found = results
    assert with_gold.chunking is None
    assert with_found.chunking.sentences == 2 * len(examples)
    for result in results:
        assert len(result.folds) == 3
        total = sum(fold.alignment.total_gold for fold in result.folds)
        assert result.overall.alignment.total_gold == pytest.approx(total)
        mean, spread = result.spread("type_score")
        assert 0 <= mean <= result.spread("alignment")[0] <= 1
        f1s = [fold.type_score.f1 for fold in result.folds]
        assert (mean, spread) == pytest.approx((fmean(f1s), stdev(f1s)))


@pytest.mark.parametrize("folds", [1, 11])
def test_more_parts_than_pairs_are_refused(teacher, examples, folds):
    with pytest.raises(UsageError, match=f"{folds} parts of 10 gold pairs"):
        cross_validate(teacher, examples, SETTINGS, folds=folds)


def test_a_label_that_no_example_has_is_spoken_against(examples):
    labels = {
        candidate.gold.label.value.lower()
        for example in examples
        for candidate in example.candidates
        if candidate.gold
    }
    seldom = min(labels)
    lacking = [
        replace(
            example,
            candidates=tuple(
                one
                for one in example.candidates
                if not one.gold or one.gold.label.value.lower() != seldom
            ),
            mirrored=(),
        )
        for example in examples
    ]
    weights = {
        (weight.name, weight.decision): weight
        for weight in fit_labels(lacking, SETTINGS)
        if weight.decision == seldom
    }
    assert weights.keys() == {(BIAS, seldom)}
    (weight,) = weights.values()
    assert weight.value < -100
    assert weight.support == 0
