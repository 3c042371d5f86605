"""Constraints and hard rules are named as reasons, in answers and where there is none."""

import re

import pytest

from ists_asp.errors import UnsatisfiableError
from tests.sharing import load_shared

PAIR = ("Storm hits coast on Monday", "Storm strikes coast on Monday")


@pytest.fixture
def trace_with(tmp_path):
    def make(text, pair=PAIR):
        (tmp_path / "mine.lp").write_text(text)
        system = load_shared("headlines", rules=tmp_path / "mine.lp")
        return system.trace(*pair)

    return make


RULES = {
    "constraint": (":- label(run(2,2),run(2,2),equi).", "2 <==> 2", "EQUI"),
    "pair": ("forbidden_pair(run(1,1),run(1,1)).", "1 <==> 0", "aligned"),
    "label": ("forbidden_label(run(2,2),run(2,2),equi).", "2 <==> 2", "EQUI"),
    "preference": (":~ label(run(2,2),run(2,2),equi). [5000@3]", "2 <==> 2", "EQUI"),
    "alignment": (":- aligned(run(1,1),_).", "1 <==> 0", "aligned"),
}


@pytest.mark.parametrize(
    "names",
    [
        ("constraint",),
        *(
            pytest.param(two, marks=pytest.mark.slow)
            for two in (("pair",), ("label", "alignment"), ("preference",))
        ),
    ],
)
def test_why_names_what_changed_the_decision(trace_with, names):
    rules = {name: RULES[name][0] for name in names}
    trace = trace_with("".join(f'%@rule {name}: "{name} says"\n{rules[name]}\n' for name in names))
    for number, name in enumerate(names, 1):
        _, question, label = RULES[name]
        text = trace.why(question).text()
        assert f"because of a hard rule or constraint: {name} says" in text
        assert f"mine.lp:{2 * number}" in text
        assert label in text.partition("without it")[2]


@pytest.mark.slow
def test_a_rule_that_changed_nothing_is_no_reason(trace_with):
    text = trace_with('%@rule mine: "never"\n:- label(X,Y,oppo).\n').why("1 <==> 1").text()
    assert "never" not in text


def test_an_error_names_the_constraints_that_cannot_all_hold(trace_with):
    rules = (
        '%@rule none: "n"\n:- label(X,Y,equi).\n%@rule some: "s"\n:- not label(_,_,equi).\n'
        '%@rule harmless: "h"\n:- label(X,Y,oppo).\n'
    )
    with pytest.raises(UnsatisfiableError) as caught:
        trace_with(rules)
    assert "mine.lp:2 (none); " in str(caught.value)
    assert "mine.lp:4 (some)" in str(caught.value)
    assert "harmless" not in str(caught.value)


@pytest.mark.slow
def test_a_rule_that_keeps_a_chunk_whole_is_named_before_what_is_weighed(trace_with):
    rule = '%@rule mine: "because I say so"\nmust_join(1,2) :- token(1,2,_).\n'
    text = trace_with(rule).why("1: 1 2").text()
    named, _, weighed = text.partition('no chunk of sentence 1 begins at "hits"')
    assert "because of a hard rule or constraint: because I say so  [mine " in named
    assert 'without it a chunk of sentence 1 begins at "hits"' in named
    assert weighed


@pytest.mark.slow
def test_a_score_says_what_the_sum_is_or_that_rules_leave_no_other(trace_with):
    pair = ("12 killed in bus", "10 killed in bus")
    rule = '%@rule mine: "because I say so"\nforbidden_score(X,Y,{}) :- viable(X,Y).\n'
    free = trace_with(rule.format(1), pair).why("1 <==> 1 // SIMI // 3").text()
    found = re.search(r"the sum is (\d\.\d\d) points: 3 is nearer than 2 by (\d+) hundredths", free)
    worth, gain = float(found[1]), int(found[2])
    assert gain == round(100 * (abs(worth - 2) - abs(worth - 3)))
    bound = trace_with(rule.format("(1;2;3)"), pair).why("1 <==> 1 // SIMI // 4").text()
    assert "├─ 4, as rules forbid the others\n" in bound


@pytest.mark.slow
def test_why_not_names_the_rules_of_ones_own_below_what_forbids(trace_with):
    pair = ("Analysts turn bullish", "Analysts turn bearish")
    rule = '%@rule mine: "because I say so"\nopposite("bullish","bearish").\n'
    text = trace_with(rule, pair).why_not("3 <==> 3 // EQUI").text()
    _, _, below = text.partition("rests on rules of your own\n")
    assert "because I say so  [mine " in below.partition("\n")[0]
