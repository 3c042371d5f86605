"""What the Python API raises where rules spoil a pair: errors of ists-asp that say why."""

from pathlib import Path

import pytest

from ists_asp.errors import IstsError, RuleError, SolveError, inside
from ists_asp.model import Pair, Sentence, Token, Word
from tests.sharing import load_shared


def annotated(text):
    """A sentence of words that are said to be nouns: nobody has to read it."""
    words = text.split()
    return Sentence(
        tuple(
            Token(number, word, (Word(word, word, "NOUN", "NN"),))
            for number, word in enumerate(words, start=1)
        )
    )


BOMB = annotated("a bomb ticks")
GOOD = annotated("a cat sits")
RULES = {
    "weights that overflow": (
        'token_count(X,Y,2147483647) :- proposed(X,Y), word(1,_,"bomb").',
        "arithmetic overflow",
    ),
    "a label of another kind": (
        'label(X,Y,"s") :- proposed(X,Y), word(1,_,"bomb").',
        "comes from mine.lp:1; expected one label",
    ),
}


@pytest.fixture
def system(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def make(text):
        (tmp_path / "mine.lp").write_text(text)
        return load_shared("baseline", rules=[Path("mine.lp")])

    return make


@pytest.mark.parametrize("name", RULES)
def test_one_pair_alone_and_among_others(system, name):
    rules, message = RULES[name]
    with system(rules) as made:
        pairs = [(GOOD, GOOD), (BOMB, BOMB), (GOOD, BOMB)]
        found = made.solve_many(pairs)
        assert next(found).alignments
        for decide in (lambda: next(found), lambda: made.solve(BOMB, BOMB)):
            with pytest.raises((RuleError, SolveError)) as caught:
                decide()
            assert message in str(caught.value)
        alone = made.solve(GOOD, BOMB)
        assert [answer.alignments for answer in made.solve_many([pairs[2], pairs[0]])] == [
            alone.alignments,
            made.solve(GOOD, GOOD).alignments,
        ]


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (RecursionError(), "a rule or a term is nested too deeply"),
        (MemoryError(), "no memory is left"),
        (RuntimeError("unexpected"), "clingo cannot decide by the rules: unexpected"),
        (RuntimeError("x: Value too large for defined data type"), "arithmetic overflow"),
        (AssertionError(), "what the rules derive cannot be read: AssertionError."),
        (
            IndexError("list index out of range"),
            "what the rules derive cannot be read: IndexError: list index out of range.",
        ),
    ],
)
def test_whatever_is_raised_names_the_pair(raised, message):
    with pytest.raises(IstsError) as caught, inside(Pair("7", GOOD, GOOD)):
        raise raised
    assert str(caught.value).startswith(f"pair 7: {message}")
