"""Which weights belong to which rule."""

import re
from pathlib import Path

import pytest

from ists_asp.rules import load_program
from ists_asp.rules.weights import rule_weights

# Rules with the weights that are theirs, and below them the facts that they are found by.
BLOCKS = Path(__file__).with_name("weights.txt").read_text("utf-8")


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
