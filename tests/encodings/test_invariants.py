"""What holds for every answer, whatever the rules propose and however they weigh it."""

from collections import Counter
from itertools import pairwise, product
from pathlib import Path

import pytest
from clingo import Control, Function, Number, String
from hypothesis import given, settings
from hypothesis import strategies as st

DECIDE = Path(__file__).parents[2] / "asp" / "decide.lp"
LABELS = ("equi", "oppo", "spe1", "spe2", "simi", "rel")
# Few values, so that ties are common.
WEIGHTS = st.sampled_from((-10, 0, 10))


def atom(name, *arguments):
    values = {int: Number, str: lambda text: Function(text)}
    return Function(
        name, [values.get(type(value), lambda term: term)(value) for value in arguments]
    )


def run(chunk, last=None):
    return atom("run", chunk, last or chunk)


@st.composite
def problems(draw):
    """Facts of two sentences of single-token chunks, with weighed proposals of any kind."""
    sizes = (draw(st.integers(1, 4)), draw(st.integers(1, 4)))
    facts = [atom("chunked")]
    marks = set()
    for side, size in enumerate(sizes, 1):
        for place in range(1, size + 1):
            tag = "punct" if draw(st.integers(0, 5)) == 0 else "noun"
            if tag == "punct":
                marks.add((side, place))
            word = String(f"{side}{place}")
            facts.append(atom("token", side, place, word))
            facts.append(atom("part", side, place, 1, word, word, tag, tag))
            facts.append(atom("given_boundary", side, place))
    spans = {}
    for side, size in enumerate(sizes, 1):
        real = [place for place in range(1, size + 1) if (side, place) not in marks]
        spans[side] = [run(place) for place in real]
        for one, two in pairwise(real):
            if draw(st.booleans()):
                merged = run(one, two) if two == one + 1 else atom("gap", one, two)
                facts.append(atom("merge", side, merged))
                spans[side].append(merged)
    for one, two in product(spans[1], spans[2]):
        weight = draw(WEIGHTS)
        pair, link = atom("pair", one, two), atom("link", one, two)
        name = atom("worth", one, two)
        facts.append(atom("proposed", one, two))
        facts.append(atom("token_count", one, two, draw(st.integers(1, 3))))
        facts.append(atom("feature", pair, name))
        facts.append(atom("weight", name, "align", weight))
        facts.append(atom("feature", link, name))
        for label in LABELS:
            facts.append(atom("weight", name, label, draw(WEIGHTS)))
        for score in range(1, 5):
            facts.append(atom("weight", name, atom("score", score), draw(WEIGHTS)))
        if draw(st.booleans()):
            facts.append(atom("forbidden_label", one, two, draw(st.sampled_from(LABELS))))
    return sizes, marks, facts


def solve(facts):
    control = Control(["--opt-mode=optN", "--opt-strategy=usc", "0"])
    with control.backend() as backend:
        for fact in facts:
            backend.add_rule([backend.add_atom(fact)])
    control.load(str(DECIDE))
    control.ground()
    answers = []
    with control.solve(yield_=True) as search:
        for model in search:
            if model.optimality_proven or not model.cost:
                answers.append(model.symbols(shown=True))
    return answers


def table(answer, name):
    return [tuple(symbol.arguments) for symbol in answer if symbol.name == name]


@pytest.mark.slow
@settings(max_examples=100)
@given(problems())
def test_there_is_one_best_answer_and_it_is_well_formed(problem):
    sizes, marks, facts = problem
    (answer,) = solve(facts)
    aligned = table(answer, "aligned")
    tokens = {}
    for side, span, token in table(answer, "span_token"):
        tokens.setdefault((side.number, span), []).append(token.number)
    used = Counter(
        (side, token)
        for pair in aligned
        for side, span in enumerate(pair, 1)
        for token in tokens[side, span]
    )
    left = {(side.number, chunk.number) for side, chunk in table(answer, "noali")}
    everything = {(side, place) for side in (1, 2) for place in range(1, sizes[side - 1] + 1)}
    assert set(used.values()) <= {1}, "a chunk is in at most one alignment"
    assert left | set(used) == everything, "a chunk is aligned or left over"
    assert not left & set(used), "and not both"
    assert marks <= left, "punctuation is never aligned"
    labels = {(one, two): label.name for one, two, label in table(answer, "label")}
    scores = {(one, two): score.number for one, two, score in table(answer, "score")}
    assert set(labels) == set(scores) == set(aligned)
    assert len(table(answer, "label")) == len(table(answer, "score")) == len(aligned)
    assert all(
        scores[pair] == 5 if label == "equi" else 1 <= scores[pair] <= 4
        for pair, label in labels.items()
    )
    forbidden = {tuple(fact.arguments) for fact in facts if fact.name == "forbidden_label"}
    assert not {(*pair, Function(label)) for pair, label in labels.items()} & forbidden
