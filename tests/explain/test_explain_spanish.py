"""What is said about Spanish pairs is what somebody read."""

import pytest

from tests.explain.spanish import explained, read_lines

LINES = read_lines()


@pytest.mark.parametrize(("sent1", "sent2", "text"), LINES)
def test_spanish_pairs_are_explained_as_reviewed(system, sent1, sent2, text):
    assert explained(system("es"), sent1, sent2) == text


def test_there_are_enough_spanish_pairs():
    assert len(LINES) >= 20
