"""Which weights belong to which rule."""

import re

import pytest

from ists_asp.rules import load_program
from ists_asp.rules.weights import rule_weights

NAMED = '%@rule {}: "x"\n'


def found(load, text, constants=()):
    weights = rule_weights(load(text), constants)
    return {
        name: [f"{one.evidence},{one.decision},{one.value}" for one in own]
        for name, own in weights.items()
    }


def rules(*texts, weights=""):
    named = (NAMED.format(f"r{number}") + text for number, text in enumerate(texts))
    return "\n".join([*named, weights])


def test_a_name_with_arguments_belongs_to_the_rule_whose_head_has_them(load):
    text = rules(
        "evidence(pair(X,Y),meaning(N),100) :- p(X,Y,N).",
        "evidence(pair(X,Y),meaning(here,N),100) :- p(X,Y,N).",
        "evidence(pair(X,Y),both(F,F),100) :- p(X,Y,F).",
        'evidence(pair(X,Y),word("a"),100) :- p(X,Y,1).',
        weights="weight(meaning(20),align,3). weight(meaning(40),align,-5). "
        "weight(meaning(here,1),align,1). weight(both(a,a),align,1). weight(both(a,b),align,1). "
        'weight(word("a"),align,2). weight(word("b"),align,2). weight(word(a),align,2).',
    )
    assert found(load, text) == {
        "r0": ["meaning(40),align,-5", "meaning(20),align,3"],
        "r1": ["meaning(here,1),align,1"],
        "r2": ["both(a,a),align,1"],
        "r3": ['word("a"),align,2'],
    }


def test_the_decision_tells_features_of_the_same_name_apart(load):
    text = rules(
        "evidence(boundary(S,I),bias,100) :- p(S,I).",
        "evidence(pair(X,Y),bias,100) :- p(X,Y).",
        "evidence(link(X,Y),bias,100) :- p(X,Y).",
        weights="weight(bias,(boundary;align;equi;score(3)),1).",
    )
    assert found(load, text) == {
        "r0": ["bias,boundary,1"],
        "r1": ["bias,align,1", "bias,equi,1", "bias,score(3),1"],
        "r2": ["bias,equi,1", "bias,score(3),1"],
    }


def test_a_rule_that_passes_features_on_has_the_weights_of_those_that_it_can(load):
    text = rules(
        "evidence(pair(X,Y),a(N),100) :- p(X,Y), _step(N).",
        "evidence(link(X,Y),b,100) :- p(X,Y).",
        "evidence(link(X,Y),N,100) :- p(X,Y), evidence(pair(X,Y),N,100).",
        weights="weight(a(1),equi,1). weight(b,equi,2). weight(c,equi,3). _step(1).",
    )
    assert found(load, text) == {"r0": ["a(1),equi,1"], "r1": ["b,equi,2"], "r2": ["a(1),equi,1"]}


def test_tables_narrow_the_names(load):
    text = rules(
        "evidence(pair(X,Y),near(N),100) :- p(X,Y), _near(N).",
        "evidence(pair(X,Y),near(N),100) :- p(X,Y), _far(N,_), not _near(N).",
        weights="_near(1..2). _far(9,(a;b)). weight(near(2),align,1). weight(near(9),align,2).",
    )
    # An interval may be any number.
    assert found(load, text) == {
        "r0": ["near(9),align,2", "near(2),align,1"],
        "r1": ["near(9),align,2"],
    }


def test_pools_arithmetic_and_constants(load):
    text = rules(
        "evidence(pair(X,Y),(a;b),100) :- p(X,Y).",
        "evidence(pair(X,Y),step(N*10),100) :- p(X,Y), q(N).",
        "evidence(pair(X,Y),at(limit),100) :- p(X,Y).",
        "{ evidence(pair(X,Y),maybe,100) : p(X,Y) }.",
        weights="#const limit=3. weight(a,align,1). weight(b,align,2). weight(step(20),align,3). "
        "weight(step(x),align,3). weight(at(3),align,limit). weight(maybe,align,limit+1).",
    )
    own = {
        "r0": ["b,align,2", "a,align,1"],
        "r1": ["step(20),align,3"],
        "r2": ["at(3),align,3"],
        "r3": ["maybe,align,4"],
    }
    assert found(load, text) == own
    own |= {"r2": ["at(3),align,8"], "r3": ["maybe,align,9"]}
    assert found(load, text, (("limit", "8"),)) == own


@pytest.mark.slow
def test_every_weight_of_the_shipped_profiles_has_a_rule():
    for name in ("default", "headlines", "images", "answers-students"):
        profile, loaded = load_program(name)
        known = {
            tuple(one.rsplit(",", 2)[:2])
            for node in loaded.statements
            for fact in ("weight(", "correction(")
            if str(node).startswith(fact) and not str(node).startswith(f"{fact}label(")
            for one in re.split(r';(?=[^"]*(?:"[^"]*"[^"]*)*$)', str(node.head)[len(fact) : -1])
        }
        told = {
            (one.evidence, one.decision)
            for own in rule_weights(loaded, profile.constants).values()
            for one in own
        }
        assert told == known
        assert len(told) > 250
