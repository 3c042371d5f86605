"""Why is true of the answer, why not is true of all others."""

import random

import pytest
from clingo import Control
from clingo.ast import ProgramBuilder

from ists_asp.errors import UsageError
from ists_asp.io.wa import write_answer
from ists_asp.trace.why import Verdict
from tests.sharing import cases
from tests.trace.conftest import sample_traces, system

pytestmark = pytest.mark.slow

BUS = ("12 killed in bus accident", "10 killed in road accident")
LABELS = ("EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL")


@pytest.fixture(scope="module")
def trace():
    return system("headlines").trace(*BUS)


def best_cost(trace, wanted):
    """The cost of the best answer with these atoms, by plain clingo; None without an answer."""
    control = Control(["--opt-strategy=usc"], logger=lambda _code, _text: None)
    with ProgramBuilder(control) as builder:
        for statement in trace.reified.rules.statements:
            builder.add(statement)
    text = [f"{fact}." for fact in trace.facts]
    text += [f":- {'not ' if true else ''}{atom}." for atom, true in wanted]
    control.add("base", [], "\n".join(text))
    control.ground()
    with control.solve(yield_=True) as handle:
        costs = [dict(zip(model.priority, model.cost, strict=True)) for model in handle]
    return costs[-1] if costs else None


def lines(trace):
    text = write_answer(trace.answer)
    section = text.partition("<alignment>")[2].partition("</alignment>")[0]
    found = [line.rpartition("//")[0].strip() for line in section.strip().splitlines()]
    assert len(found) == len(trace.answer.alignments) > 0
    return found


def numbers(tokens):
    return " ".join(map(str, tokens))


def run(rng, sentence):
    size = len(sentence.tokens)
    first = rng.randint(1, size)
    return numbers(range(first, min(size, first + rng.randint(0, 2)) + 1))


def question(rng, answer):
    """A question about a chunk, a token without a counterpart, a label and score, or a pair."""
    sentences = answer.pair.sent1, answer.pair.sent2
    # Tokens of a chunk mostly, or any run.
    sides = [
        numbers(rng.choice(chunks).tokens) if rng.random() < 0.8 else run(rng, sentence)
        for chunks, sentence in zip((answer.chunks1, answer.chunks2), sentences, strict=True)
    ]
    kind = rng.random()
    if kind < 0.15:
        number = rng.choice((1, 2))
        return f"{number}: {run(rng, sentences[number - 1])}"
    if kind < 0.25:
        return f"{sides[0]} <==> 0 // NOALI"
    paired = [line for line in answer.alignments if line.tokens1 and line.tokens2]
    label = f" // {rng.choice(LABELS)}"
    if kind < 0.7 and paired:
        line = rng.choice(paired)
        score = f" // {rng.randint(0, 5)}" if rng.random() < 0.5 else ""
        return f"{numbers(line.tokens1)} <==> {numbers(line.tokens2)}{label}{score}"
    return f"{' <==> '.join(sides)}{label if rng.random() < 0.3 else ''}"


def test_every_line_and_chunk_of_an_answer_has_reasons(traces):
    for trace in traces:
        for line in lines(trace):
            found = trace.why(line)
            assert found.decisions, line
            assert found.text()
            with pytest.raises(UsageError, match="the answer has this decision"):
                trace.why_not(line)
    for trace in traces[:3]:
        for number, chunks in ((1, trace.answer.chunks1), (2, trace.answer.chunks2)):
            for chunk in chunks:
                found = trace.why(f"{number}: {' '.join(map(str, chunk.tokens))}")
                assert len(found.decisions) + len(found.absent) >= len(chunk.tokens)


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 2))])
def test_what_why_not_says_is_true(scenario, seed):
    rng = random.Random(seed)
    verdicts = set()
    for trace in sample_traces(*scenario, 4 if seed else 1):
        for _ in range(3):
            text = question(rng, trace.answer)
            try:
                found = trace.why_not(text)
            except UsageError as error:
                if "the answer has this decision" not in str(error):
                    raise
                trace.why(text)
                continue
            verdicts.add(found.verdict)
            assert found.text().count("\n") > 1, text
            cost = best_cost(trace, found.wanted)
            assert (cost is not None) == (found.verdict is Verdict.WORSE), (text, found.verdict)
            if cost is None:
                continue
            own = dict(zip(trace.best.found.priorities, trace.best.found.cost, strict=True))
            gains = {level: cost.get(level, 0) - own.get(level, 0) for level in own.keys() | cost}
            worse = {level: gain for level, gain in gains.items() if gain}
            assert worse == {level: gain for level, gain in found.by if gain}, text
            assert found.by[0][1] > 0
    assert verdicts


@cases("""
question | verdict | words*
1 <==> 1 // REL | WORSE
3 4 5 <==> 3 4 5 // OPPO | UNDERIVABLE | must not hold: token … of side 1
3 4 5 <==> 3 4 5 // SIMI // 5 | UNDERIVABLE | equivalence_scores_5 | fails: 5 = (1..4)
2 <==> 2 // EQUI // 3 | UNDERIVABLE | fails, as this holds
1: 3 4 | UNDERIVABLE | is not more than 0
1: 1 2 | CERTAIN
""")
def test_what_is_worse_or_forbidden_or_has_no_rule_is_called_so(trace, question, verdict, words):
    found = trace.why_not(question)
    assert found.verdict is Verdict[verdict]
    assert verdict != "WORSE" or found.by[0][1] > 0
    assert all(part in found.text() for part in words)


@cases("""
text | problem
nonsense | there is no 'nonsense' in either sentence
3: 1 2 | there is no sentence 3
2: 1 3 | run of neighbouring tokens
1 <==> 99 | sentence 2 has no token 99
1 <==> 6 | sentence 2 has no token 6
1 <==> x | is not a list of tokens
1 <==> | a side has no tokens
0 <==> 0 | both sides are empty
1 <==> 1 // SAME | is not a label
1 <==> 1 // NOALI | both sides have tokens
1 <==> 0 // EQUI | one side is empty
1 <==> 1 // EQUI // 9 | is not a score
1 <==> 1 // EQUI // high | is not a score
""")
def test_a_malformed_question_is_a_usage_error(trace, text, problem):
    for ask in (trace.why, trace.why_not):
        with pytest.raises(UsageError, match=problem) as caught:
            ask(text)
        assert "\n" not in str(caught.value)


def test_what_is_known_inside_an_argument_chooses_the_rules(trace):
    found = trace.why_not("evidence(side(1,_,_),adds_place,_)")
    assert found.tree.text.startswith("evidence(side(1,_,_),adds_place,_): nothing derives it")
    assert found.tree.below[0].where.startswith("missing_place ")
    boundary = trace.why_not("evidence(boundary(1,2),adds_place,_)")
    assert all("chunking/" in below.where for below in boundary.tree.below)
