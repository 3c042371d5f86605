"""The integers that rules reckon with: right, bounded, and enough for the cosine of chunks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from clingo import Control
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ists_asp.facts import facts_text, pair_facts
from ists_asp.knowledge import Knowledge, shipped_vectors
from ists_asp.knowledge.nearness import MAX_RUN, Near, Nearness, Norm, Product
from ists_asp.knowledge.pair_knowledge import PairKnowledge
from ists_asp.model import Pair, Sentence, Token, Word

if TYPE_CHECKING:
    from ists_asp.knowledge.vectors import Vectors

INT32 = 2**31 - 1

matrices = st.integers(0, 16).flatmap(
    lambda rows: arrays(
        np.float32, (rows, 3), elements=st.floats(-9, 9, width=32, allow_subnormal=False)
    )
)


def sentence(text: str) -> Sentence:
    tokens = []
    for index, form in enumerate(text.split(), start=1):
        words = [Word(form.rstrip("."), form.lower(), "X", "X")] if form.rstrip(".") else []
        if form.endswith("."):
            words.append(Word(".", ".", "PUNCT", "."))
        tokens.append(Token(index, form, tuple(words)))
    return Sentence(tuple(tokens))


def test_two_small_sentences() -> None:
    first = np.array([[1, 0], [0, 0], [0, 0.5]], dtype=np.float32)
    second = np.array([[3, 4], [0, -1]], dtype=np.float32)
    found = Nearness.of(first, second)
    assert found.near == (Near(1, 1, 60), Near(3, 1, 80))
    # The vector of length 5 is cut to length 2.
    assert found.products == (Product(1, 1, 12000), Product(3, 1, 8000), Product(3, 2, -5000))
    assert found.norms == (
        Norm(1, 1, 1, 100),
        Norm(1, 1, 2, 100),
        Norm(1, 1, 3, 112),
        Norm(1, 2, 3, 50),
        Norm(1, 3, 3, 50),
        Norm(2, 1, 1, 200),
        Norm(2, 1, 2, 134),
        Norm(2, 2, 2, 100),
    )


def test_empty_sentences() -> None:
    empty = np.zeros((0, 4), dtype=np.float32)
    assert Nearness.of(empty, empty) == Nearness(whole=0)
    assert Nearness.of(empty, np.ones((1, 4), dtype=np.float32)).norms == (Norm(2, 1, 1, 200),)


@given(matrices, matrices)
def test_bounds(first: np.ndarray, second: np.ndarray) -> None:
    found = Nearness.of(first, second)
    assert all(25 <= near.percent <= 100 for near in found.near)
    assert all(0 < abs(product.value) <= 40_000 for product in found.products)
    assert all(0 < norm.value <= 2400 for norm in found.norms)
    assert all(norm.last - norm.first < MAX_RUN for norm in found.norms)
    for tuples in (found.near, found.products, found.norms):
        assert list(tuples) == sorted(set(tuples))


@given(matrices, matrices)
def test_what_rules_reckon_with_stays_within_32_bits(first: np.ndarray, second: np.ndarray) -> None:
    found = Nearness.of(first, second)
    total = sum(
        abs(product.value)
        for product in found.products
        if product.token1 <= MAX_RUN and product.token2 <= MAX_RUN
    )
    assert 100 * total <= INT32
    assert max([norm.value for norm in found.norms], default=0) ** 2 <= INT32


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
def test_rules_get_the_cosine_of_chunks(vectors: Vectors, text1: str, text2: str) -> None:
    first, second = sentence(text1), sentence(text2)
    with Knowledge(vectors_path=shipped_vectors("en")) as knowledge:
        pair = Pair("1", first, second)
        facts = pair_facts(pair, knowledge.relations(pair), "en")
    sum1 = vectors.matrix(text1.split()).sum(axis=0)
    sum2 = vectors.matrix(text2.rstrip(".").split()).sum(axis=0)
    expected = 100 * sum1 @ sum2 / np.linalg.norm(sum1) / np.linalg.norm(sum2)

    control = Control(["--warn=none"])
    control.add(facts_text(facts) + COSINE)
    control.ground()
    found: list[int] = []
    control.solve(
        on_model=lambda model: found.extend(
            atom.arguments[0].number for atom in model.symbols(shown=True)
        )
    )
    assert found == [pytest.approx(expected, abs=1.5)]


def test_punctuation_takes_no_part() -> None:
    with Knowledge(vectors_path=shipped_vectors("en")) as knowledge:
        plain = knowledge.relations(Pair("1", sentence("dogs bark"), sentence("cats meow")))
        dotted = knowledge.relations(Pair("1", sentence("dogs bark."), sentence("cats meow.")))
        apart = knowledge.relations(Pair("1", sentence("dogs bark ."), sentence(". cats meow")))
    assert plain.nearness == dotted.nearness
    assert plain.nearness.products
    assert apart.nearness.products
    assert all(product.token2 > 1 and product.token1 < 3 for product in apart.nearness.products)


def test_facts_are_as_documented() -> None:
    known = PairKnowledge(
        nearness=Nearness((Near(1, 2, 60),), (Product(1, 2, -7),), (Norm(2, 1, 3, 150),)),
    )
    facts = pair_facts(Pair("1", Sentence(()), Sentence(())), known, "en")
    assert facts_text(facts).split() == [
        "language(en).",
        "near(1,2,60).",
        "product(1,2,-7).",
        "norm(2,1,3,150).",
    ]


def test_without_vectors_there_are_no_facts() -> None:
    with Knowledge() as knowledge:
        known = knowledge.relations(Pair("1", sentence("a dog"), sentence("a puppy")))
    assert known.nearness == Nearness()


def test_tokens_are_near_from_25_percent_on() -> None:
    one = np.array([[100.0, 0.0]], np.float32)
    for percent, found in ((24, ()), (25, (Near(1, 1, 25),)), (26, (Near(1, 1, 26),))):
        other = np.array([[percent, math.sqrt(100**2 - percent**2)]], np.float32)
        assert Nearness.of(one, other).near == found
