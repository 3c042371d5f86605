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
GIVEN = {
    "own_kind.lp": KINDS,
    "licence.lp": LICENCE,
    "fact.lp": 'same_meaning("walk","run").',
    "table.tsv": "walk = run\n",
}


def told(tmp_path, name, *pair, text=None):
    """The labels, the explanation and the rating of a pair, with a file of rules."""
    file = tmp_path / name
    file.write_text(GIVEN[name] if text is None else text)
    with load_shared("sts-en", rules=[file]) as system:
        answer = system.solve(*pair)
        labels = [line.label for line in answer.alignments if line.tokens1 == (3,)]
        return labels, system.explain(answer).text, system.rate(answer).value


@pytest.mark.slow
@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("pair", [(WALK, RUN), (RUN, WALK)])
def test_label_text_and_rating_say_one_thing(tmp_path, name, pair):
    labels, text, rating = told(tmp_path, name, *pair)
    assert labels == ["EQUI"]
    assert text.startswith("They say the same in other words.")
    assert rating >= 4.75


@pytest.mark.slow
def test_without_such_a_rule_the_words_differ():
    with load_shared("sts-en") as system:
        answer = system.solve(WALK, RUN)
        assert "the same" not in system.explain(answer).text
        assert system.rate(answer).value < 4.5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["own_kind.lp", "licence.lp"])
def test_a_denial_still_counts(tmp_path, name):
    _, text, rating = told(tmp_path, name, "A man does not walk in the park", RUN)
    assert "the same" not in text
    assert rating < 4


@pytest.mark.slow
def test_what_explanations_and_ratings_do_not_know_stays_out_of_them(tmp_path):
    text = """
    %@rule aligned_all: "each span is aligned"
    :- not aligned(_,_), chunk(1,_).
    %@rule liked: "neighbours"
    :~ aligned(X,Y). [-10@4,X,Y]
    """
    _, same, _ = told(tmp_path, "licence.lp", WALK, WALK, text=text)
    assert same == "They say the same."


@pytest.mark.slow
def test_a_rule_that_no_program_can_use_is_refused(tmp_path):
    text = """
    %@rule odd: "an alignment, and something that is said"
    _odd(X) :- aligned(X,_), means(_,_).
    """
    with pytest.raises(UnknownNameError, match="means/2: it holds in explanations and ratings"):
        told(tmp_path, "licence.lp", WALK, WALK, text=text)


@pytest.mark.slow
def test_a_rule_of_explanations_is_added_by_a_file_of_its_own(tmp_path):
    text = """
    %@rule says_runner: "somebody runs in one sentence only"
    contrast(gait,I,J) :- lemma(1,I,"walk"), lemma(2,J,"run").
    """
    _, _, rating = told(tmp_path, "fact.lp", WALK, RUN, text=text)
    assert rating <= 2.5


@pytest.mark.slow
def test_a_kind_of_ones_own_hides_no_swapped_roles(tmp_path):
    text = """
    %@rule gaits_alike: "walkers and runners are alike"
    alike(I,J,gait,85) :- lemma(1,I,V), lemma(2,J,W), V != W, _moving(V), _moving(W).
    %@rule moving: "somebody who moves"
    _moving("walker";"runner").
    """
    pair = "The walker praised a runner", "The runner praised a walker"
    _, said, rating = told(tmp_path, "own_kind.lp", *pair, text=text)
    assert said.startswith("The roles are swapped")
    assert rating < 2


@pytest.mark.slow
def test_a_rule_of_explanations_alone_brings_no_warning(tmp_path):
    file = tmp_path / "mine.lp"
    file.write_text(
        '%@rule odd: "odd"\ncontrast(gait,I,J) :- role(1,_,agent,I), role(2,_,agent,J).'
    )
    with load_shared("sts-en", rules=[file]) as system:
        answer = system.solve(WALK, RUN)
        assert system.explain(answer).text
        assert system.warnings == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("denied", "affirmed"),
    [
        ("The resistance doesn't change", "The resistance changes"),
        ("The resistance doesn’t change", "The resistance changes"),
        ("The resistance doesnt change", "The resistance changes"),
        ("The bulb didnt light", "The bulb lit"),
        ("The bulb isnt lit", "The bulb is lit"),
        ("The bulb wasn’t lit", "The bulb was lit"),
        ("Electrons dont move", "Electrons move"),
        ("Current cant flow", "Current can flow"),
        ("Current couldn't flow", "Current could flow"),
        ("The bulb wont light", "The bulb will light"),
        ("The bulb wouldnt light", "The bulb would light"),
        ("The battery hasnt changed", "The battery has changed"),
        ("The bulbs arent lit", "The bulbs are lit"),
    ],
)
def test_a_contracted_denial_is_told(denied, affirmed):
    system = shared_system()
    text = system.explain(system.solve(denied, affirmed)).text
    assert text.startswith(f"Only the first denies something: “{' '.join(denied.split()[-2:])}”")


def test_what_cannot_be_done_is_not_told_as_what_can_be_done():
    system = shared_system()
    text = system.explain(system.solve("so current cannot flow", "No current flows")).text
    assert "something that cannot be done: “cannot flow”" in text
