"""Why: decisions as contrasts, hard rules as reasons, the words that are quoted, and answers."""

import json
import pickle
import re
from functools import cache

import pytest

from ists_asp.engine import load
from ists_asp.errors import UnsatisfiableError, UsageError
from ists_asp.report import evidence
from ists_asp.resources import rules_dir
from ists_asp.rules.arguments import CHUNK, SPAN, TOKEN, argument_types
from ists_asp.syntax.ground import Ground
from ists_asp.trace import decisions
from ists_asp.trace.rendering import Grower, document, render
from ists_asp.trace.trace import Words
from ists_asp.trace.why import Verdict
from ists_asp.vocabulary import LABEL_WEIGHT
from tests.sharing import cases, load_shared, make_pair, refused
from tests.trace.conftest import system

STORM = ("Storm kills 12 in northern India", "Storm slays 10 in India")
COAST = ("Storm hits coast on Monday", "Storm strikes coast on Monday")
BUS = ("12 killed in bus accident", "10 killed in road accident")
RULES = {
    "constraint": (":- label(run(2,2),run(2,2),equi).", "2 <==> 2", "EQUI"),
    "pair": ("forbidden_pair(run(1,1),run(1,1)).", "1 <==> 0", "aligned"),
    "label": ("forbidden_label(run(2,2),run(2,2),equi).", "2 <==> 2", "EQUI"),
    "preference": (":~ label(run(2,2),run(2,2),equi). [5000@3]", "2 <==> 2", "EQUI"),
    "alignment": (":- aligned(run(1,1),_).", "1 <==> 0", "aligned"),
}
BARRED = """%@rule one: "one of two"\nforbidden_label(run(2,2),run(2,2),equi) :- viable(_,_).
%@rule two: "the other"\nforbidden_label(run(2,2),run(2,2),equi) :- viable(_,_).
%@rule none: "no {L}"\nforbidden_label(run(1,1),run(1,1),L) :- label_type(L).
%@rule pair: "no pair"\nforbidden_pair(run(3,3),run(3,3)).
%@rule marks: "known by all"\nmarks(N,L) :- argues(N,_,_), label_type(L).
"""
CHUNKED = (
    *("in_chunk(1,1,1)", "in_chunk(1,2,2)", "in_chunk(1,2,3)", "in_chunk(2,1,1)"),
    *("in_chunk(1,3,0)", "in_chunk(1,3,4)", "in_chunk(3,1,1)", 'in_chunk(1,3,"x")'),
)
CATS = ("a cat sleeps", "one cat naps")
ODD = """
in_chunk("x",1,1). in_chunk(f(x),1,1). in_chunk(3,1,1). in_chunk(1,odd,"t"). in_chunk(1,odd,99).
in_chunk(1,odd,(1,2)). in_chunk(x,y,z). in_chunk(#inf,#sup,-1). -in_chunk(1,odd,1). in_chunk(1,1).
"""
"""Sides, chunks and tokens that are text, functions or not there; a negated atom; another arity."""
QUOTED = [
    *((TOKEN, 1, "1", '"storm"'), (TOKEN, 1, "3", '"coast"'), (TOKEN, 2, "1", '"calm"')),
    *((CHUNK, 1, "2", '"hits coast"'), (SPAN, 1, "run(1,2)", '"storm hits coast"')),
    # Tokens count from 1 to the last one; there are two sentences.
    *((TOKEN, 1, value, None) for value in ("0", "-1", "4", "x")),
    *((TOKEN, 3, "1", None), (CHUNK, 1, "3", None), (SPAN, 1, "run(3,3)", None)),
]


@pytest.fixture(scope="module")
def trace():
    return system("headlines").trace(*STORM)


@cache
def same():
    return system("headlines").trace("A cat sleeps", "A cat sleeps").why("1 2 <==> 1 2 // EQUI")


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
    assert label.by == weighs["SIMI"] - weighs[label.runner_up]
    assert label.by == sum(one.points for one in (*label.pros, *label.cons))
    assert f"SIMI beats {label.runner_up} by {label.by}\n" in trace.why("3 <==> 3 // SIMI").text()


