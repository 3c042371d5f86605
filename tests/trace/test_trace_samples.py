"""Traces of whole pairs account for their answers, as JSON too."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from ists_asp.engine import load
from ists_asp.errors import TraceError, UsageError
from ists_asp.trace import DecisionKind, Tracer, decisions, select
from ists_asp.trace.contrast import runner_up
from ists_asp.trace.document import document, trace_line
from ists_asp.trace.trace import check
from ists_asp.trace.tree import Grower, render
from tests.sharing import load_shared
from tests.trace.conftest import system

pytestmark = [pytest.mark.slow, pytest.mark.long]

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "data" / "schema" / "trace.schema.json").read_text("utf-8"))


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


def test_traces_account_for_their_answers(traces):
    for trace in traces:
        check(trace)
        assert trace.answer.optimal


@pytest.mark.long
def test_a_trace_that_lacks_an_atom_is_refused(traces):
    trace = traces[0]
    removed = trace.firings.by_head.popitem()
    try:
        with pytest.raises(TraceError, match="have no derivation"):
            check(trace)
    finally:
        trace.firings.by_head[removed[0]] = removed[1]


def test_documents_keep_to_the_schema_and_lead_nowhere_in_circles(traces):
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
                assert record["firings"][atom["primary"]]["head"] == number
                for below in record["firings"][atom["primary"]]["positive"]:
                    assert record["atoms"][below]["rank"] < atom["rank"]


def test_documents_say_what_words_were_compared_by():
    with load("headlines", reader="shipped") as loaded:
        record = json.loads(trace_line(loaded.trace("12 killed", "10 killed")))
    Draft202012Validator(SCHEMA).validate(record)
    assert record["knowledge"] == ["lexicon", "vectors", "reader"]


@pytest.mark.long
def test_traces_made_together_are_those_made_alone(traces):
    for trace in traces[:3]:
        assert trace.best.together is not None
        rules = trace.reified
        tracer = Tracer(rules.rules, rules.solver, rules.knowledge)
        alone = tracer.trace(trace.answer.pair, trace.facts)
        assert alone.best.together is None
        assert alone.true == trace.true
        assert alone.answer == trace.answer
        assert document(alone, compare=False) == document(trace, compare=False)


@pytest.mark.long
def test_documents_with_all_reasons_keep_to_the_schema(traces):
    record = document(traces[0], everything=True)
    Draft202012Validator(SCHEMA).validate(record)
    assert all(len(atom["others"]) == max(atom["reasons"] - 1, 0) for atom in record["atoms"])


@pytest.mark.long
def test_every_decision_rests_on_a_named_rule_of_the_knowledge(traces):
    for trace in traces:
        for decision in decisions(trace):
            record = document(trace, [decision])
            files = {rule["file"] for rule in record["rules"] if rule["template"] is not None}
            first = decision.kind is DecisionKind.BOUNDARY and 1 in (
                *decision.tokens1,
                *decision.tokens2,
            )
            given = decision.kind is DecisionKind.BOUNDARY and trace.answer.pair.sent1.chunks
            left = decision.kind is DecisionKind.NOALI
            if not (first or given or left):
                assert any(file.startswith("lp_rules/") for file in files), decision.text


def test_decisions_say_the_words(traces):
    for trace in traces:
        pair = trace.answer.pair
        aligned = [one for one in decisions(trace) if one.kind is DecisionKind.ALIGN]
        found = {
            (pair.sent1.words(line.tokens1), pair.sent2.words(line.tokens2))
            for line in trace.answer.alignments
            if line.label.aligned
        }
        assert {one.text for one in aligned} == {
            f'"{first}" is aligned with "{second}"' for first, second in found
        }


def test_a_runner_up_is_no_better(traces):
    found = [
        (decision, second)
        for trace in traces[:2]
        for decision in decisions(trace)
        if (second := runner_up(trace, decision)) is not None
    ]
    assert found
    for decision, second in found:
        assert second.by, "another answer would be as good"
        assert second.by[0][1] > 0
        assert decision.atom in second.gone


def test_trees_show_rules_with_their_places():
    trace = system("headlines").trace("12 killed in bus accident", "10 killed in road accident")
    (decision,) = select(decisions(trace), "label:1:1")
    lines = render(Grower(trace, 2).decision(decision))
    assert lines[0] == '"12" ~ "10" is labelled SIMI  [label:1:1]'
    assert any("SIMI beats" in line for line in lines)
    assert any("lp_rules/labels/" in line for line in lines)
    everything = render(Grower(trace, 2, everything=True).decision(decision))
    assert len(everything) > len(lines)
    assert any("weight lp_rules/weights/" in line for line in everything)
    assert not any("more, " in line for line in everything)


def test_trees_show_a_weight_and_its_correction_with_their_places(tmp_path):
    """The sum counts; where there is no correction, nothing is said of the weight."""
    file = tmp_path / "mine.lp"
    file.write_text("correction(meaning,align,20).\ncorrection(overlap,align,-3).\n")
    texts = ("killed in accident", "killed in accident")
    with load_shared("headlines", rules=[file]) as mine:
        own = mine.trace(*texts)
    plain = system("headlines").trace(*texts)
    shown = []
    for trace in (plain, own):
        (decision,) = select(decisions(trace), "align:1:1")
        lines = render(Grower(trace, 2).decision(decision))
        shown.append(next(line for line in lines if "(meaning)" in line))
    assert ", weight" not in shown[0]
    place = re.search(
        r", weight \+(\d+) lp_rules/weights/\S+:\d+, correction \+20 .*/mine\.lp:1\]$", shown[1]
    )
    before, after = (int(re.search(r"\+(\d+) ", line)[1]) for line in shown)
    assert after == before + 20 == int(place[1]) + 20
    # A correction without a weight has a place like one.
    lines = render(Grower(own, 2, everything=True).decision(decision))
    assert any("weight +" in line and "correction +20" in line for line in lines)


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        *(("labels:1:1", "selects no decision"), ("label:1", "selects no decision")),
        *(("label:1:x", "is not a list of tokens"), ("label:1:2", "the answer has no")),
    ],
)
def test_a_wrong_selector_is_a_usage_error(selector, text):
    trace = system("headlines").trace("12 killed", "10 killed")
    with pytest.raises(UsageError, match=text):
        select(decisions(trace), selector)
