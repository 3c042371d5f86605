"""The integers that rules reckon with: right, bounded, and enough for the cosine of chunks."""

import math

import numpy as np
import pytest
from clingo import Control
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ists_asp.knowledge import Knowledge
from ists_asp.knowledge.vectors import MAX_RUN, nearness
from ists_asp.lang import language
from ists_asp.model import Chunk, Pair, Sentence, Token, Word
from ists_asp.syntax.ground import split
from ists_asp.vocabulary import facts_text, pair_facts

INT32 = 2**31 - 1

matrices = st.integers(0, 16).flatmap(
    lambda rows: arrays(
        np.float32, (rows, 3), elements=st.floats(-9, 9, width=32, allow_subnormal=False)
    )
)


def sentence(text):
    tokens = []
    for index, form in enumerate(text.split(), start=1):
        words = [Word(form.rstrip("."), form.lower(), "X", "X")] if form.rstrip(".") else []
        if form.endswith("."):
            words.append(Word(".", ".", "PUNCT", "."))
        tokens.append(Token(index, form, tuple(words)))
    return Sentence(tuple(tokens))


ANY = Pair("1", Sentence(()), Sentence(()))


def compare(first, second, pair=ANY):
    """The arguments of the atoms by their names."""
    found = {"near": [], "product": [], "norm": [], "nearness": []}
    for atom in nearness(first, second, pair):
        name, _, arguments = atom.removesuffix(")").partition("(")
        found[name].append(tuple(map(int, split(arguments))))
    return found


FIRST = np.array([[1, 0], [0, 0], [0, 0.5]], dtype=np.float32)
SECOND = np.array([[3, 4], [0, -1]], dtype=np.float32)


def test_two_small_sentences():
    assert list(nearness(FIRST, SECOND, ANY)) == [
        *("near(1,1,60)", "near(3,1,80)"),
        # The vector of length 5 is cut to length 2.
        *("product(1,1,12000)", "product(3,1,8000)", "product(3,2,-5000)"),
        *("norm(1,1,1,100)", "norm(1,1,2,100)", "norm(1,1,3,112)", "norm(1,2,3,50)"),
        *("norm(1,3,3,50)", "norm(2,1,1,200)", "norm(2,1,2,134)", "norm(2,2,2,100)"),
        "nearness(1000)",
    ]


def test_given_chunks_are_asked_about_as_wholes():
    chunked = Pair("1", Sentence((), (Chunk(1, 1), Chunk(2, 3))), Sentence((), (Chunk(1, 2),)))
    found = compare(FIRST, SECOND, chunked)
    assert found["product"] == [(1, 1, 12000), (2, 1, 3000)]
    runs = [norm[:3] for norm in found["norm"]]
    assert runs == [(1, 1, 1), (1, 1, 3), (1, 2, 3), (1, 3, 3), (2, 1, 1), (2, 1, 2), (2, 2, 2)]


def test_empty_sentences():
    empty = np.zeros((0, 4), dtype=np.float32)
    assert list(nearness(empty, empty, ANY)) == ["nearness(0)"]
    one = np.ones((1, 4), dtype=np.float32)
    assert compare(empty, one)["norm"] == [(2, 1, 1, 200)]
    chunked = Pair("1", Sentence((), ()), Sentence((), (Chunk(1, 1),)))
    assert compare(empty, one, chunked) == compare(empty, one)


@given(matrices, matrices)
def test_bounds(first, second):
    found = compare(first, second)
    assert all(25 <= percent <= 100 for *_, percent in found["near"])
    assert all(0 < abs(value) <= 40_000 for *_, value in found["product"])
    assert all(0 < value <= 2400 for *_, value in found["norm"])
    assert all(last - start < MAX_RUN for _, start, last, _ in found["norm"])
    assert all(tuples == sorted(set(tuples)) for tuples in found.values())


@given(matrices, matrices)
def test_what_rules_reckon_with_stays_within_32_bits(first, second):
    found = compare(first, second)
    run = range(1, MAX_RUN + 1)
    total = sum(abs(value) for one, two, value in found["product"] if one in run and two in run)
    assert 100 * total <= INT32
    assert max([value for *_, value in found["norm"]], default=0) ** 2 <= INT32


COSINE = """
cosine(100*V/(N*M)) :- V = #sum{ P,I,J : product(I,J,P) }, norm(1,1,L,N), norm(2,1,R,M),
    L = #max{ I : token(1,I,_) }, R = #max{ I : token(2,I,_) }.
#show cosine/1.
"""


@pytest.mark.parametrize(
    ("text1", "text2"),
    [
        ("in bus accident", "in road accident"),
        ("former Nazi death camp guard", "John Demjanjuk"),
        ("a small dog", "A puppy."),
        ("91", "ninety-one people"),
    ],
)
def test_rules_get_the_cosine_of_chunks(vectors, text1, text2):
    first, second = sentence(text1), sentence(text2)
    with Knowledge(vectors_path=language("en").vectors) as knowledge:
        pair = Pair("1", first, second)
        facts = pair_facts(pair, knowledge.facts(pair), "en")
    sum1 = vectors.matrix(text1.split()).sum(axis=0)
    sum2 = vectors.matrix(text2.rstrip(".").split()).sum(axis=0)
    expected = 100 * sum1 @ sum2 / np.linalg.norm(sum1) / np.linalg.norm(sum2)

    control = Control(["--warn=none"])
    control.add(facts_text(facts) + COSINE)
    control.ground()
    with control.solve(yield_=True) as models:
        found = [atom.arguments[0].number for atom in next(iter(models)).symbols(shown=True)]
    assert found == [pytest.approx(expected, abs=1.5)]


def near(knowledge, text1, text2):
    found = knowledge.facts(Pair("1", sentence(text1), sentence(text2)))
    return [atom for atom in found if atom.startswith(("near", "product", "norm"))]


def test_punctuation_takes_no_part_and_without_vectors_there_are_no_facts():
    with Knowledge() as none, Knowledge(vectors_path=language("en").vectors) as knowledge:
        assert near(none, "a dog", "a puppy") == []
        plain = near(knowledge, "dogs bark", "cats meow")
        dotted = near(knowledge, "dogs bark.", "cats meow.")
        apart = near(knowledge, "dogs bark .", ". cats meow")
    assert plain == dotted
    products = [tuple(map(int, atom[8:-1].split(","))) for atom in apart if atom[:8] == "product("]
    assert products
    assert all(token2 > 1 and token1 < 3 for token1, token2, _ in products)


def test_tokens_are_near_from_25_percent_on():
    one = np.array([[100.0, 0.0]], np.float32)
    for percent, found in ((24, []), (25, [(1, 1, 25)]), (26, [(1, 1, 26)])):
        other = np.array([[percent, math.sqrt(100**2 - percent**2)]], np.float32)
        assert compare(one, other)["near"] == found
