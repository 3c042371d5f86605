"""Answers made by hand, and one that rules decided, loaded once for this folder."""

import pytest

from ists_asp.io.wa import given_answer
from tests.sharing import alignments, make_pair, shared_system


@pytest.fixture(scope="session")
def trace():
    sides = ("12 killed in bus accident on Monday", "10 killed in road accident")
    return shared_system("headlines").trace(*sides)


@pytest.fixture
def answer():
    """Make an answer of two sentences and lines."""

    def make(first, second, lines="", identifier="1"):
        pair = make_pair(first, second, identifier)
        return given_answer(pair, alignments(lines))

    return make
