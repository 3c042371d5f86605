"""Traces of whole pairs account for their answers, as JSON too."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from ists_asp.errors import TraceError, UsageError
from ists_asp.trace import DecisionKind, Tracer, decisions, select
from ists_asp.trace.contrast import runner_up
from ists_asp.trace.rendering import Grower, document, render, trace_line
from ists_asp.trace.trace import check
from tests.sharing import cases, load_shared
from tests.trace.conftest import system

pytestmark = [pytest.mark.slow, pytest.mark.long]

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "data" / "schema" / "trace.schema.json").read_text("utf-8"))


def test_traces_account_for_their_answers_and_lack_no_atom(traces):
    assert all(trace.answer.optimal for trace in traces)
    trace = traces[0]
    head, firings = trace.firings.by_head.popitem()
    try:
        with pytest.raises(TraceError, match="have no derivation"):
            check(trace)
    finally:
        trace.firings.by_head[head] = firings


def test_documents_keep_to_the_schema_and_lead_nowhere_in_circles(traces):
    Draft202012Validator.check_schema(SCHEMA)
    validator = Draft202012Validator(SCHEMA)
    for trace in traces[:3]:
        record = json.loads(trace_line(trace))
        validator.validate(record)
        costs = {part["priority"]: part["value"] for part in record["cost"]}
        for term in record["objective"]:
            costs[term["priority"]] -= term["weight"]
        assert not any(costs.values())
        for number, atom in enumerate(record["atoms"]):
            assert (atom["primary"] is None) == (atom["source"] == "input")
            if atom["primary"] is not None:
                firing = record["firings"][atom["primary"]]
                assert firing["head"] == number
                assert all(record["atoms"][n]["rank"] < atom["rank"] for n in firing["positive"])
    assert record["knowledge"] == ["lexicon", "vectors", "reader"]
    record = document(traces[0], everything=True)
    validator.validate(record)
    assert all(len(atom["others"]) == max(atom["reasons"] - 1, 0) for atom in record["atoms"])


def test_traces_made_together_are_those_made_alone(traces):
    for trace in traces[:3]:
        assert trace.best.together is not None
        rules = trace.reified
        tracer = Tracer(rules.rules, rules.solver, rules.knowledge)
        alone = tracer.trace(trace.answer.pair, trace.facts)
        assert alone.best.together is None
        assert (alone.true, alone.answer) == (trace.true, trace.answer)
        assert document(alone, compare=False) == document(trace, compare=False)


def test_every_decision_rests_on_a_named_rule_of_the_knowledge_and_says_the_words(traces):
    for trace in traces:
        pair = trace.answer.pair
        found = decisions(trace)
        for decision in found:
            rules = document(trace, [decision])["rules"]
            named = [rule["file"] for rule in rules if rule["template"] is not None]
            boundary = decision.kind is DecisionKind.BOUNDARY
            given = boundary and (pair.sent1.chunks or 1 in (*decision.tokens1, *decision.tokens2))
            if not given and decision.kind is not DecisionKind.NOALI:
                assert any(file.startswith("lp_rules/") for file in named), decision.text
        assert {one.text for one in found if one.kind is DecisionKind.ALIGN} == {
            f'"{pair.sent1.words(line.tokens1)}" is aligned with "{pair.sent2.words(line.tokens2)}"'
            for line in trace.answer.alignments
            if line.label.aligned
        }


def test_a_runner_up_is_no_better(traces):
    asked = [(one, runner_up(trace, one)) for trace in traces[:2] for one in decisions(trace)]
    found = [(decision, second) for decision, second in asked if second is not None]
    assert found
    for decision, second in found:
        assert second.by, "another answer would be as good"
        assert second.by[0][1] > 0
        assert decision.atom in second.gone


def tree_of(trace, selector, **options):
    """The tree of a decision."""
    (decision,) = select(decisions(trace), selector)
    return render(Grower(trace, 2, **options).decision(decision))


def test_trees_show_rules_with_their_places():
    trace = system("headlines").trace("12 killed in bus accident", "10 killed in road accident")
    lines = tree_of(trace, "label:1:1")
    assert lines[0] == '"12" ~ "10" is labelled SIMI  [label:1:1]'
    assert any("SIMI beats" in line for line in lines)
    assert any("lp_rules/labels/" in line for line in lines)
    everything = tree_of(trace, "label:1:1", everything=True)
    assert len(everything) > len(lines)
    assert any("weight lp_rules/weights/" in line for line in everything)
    assert not any("more, " in line for line in everything)


def test_trees_show_a_weight_and_its_correction_with_their_places(tmp_path):
    """The sum counts; where there is no correction, nothing is said of the weight."""
    (file := tmp_path / "mine.lp").write_text(
        "correction(meaning,align,20).\ncorrection(overlap,align,-3).\n"
    )
    texts = ("killed in accident", "killed in accident")
    with load_shared("headlines", rules=[file]) as mine:
        own = mine.trace(*texts)
    plain = system("headlines").trace(*texts)
    without, with_correction = (
        next(line for line in tree_of(trace, "align:1:1") if "(meaning)" in line)
        for trace in (plain, own)
    )
    assert ", weight" not in without
    told = r", weight \+(\d+) lp_rules/weights/\S+:\d+, correction \+20 .*/mine\.lp:1\]$"
    place = re.search(told, with_correction)
    before, after = (int(re.search(r"\+(\d+) ", line)[1]) for line in (without, with_correction))
    assert after == before + 20 == int(place[1]) + 20
    # A correction without a weight has a place like one.
    lines = tree_of(own, "align:1:1", everything=True)
    assert any("weight +" in line and "correction +20" in line for line in lines)


@cases(
    "selector | text",
    *(("labels:1:1", "selects no decision"), ("label:1", "selects no decision")),
    *(("label:1:x", "is not a list of tokens"), ("label:1:2", "the answer has no")),
)
def test_a_wrong_selector_is_a_usage_error(selector, text):
    trace = system("headlines").trace("12 killed", "10 killed")
    with pytest.raises(UsageError, match=text):
        select(decisions(trace), selector)
