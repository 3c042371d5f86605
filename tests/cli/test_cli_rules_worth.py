"""What rules are worth on gold pairs: the same as if they were deleted."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ists_asp.engine import Setup, System
from ists_asp.evaluate.files import read_references
from ists_asp.evaluate.scorer import Reference, evaluate
from ists_asp.trace.effects import look, places, triable, worth
from tests.sharing import shared_folder, shared_system

SAMPLE = Path(__file__).parents[2] / "data" / "samples" / "headlines"
# For alignments, made of others, and for labels as well.
FEATURES = ["any_pair", "nearest_to_each_other", "least_covered"]
PAIRS = 6
WHERE = ("rules", "where")
INPUT = ("--profile", "headlines", "--sent1", SAMPLE / "sent1.txt", "--sent2", SAMPLE / "sent2.txt")
GOLD = ("--gold", SAMPLE / "gold.wa")
MINE = """\
%@rule nothing: "nothing is aligned"
:- aligned(_,_).
%@rule never: "nothing is opposed to itself"
:- label(X,X,oppo).
"""


@pytest.fixture(scope="module")
def gold():
    return read_references(GOLD[1])


def looked(system, gold, names):
    solver = system.solver.switched(places(system.rules, names))
    pairs = [one.pair for one in list(gold.values())[:PAIRS]]
    groups = {name: [name] for name in names}
    traces = list(system.trace_annotated(system.annotate(pairs)))
    return list(look(traces, groups, lambda: solver, gold))


def without(system, name):
    """A system that never had a rule."""
    rules = system.rules
    kept = [
        (statement, rule)
        for statement, rule in zip(rules.statements, rules.rules, strict=True)
        if rule.name != name
    ]
    statements, others = zip(*kept, strict=True)
    return system.solver.with_rules(replace(rules, statements=statements, rules=others))


def scored(gold, answers):
    right = {one.pair.id: gold[one.pair.id] for one in answers}
    answered = {one.pair.id: Reference(one.pair, one.alignments) for one in answers}
    return evaluate(right, answered).overall


@pytest.mark.slow
@pytest.mark.long
def test_a_rule_switched_off_is_as_good_as_one_deleted(gold):
    system = shared_system("headlines")
    found = looked(system, gold, FEATURES)
    known = list(system.facts_of(system.annotate(one.pair for one in found)))
    total = scored(gold, [next(iter(one)) for one in system.decide(pair for pair, _ in known)])
    for name in FEATURES:
        solutions = without(system, name).solve_all(known)
        less = scored(gold, [one.answers[0] for one in solutions])
        told = worth(name, found)
        for (measure, full), (_, rest) in zip(total.named(), less.named(), strict=True):
            assert told.f1[measure] == pytest.approx(full.f1 - rest.f1, abs=1e-6)
        assert told.changed > 0
        assert told.fires >= PAIRS


@pytest.mark.slow
def test_constraints_are_tried_like_rules_and_tables_are_told_apart(gold, tmp_path):
    rules = tmp_path / "mine.lp"
    rules.write_text(MINE + '%@rule words: "words"\nmy_word("a";"b").\n')
    with System(Setup("headlines", (rules,), cache=shared_folder(), lax=True)).load() as system:
        each, tables = triable(system.rules, system.solver.program)
        assert {"nothing", "never", "same_word"} <= {*each}
        assert "words" in tables
        assert not {*each} & {*tables}
        found = looked(system, gold, ["nothing", "never"])
    nothing, never = (worth(name, found) for name in ("nothing", "never"))
    assert (nothing.rule, nothing.changed, never.changed) == ("nothing", PAIRS, 0)
    # Gold has links, so that it is wrong of all chunks to be left over.
    assert nothing.f1["Ali"] < 0 < nothing.wrong


@pytest.mark.slow
def test_decisions_are_right_or_wrong_by_gold(gold):
    system = shared_system("headlines")
    (pair, *_) = (one.pair for one in gold.values())
    (trace,) = system.trace_annotated(system.annotate([pair]))
    rule = "propose_linked"
    solver = system.solver.switched(places(system.rules, [rule]))
    for lines, right in ((trace.answer.alignments, True), ((), False)):
        told = replace(gold[pair.id], pair=trace.answer.pair, alignments=tuple(lines))
        (looked,) = look([trace], {rule: [rule]}, lambda: solver, {pair.id: told})
        effect = looked.effects[rule]
        assert (effect.right > 0, effect.wrong > 0) == (right, not right)


@pytest.mark.slow
@pytest.mark.long
def test_the_measures_are_those_of_evaluate_and_all_rules_are_ranked(good, tmp_path):
    answers = tmp_path / "out.wa"
    good("solve", *INPUT, "-o", answers, "-q")
    measured = json.loads(good("evaluate", GOLD[1], answers, "--json"))["overall"]
    f1 = ", ".join(f"{name} {one['f1']:.4f}" for name, one in measured.items())
    text = good(*WHERE, *FEATURES, "same_word", *INPUT, *GOLD)
    assert f"\n\nF1 with all rules over 10 pairs: {f1}\n\nrule " in text
    rows = [line.split() for line in text.rpartition("\nrule ")[2].splitlines()]
    assert rows[0] == ["fires", "changed", "right", "wrong", *measured]
    assert {row[0] for row in rows[1:]} == {*FEATURES, "same_word"}
    found = json.loads(good(*WHERE, "--all", *INPUT, *GOLD, "--json"))
    worths = {one["worth"]["rule"]: one["worth"] for one in found["rules"]}
    assert min(len(worths), len(found["tables"])) > 100
    ranks = [one["f1"]["Typ+Sco"] for one in worths.values()]
    assert ranks == sorted(ranks, reverse=True)
    # Alone or among others, a rule is worth the same.
    for name, _, *numbers in rows[1:]:
        told = [worths[name][key] for key in ("changed", "right", "wrong")]
        assert told == [int(number) for number in numbers[:3]]
