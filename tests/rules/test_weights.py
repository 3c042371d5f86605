"""Which weights belong to which rule."""

import re

import pytest

from ists_asp.rules import load_program
from ists_asp.rules.weights import rule_weights

BLOCKS = """
a name with arguments belongs to the rule whose head has them
evidence(pair(X,Y),meaning(N),100) :- p(X,Y,N).      -> meaning(40),align,-5 meaning(20),align,3
evidence(pair(X,Y),meaning(here,N),100) :- p(X,Y,N). -> meaning(here,1),align,1
evidence(pair(X,Y),both(F,F),100) :- p(X,Y,F).       -> both(a,a),align,1
evidence(pair(X,Y),word("a"),100) :- p(X,Y,1).       -> word("a"),align,2
weight(meaning(20),align,3). weight(meaning(40),align,-5). weight(meaning(here,1),align,1).
weight(both(a,a),align,1). weight(both(a,b),align,1).
weight(word("a"),align,2). weight(word("b"),align,2). weight(word(a),align,2).

the decision tells features of the same name apart
evidence(boundary(S,I),bias,100) :- p(S,I). -> bias,boundary,1
evidence(pair(X,Y),bias,100) :- p(X,Y).     -> bias,align,1 bias,equi,1 bias,score(3),1
evidence(link(X,Y),bias,100) :- p(X,Y).     -> bias,equi,1 bias,score(3),1
weight(bias,(boundary;align;equi;score(3)),1).

a rule that passes features on has the weights of those that it can
evidence(pair(X,Y),a(N),100) :- p(X,Y), _step(N).                     -> a(1),equi,1
evidence(link(X,Y),b,100) :- p(X,Y).                                  -> b,equi,2
evidence(link(X,Y),N,100) :- p(X,Y), evidence(pair(X,Y),N,100).       -> a(1),equi,1
weight(a(1),equi,1). weight(b,equi,2). weight(c,equi,3). _step(1).

tables narrow the names; an interval may be any number
evidence(pair(X,Y),near(N),100) :- p(X,Y), _near(N). -> near(9),align,2 near(2),align,1
evidence(pair(X,Y),near(N),100) :- p(X,Y), _far(N,_), not _near(N). -> near(9),align,2
_near(1..2). _far(9,(a;b)). weight(near(2),align,1). weight(near(9),align,2).

pools, arithmetic and constants
evidence(pair(X,Y),(a;b),100) :- p(X,Y).                -> b,align,2 a,align,1
evidence(pair(X,Y),step(N*10),100) :- p(X,Y), q(N).     -> step(20),align,3
evidence(pair(X,Y),at(limit),100) :- p(X,Y).            -> at(3),align,LIMIT
{ evidence(pair(X,Y),maybe,100) : p(X,Y) }.             -> maybe,align,MORE
#const limit=3. weight(a,align,1). weight(b,align,2). weight(step(20),align,3).
weight(step(x),align,3). weight(at(3),align,limit). weight(maybe,align,limit+1).
"""
"""Rules with the weights that are theirs, and below them the facts that they are found by."""


@pytest.mark.parametrize("constants", [(), (("limit", "8"),)], ids=["plain", "constant"])
@pytest.mark.parametrize("block", BLOCKS.strip().split("\n\n"))
def test_a_rule_has_the_weights_of_the_evidence_that_it_finds(load, block, constants):
    limit = int(dict(constants).get("limit", 3))
    _, *lines = block.replace("LIMIT", str(limit)).replace("MORE", str(limit + 1)).splitlines()
    rules = [tuple(map(str.strip, line.split("->"))) for line in lines if "->" in line]
    facts = [line for line in lines if "->" not in line]
    named = [f'%@rule r{number}: "x"\n{rule}' for number, (rule, _) in enumerate(rules)]
    weights = rule_weights(load("\n".join([*named, *facts])), constants)
    assert {
        name: [f"{weight.evidence},{weight.decision},{weight.value}" for weight in own]
        for name, own in weights.items()
    } == {f"r{number}": expected.split() for number, (_, expected) in enumerate(rules)}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["default", "headlines", "images", "answers-students"])
def test_every_weight_of_the_shipped_profiles_has_a_rule(name):
    profile, loaded = load_program(name)
    weighed = {
        tuple(entry.rsplit(",", 2)[:2])
        for node in loaded.statements
        for fact in ("weight(", "correction(")
        if str(node).startswith(fact) and not str(node).startswith(f"{fact}label(")
        for entry in re.split(r';(?=[^"]*(?:"[^"]*"[^"]*)*$)', str(node.head)[len(fact) : -1])
    }
    of_rules = rule_weights(loaded, profile.constants).values()
    assert {(weight.evidence, weight.decision) for own in of_rules for weight in own} == weighed
    assert len(weighed) > 250
