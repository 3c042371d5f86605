"""What is known about pairs, kept between runs: the same facts, looked up once."""

from dataclasses import replace

import pytest

from ists_asp.engine import Setup
from ists_asp.engine.preparation import Preparation
from ists_asp.errors import DataError
from ists_asp.io.pairs import parse_chunks
from ists_asp.io.text import make_sentence
from ists_asp.knowledge import Knowledge
from ists_asp.lang import language
from ists_asp.model import Pair, Word
from tests.sharing import damage

VECTORS = language("en").vectors


def sentence(text):
    """Every token is a noun that is its own lemma."""
    made = make_sentence(text.split())
    return replace(made, tokens=tuple(map(noun, made.tokens)))


def noun(token):
    return replace(token, words=(Word(token.form, token.form, "NOUN", "NN"),))


PAIRS = [
    Pair("1", sentence("12 killed in a car crash"), sentence("10 die in an automobile accident")),
    Pair("2", sentence('says " \\ and ü'), sentence("the U.N. report")),
    Pair("3", sentence("thebulb is red"), sentence("the bulb is blue")),
]


@pytest.fixture
def prepare(tmp_path):
    """Facts of annotated pairs, from a system that begins anew each time."""

    def facts(pairs, *, phrases=(), vectors=VECTORS, look=True):
        knowledge = Knowledge(phrases=phrases, vectors_path=vectors)
        if not look:
            knowledge.facts = refuse  # type: ignore[method-assign]
        made = Preparation(Setup("headlines", cache=tmp_path))
        made._knowledge = knowledge
        found = list(made.known(pairs))
        knowledge.close()
        return found

    return facts


def refuse(_pair):
    raise AssertionError("looked up again")


def test_a_second_run_over_the_same_pairs_looks_up_nothing(prepare):
    first = prepare(PAIRS)
    assert prepare(PAIRS, look=False) == first
    assert all(len(facts) > 20 for _, facts in first)


def test_the_id_of_a_pair_does_not_matter_and_its_words_do(prepare):
    prepare(PAIRS)
    others = [replace(pair, id=f"x{pair.id}") for pair in PAIRS]
    assert [pair.id for pair, _ in prepare(others, look=False)] == ["x1", "x2", "x3"]
    assert [pair.id for pair, _ in prepare([others[2], others[0]], look=False)] == ["x3", "x1"]
    with pytest.raises(AssertionError, match="again"):
        prepare([PAIRS[0], replace(PAIRS[1], sent1=PAIRS[0].sent1)], look=False)


def test_other_sources_and_chunks_have_entries_of_their_own(prepare):
    prepare(PAIRS)
    chunks = parse_chunks("[ 12 ] [ killed ] [ in a car crash ]").chunks
    chunked = replace(PAIRS[0], sent1=replace(PAIRS[0].sent1, chunks=chunks))
    others = ((PAIRS, {"phrases": ("car crash",)}), (PAIRS, {"vectors": None}), ([chunked], {}))
    for pairs, options in others:
        with pytest.raises(AssertionError, match="again"):
            prepare(pairs, look=False, **options)


def test_a_faulty_pair_is_told_each_time(prepare):
    bad = Pair("bad", sentence("nul\0l"), sentence("b"))
    for _ in range(2):
        with pytest.raises(DataError, match="no string of clingo"):
            prepare([PAIRS[0], bad])


def test_damage_costs_a_look(prepare, tmp_path):
    first = prepare(PAIRS)
    damage(tmp_path)
    assert prepare(PAIRS) == first