@pytest.mark.slow
@pytest.mark.parametrize("line", ["2 <==> 2", "3 <==> 3", "4 5 6 <==> 4 5"])
def test_no_evidence_is_told_twice_and_the_heaviest_comes_first(trace, line):
    for contrast in trace.why(line).contrasts:
        names = [reason.name for reason in (*contrast.pros, *contrast.cons)]
        assert len(names) == len(set(names))
        for side in (contrast.pros, contrast.cons):
            points = [abs(reason.points) for reason in side]
            assert points == sorted(points, reverse=True)


def test_a_reason_has_value_weight_and_rule(label):
    whole = (one for one in label.pros if one.value == 100 and "each side" not in one.sentence)
    reason = next(one for one in whole if "(" not in one.name)
    assert reason.weight == reason.points
    lines = (rules_dir().parent / reason.rule.file).read_text("utf-8").splitlines()
    assert lines[reason.rule.line - 2].startswith(f"%@rule {reason.rule.name}: ")
    assert reason.name in lines[reason.rule.line - 1]


def test_a_score_is_told_by_the_point_halfway_to_the_runner_up(trace):
    (score,) = [one for one in trace.why("3 <==> 3").contrasts if one.kind == "score"]
    assert score.by > 0
    sentences = [reason.sentence for reason in (*score.pros, *score.cons)]
    assert any(sentence.startswith("SIMI has a base score of ") for sentence in sentences)
    assert "base weight" not in score.sentence
    assert score.pros[0].sentence in score.sentence


@pytest.mark.slow
def test_the_only_label_with_a_licence_is_told_by_it_and_bookkeeping_only_with_all():
    (only,) = same().contrasts
    assert only.sentence == "EQUI, as no other label has a licence: both sides have the same words"
    assert only.pros == only.cons == ()
    assert "objective would be the same" not in same().text()
    assert "one_label" not in same().text()
    assert "one_label" in same().text(everything=True)


def test_a_chunk_without_counterpart_is_told_by_the_best_one():
    trace = system("headlines").trace("Storm hits coast", "Minister resigns")
    (found,) = trace.why("1 <==> 0").contrasts
    told = 'no counterpart: the best would be "Minister", and too little speaks for it: '
    assert found.runner_up == 'aligned with "Minister"'
    assert found.sentence.startswith(told)
    assert found.sentence.removeprefix(told)
    assert not re.search(r"\d", found.sentence)
    assert found.by > 0


def test_a_score_that_was_not_given_is_weighed_for_its_label_alone():
    trace = system("default").trace("a dog", "a cat")
    for wanted, label in (("SIMI // 4", "SIMI"), (" // 4", "SIMI"), ("REL // 1", "REL")):
        told = trace.why_not(f"1 2 <==> 1 2 // {wanted}").text()
        assert re.findall(r"points if labelled (\w+)", told) in ([label], []), told
        assert "SIMI, not SIMI" not in told
    assert "points if labelled SIMI" in trace.why_not("1 2 <==> 1 2 // // 4").text()


def test_what_speaks_for_an_alignment_that_was_not_made_is_told_in_words():
    trace = system("default").trace("The man bought a car", "Dogs bark loudly")
    verdict = trace.why_not("1 2 <==> 1").text().splitlines()[0]
    assert "too little speaks for it. What speaks for it: the match is" in verdict
    assert not re.search(r"\d %", verdict)


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


@pytest.mark.slow
@pytest.mark.parametrize("swapped", [False, True])
def test_labels_that_weigh_the_same_are_told_so(swapped):
    """Both sides add a word: what permits SPE1 permits SPE2, and the first in order is taken."""
    pair = "Two animals sitting on a rock .", "Two eagles sitting on a long branch ."
    found = system("headlines", reader=False).trace(*pair[:: -1 if swapped else 1])
    (label,) = found.why("1 2 <==> 1 2 // SPE1").contrasts
    assert label.sentence == "SPE1, not SPE2: as much speaks for either"


