"""What a rule of one's own makes equivalent is labelled, told and rated as the same."""

import pytest

from ists_asp.errors import UnknownNameError
from tests.sharing import load_shared, shared_system

WALK, RUN = "A man walks in the park", "A man runs in the park"
KINDS = """
%@rule walk_is_run: "walking is running"
alike(I,J,gait,80) :- lemma(1,I,"walk"), lemma(2,J,"run").
%@rule run_is_walk: "running is walking"
alike(I,J,gait,80) :- lemma(1,I,"run"), lemma(2,J,"walk").
"""
LICENCE = """
%@rule gaits: "one side walks, the other runs"
licensed(X,Y,equi,gait) :- viable(X,Y), span_token(1,X,I), span_token(2,Y,J),
    lemma(1,I,L), lemma(2,J,M), L != M, L = ("walk";"run"), M = ("walk";"run").
%@rule nothing_but_equal: "a licence of these is enough"
forbidden_label(X,Y,(oppo;spe1;spe2;simi;rel)) :- licensed(X,Y,equi,gait).
"""
EQUAL = {"kind.lp": KINDS, "licence.lp": LICENCE, "fact.lp": 'same_meaning("walk","run").'}
EQUAL["table.tsv"] = "walk = run\n"


@pytest.fixture
def outcome(tmp_path):
    """The labels of the third word, the explanation and the rating of a pair, by more rules."""

    def decide(pair, text, name="mine.lp"):
        (tmp_path / name).write_text(text)
        with load_shared("sts-en", rules=[tmp_path / name]) as system:
            answer = system.solve(*pair)
            labels = [line.label for line in answer.alignments if line.tokens1 == (3,)]
            explanation, rating = system.explain(answer).text, system.rate(answer).value
            assert system.warnings == ()
            return labels, explanation, rating

    return decide


def check_same(labels, text, rating):
    assert labels == ["EQUI"]
    assert text.startswith("They say the same in other words.")
    assert rating >= 4.75


@pytest.mark.slow
@pytest.mark.parametrize("name", EQUAL)
@pytest.mark.parametrize("pair", [(WALK, RUN), (RUN, WALK)])
def test_label_text_and_rating_say_one_thing(outcome, name, pair):
    check_same(*outcome(pair, EQUAL[name], name))


@pytest.mark.slow
def test_a_licence_of_ones_own_is_above_what_is_never_the_same(outcome):
    pair = ("They feed horses", "They feed cows")
    assert outcome(pair, "% nothing.")[0] == ["SIMI"]
    check_same(*outcome(pair, LICENCE.replace("walk", "horse").replace("run", "cow")))


UNKNOWN = """
%@rule aligned_all: "each span is aligned"
:- not aligned(_,_), chunk(1,_).
%@rule liked: "neighbours"
:~ aligned(X,Y). [-10@4,X,Y]
"""
GAITS = """
%@rule gaits_alike: "walkers and runners are alike"
alike(I,J,gait,85) :- lemma(1,I,V), lemma(2,J,W), V != W, _moving(V), _moving(W).
%@rule moving: "somebody who moves"
_moving("walker";"runner").
"""
ROLES = '%@rule odd: "odd"\ncontrast(gait,I,J) :- role(1,_,agent,I), role(2,_,agent,J).'
CONTRAST = '%@rule odd: "one runs"\ncontrast(gait,I,J) :- lemma(1,I,"walk"), lemma(2,J,"run").'
DENIED = ("A man does not walk in the park", RUN)
SWAPPED = ("The walker praised a runner", "The runner praised a walker")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "rules", "start", "lowest", "highest"),
    [
        ((WALK, RUN), "", "", 0, 4.5),
        # A denial still counts, and so do swapped roles.
        (DENIED, KINDS, "Only the first denies", 0, 4),
        (DENIED, LICENCE, "", 0, 4),
        (SWAPPED, GAITS, "The roles are swapped", 0, 2),
        # Rules of answers stay out of explanations and ratings, and the other way round.
        ((WALK, WALK), UNKNOWN, "They say the same.", 4.75, 5),
        ((WALK, RUN), CONTRAST, "", 0, 2.5),
        ((WALK, RUN), ROLES, "", 0, 4.5),
    ],
)
def test_rules_count_where_they_belong(outcome, pair, rules, start, lowest, highest):
    _, text, rating = outcome(pair, rules)
    assert text.startswith(start)
    assert ("the same" in text) == (start == "They say the same.")
    assert lowest <= rating <= highest


@pytest.mark.slow
def test_a_rule_that_no_program_can_use_is_refused(outcome):
    with pytest.raises(UnknownNameError, match="means/2: it holds in explanations and ratings"):
        outcome((WALK, WALK), '%@rule odd: "odd"\n_odd(X) :- aligned(X,_), means(_,_).')


DENIALS = """
The resistance doesn't change / The resistance changes
The resistance doesn’t change / The resistance changes
The resistance doesnt change / The resistance changes
The bulb didnt light / The bulb lit
The bulb isnt lit / The bulb is lit
The bulb wasn’t lit / The bulb was lit
Electrons dont move / Electrons move
Current cant flow / Current can flow
Current couldn't flow / Current could flow
The bulb wont light / The bulb will light
The bulb wouldnt light / The bulb would light
The battery hasnt changed / The battery has changed
The bulbs arent lit / The bulbs are lit
"""


@pytest.mark.slow
def test_a_contracted_denial_is_told_and_what_cannot_be_done():
    pairs = [line.split(" / ") for line in DENIALS.strip().splitlines()]
    pairs.append(("so current cannot flow", "No current flows"))
    system = shared_system()
    explanations = system.explain_many(system.solve_many(pairs, rated=False))
    *texts, cannot = [explanation.text for explanation in explanations]
    for (denied, _), text in zip(pairs[:-1], texts, strict=True):
        quoted = " ".join(denied.split()[-2:])
        assert text.startswith(f"Only the first denies something: “{quoted}”")
    assert "something that cannot be done: “cannot flow”" in cannot
