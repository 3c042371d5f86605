"""A decision as a contrast: one model for terminal, JSON, report and Python."""

import json
from functools import cache

import pytest

from ists_asp.errors import UsageError
from ists_asp.resources import rules_dir
from ists_asp.vocabulary import LABEL_WEIGHT
from tests.trace.conftest import system

PAIR = ("Storm kills 12 in northern India", "Storm slays 10 in India")


@pytest.fixture(scope="module")
def trace():
    return system("headlines").trace(*PAIR)


@cache
def same():
    return system("headlines").trace("A cat sleeps", "A cat sleeps")


@pytest.fixture(scope="module")
def label(trace):
    """The contrast of the label of the chunks with numbers."""
    (found,) = trace.why("3 <==> 3 // SIMI").contrasts
    return found


@pytest.mark.slow
def test_pros_and_cons_add_up_to_what_the_runner_up_lacks(trace, label):
    weighs = {
        str(atom.arguments[2]).upper(): atom.arguments[3].number
        for atom in trace.atoms(LABEL_WEIGHT.name)
        if atom.arguments[:2] == ("run(3,3)", "run(3,3)")
    }
    assert label.runner_up in weighs
    assert label.by == pytest.approx(weighs["SIMI"] - weighs[label.runner_up], abs=2)
    total = sum(one.points for one in (*label.pros, *label.cons))
    assert total == pytest.approx(label.by, abs=len(label.pros) + len(label.cons))


@pytest.mark.slow
def test_no_evidence_is_told_twice_and_the_heaviest_comes_first(trace):
    for line in ("2 <==> 2", "3 <==> 3", "4 5 6 <==> 4 5"):
        for one in trace.why(line).contrasts:
            names = [reason.name for reason in (*one.pros, *one.cons)]
            assert len(names) == len(set(names))
            for side in (one.pros, one.cons):
                assert [abs(reason.points) for reason in side] == sorted(
                    (abs(reason.points) for reason in side), reverse=True
                )


def test_a_reason_has_value_weight_and_rule(label):
    reason = next(
        one
        for one in label.pros
        if one.value == 100 and "(" not in one.name and "each side" not in one.sentence
    )
    assert reason.weight == reason.points
    lines = (rules_dir().parent / reason.rule.file).read_text("utf-8").splitlines()
    assert lines[reason.rule.line - 2].startswith(f"%@rule {reason.rule.name}: ")
    assert reason.name in lines[reason.rule.line - 1]


def test_a_score_is_told_by_the_point_halfway_to_the_runner_up(trace):
    (score,) = [one for one in trace.why("3 <==> 3").contrasts if one.kind == "score"]
    assert score.by > 0
    assert any(
        one.sentence.startswith("SIMI has a base score of ") for one in (*score.pros, *score.cons)
    )


@pytest.mark.slow
def test_the_only_label_with_a_licence_is_told_by_it():
    found = same().why("1 2 <==> 1 2 // EQUI")
    (only,) = found.contrasts
    assert only.sentence == "EQUI, as no other label has a licence: both sides have the same words"
    assert only.pros == only.cons == ()


def test_a_chunk_without_counterpart_is_told_by_the_best_one():
    trace = system("headlines").trace("Storm hits coast", "Minister resigns")
    (found,) = trace.why("1 <==> 0").contrasts
    assert found.runner_up == 'aligned with "Minister"'
    assert found.sentence == (
        'no counterpart: the best would be "Minister", and too little speaks for it'
    )
    assert found.by > 0


def test_json_has_what_the_terminal_shows(trace):
    found = trace.why("3 <==> 3")
    told = json.loads(json.dumps(found.to_dict()))
    assert [one["kind"] for one in told["decisions"]] == ["align", "label", "score"]
    text = found.text(everything=True)
    for one in told["decisions"]:
        assert one["sentence"] in text
        for reason in (*one["pros"], *one["cons"]):
            assert f"{reason['points']:+} {reason['sentence']} ({reason['name']})" in text
            assert f"{reason['rule']['file']}:{reason['rule']['line']}" in text


def test_ties_and_bookkeeping_are_told_only_with_all():
    found = same().why("1 2 <==> 1 2")
    assert "objective would be the same" not in found.text()
    assert "one_label" not in found.text()
    assert "one_label" in found.text(everything=True)


@pytest.mark.slow
@pytest.mark.parametrize("swapped", [False, True])
def test_labels_that_weigh_the_same_are_told_so(swapped):
    """Both sides add a word: what permits SPE1 permits SPE2, and the first in order is taken."""
    pair = "Two animals sitting on a rock .", "Two eagles sitting on a long branch ."
    found = system("headlines", reader=False).trace(*pair[:: -1 if swapped else 1])
    (label,) = found.why("1 2 <==> 1 2 // SPE1").contrasts
    assert label.sentence == "SPE1, not SPE2: as much speaks for either"


def test_an_atom_is_derived_from_facts(trace):
    text = trace.why("alike(2,2,_,_)").text()
    assert "kill means the same as slay" in text
    assert "lp_rules/english/paraphrases.lp" in trace.why("alike(2,2,_,_)").text(depth=5)
    assert (
        trace.why("evidence(side(_,run(3,3),_),adds_one_word,_)").text().count("one_word_added")
        == 2
    )
    assert trace.why('word(1,_,"storm")').atoms == ('word(1,1,"storm")',)


def test_an_atom_that_does_not_hold_has_bodies_that_nearly_derive_it(trace):
    found = trace.why_not("adds(2,run(4,6),run(4,5))")
    assert "adds_word" in found.text()
    assert found.to_dict()["tree"]["below"]
    assert "missing: negates" in trace.why_not("forbidden_label(_,_,spe1)").text()


@pytest.mark.parametrize(
    ("ask", "text", "problem"),
    [
        ("why", "alike(1,1)", "Did you mean alike/4"),
        ("why", "alke(1,1,_,_)", "Did you mean alike/4"),
        ("why", "alike(X,1,_,_)", "not an atom"),
        ("why", "alike(1,2,_,_)", "Ask ists-asp why-not"),
        ("why_not", "alike(1,1,_,_)", "Ask ists-asp why"),
    ],
)
def test_a_question_about_an_atom_is_checked(trace, ask, text, problem):
    with pytest.raises(UsageError, match=problem):
        getattr(trace, ask)(text)