def test_an_atom_is_derived_from_facts_or_nearly(trace):
    found = trace.why("alike(2,2,_,_)")
    assert '"kill" means the same as "slay"' in found.text()
    assert "lp_rules/english/paraphrases.lp" in found.text(depth=5)
    text = trace.why("evidence(side(_,run(3,3),_),adds_one_word,_)").text()
    assert text.count("one_word_added") == 2
    assert trace.why('word(1,_,"storm")').atoms == ('word(1,1,"storm")',)
    nearly = trace.why_not("adds(2,run(4,6),run(4,5))")
    assert "adds_word" in nearly.text()
    assert nearly.to_dict()["tree"]["below"]
    assert "missing: … negates" in trace.why_not("forbidden_label(_,_,spe1)").text()


@cases("""
ask | text | problem
why | alike(1,1) | Did you mean alike/4
why | alke(1,1,_,_) | Did you mean alike/4
why | alike(X,1,_,_) | not an atom
why | alike(1,2,_,_) | Ask ists-asp why-not
why_not | alike(1,1,_,_) | Ask ists-asp why
""")
def test_a_question_about_an_atom_is_checked(trace, ask, text, problem):
    refused(UsageError, problem, getattr(trace, ask), text)


@pytest.fixture
def trace_with(tmp_path):
    def make(text, pair=COAST):
        (tmp_path / "mine.lp").write_text(text)
        system = load_shared("headlines", rules=tmp_path / "mine.lp")
        return system.trace(*pair)

    return make


@pytest.mark.slow
@pytest.mark.parametrize("names", ["constraint pair", "label alignment", "preference"])
def test_why_names_what_changed_the_decision_and_nothing_else(trace_with, names):
    rules = [f'%@rule {name}: "{name} says"\n{RULES[name][0]}\n' for name in names.split()]
    trace = trace_with("".join(rules) + '%@rule mine: "never"\n:- label(X,Y,oppo).\n')
    for number, name in enumerate(names.split(), 1):
        _, question, label = RULES[name]
        text = trace.why(question).text()
        assert f"because of a hard rule or constraint: {name} says" in text
        assert f"mine.lp:{2 * number}" in text
        assert label in text.partition("without it")[2]
        assert "never" not in text


@pytest.mark.slow
def test_all_that_forbids_is_named_and_what_is_forbidden_lacks_nothing(trace_with):
    trace = trace_with(BARRED)
    assert trace.answer.unlabelled == (((1,), (1,)),)
    (label,) = trace.why("2 <==> 2 // SIMI").contrasts
    assert "rules forbid EQUI" in label.sentence
    known = [one.sentence for one in label.pros if "base weight" not in one.sentence]
    assert known
    assert not any(sentence in label.sentence for sentence in known)
    assert {one.rule.name for one in label.forbidding} == {"one", "two"}
    (alone,) = trace.why("1 <==> 0").contrasts
    assert alone.sentence.endswith('"Storm", but rules forbid all labels of that pair')
    assert {one.rule.name for one in alone.forbidding} == {"none"}
    assert "because of a hard rule or constraint: no EQUI  [none " in trace.why("1 <==> 0").text()
    for question, name in (("1 <==> 1", "none"), ("3 <==> 3", "pair"), ("2 <==> 2 // EQUI", "two")):
        found = trace.why_not(question)
        assert found.verdict is Verdict.FORBIDDEN
        assert f"[{name} " in found.text()
        assert "short by" not in found.text()
    assert "label" not in trace.why_not("1 <==> 3 // REL // 2").text().partition("\n")[2]


@pytest.mark.slow
def test_an_error_names_the_constraints_that_cannot_all_hold(trace_with):
    rules = (
        '%@rule none: "n"\n:- label(X,Y,equi).\n%@rule some: "s"\n:- not label(_,_,equi).\n'
        '%@rule harmless: "h"\n:- label(X,Y,oppo).\n'
    )
    both = r"mine\.lp:2 \(none\); .*mine\.lp:4 \(some\)"
    with pytest.raises(UnsatisfiableError, match=both) as caught:
        trace_with(rules)
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
    told = r"the sum is (\d\.\d\d): (\d\.\d\d) points above 2.50, the border"
    total, above = map(float, re.search(told, free).groups())
    assert above == pytest.approx(total - 2.5)
    bound = trace_with(rule.format("(1;2;3)"), pair).why("1 <==> 1 // SIMI // 4").text()
    assert "├─ 4, as rules forbid the others\n" in bound


@pytest.mark.slow
def test_why_not_names_the_rules_of_ones_own_below_what_forbids(trace_with):
    pair = ("Analysts turn bullish", "Analysts turn bearish")
    rule = '%@rule mine: "because I say so"\nopposite("bullish","bearish").\n'
    text = trace_with(rule, pair).why_not("3 <==> 3 // EQUI").text()
    _, _, below = text.partition("rests on rules of your own\n")
    assert "because I say so  [mine " in below.partition("\n")[0]


@pytest.fixture(scope="module")
def answer():
    return system("headlines").solve(*BUS)


@pytest.mark.slow
def test_an_answer_says_why_and_why_not_as_its_trace_does(answer):
    trace, asked = answer.trace(), "1 <==> 1 // EQUI"
    assert answer.trace() is trace
    assert trace.answer.alignments == answer.alignments
    assert "label:1:1" in answer.why("1 <==> 1").text() == trace.why("1 <==> 1").text()
    assert answer.why_not(asked).text() == trace.why_not(asked).text()
    refused(UsageError, "the answer does not have this: ", answer.why, asked)
    # The rating can be asked for as well.
    assert answer.rating == trace.answer.rating == system("headlines").rate(answer)
    assert "words_covered" in answer.why("rating").text()


@pytest.mark.slow
def test_an_answer_that_cannot_be_traced_or_whose_system_is_closed_says_so(answer):
    copy = pickle.loads(pickle.dumps(answer))
    assert copy == answer
    refused(UsageError, r"^pair 1: this answer cannot be traced; expected ", copy.why, "1 <==> 1")
    with load_shared("headlines", models=2) as several:
        ((best, second),) = several.solve_all([answer.pair])
        assert best.why("1 <==> 1").decisions
        refused(UsageError, "cannot be traced", second.why_not, "1 <==> 1")
        fresh = several.solve(*BUS)
    for ask in (lambda: fresh.why("1 <==> 1"), lambda: several.solve(*BUS)):
        refused(UsageError, r"^the system is closed", ask)


@pytest.mark.slow
def test_traces_pass_over_odd_atoms(tmp_path):
    (file := tmp_path / "odd.lp").write_text(ODD)
    usual = system("default").solve(*CATS).alignments
    with load(rules=[file], lax=True) as odd:
        trace = odd.trace(*CATS)
        assert trace.answer.alignments == usual
        for decision in decisions(trace):
            assert decision.text in render(Grower(trace).decision(decision))[0]
            assert set(decision.tokens1) | set(decision.tokens2) <= {1, 2, 3}
        assert json.loads(json.dumps(document(trace)))["decisions"]
        assert evidence(trace)
        found = [trace.words.tokens("token", 1, Ground(number)) for number in range(-1, 5)]
        assert found == [(), (), (1,), (2,), (3,), ()]
        assert "no rule can derive it" in trace.why_not("3 <==> 1").text()


@pytest.mark.parametrize(("kind", "side", "value", "quoted"), QUOTED)
def test_what_is_there_is_quoted(kind, side, value, quoted):
    """Whatever atoms there are, the words are those that a rule's numbers stand for."""
    pair = make_pair("storm hits coast", "calm")
    words = Words(pair, map(Ground, CHUNKED), argument_types({}))
    assert words.quoted(kind, side, Ground(value)) == quoted
