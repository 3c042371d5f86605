"""Text in another language than the profile's is noticed, names are not."""

import pytest

from ists_asp.engine.preparation import read_pair
from ists_asp.lang import guess
from ists_asp.pipeline.source import warn_foreign
from ists_asp.rules import load_profile


def language(sent1, sent2, expected="en"):
    pair = read_pair(sent1, sent2)
    return guess((pair.sent1, pair.sent2), expected)


@pytest.mark.parametrize(
    ("sent1", "sent2", "expected", "found"),
    [
        ("Ein Hund läuft", "Der Hund schläft", "en", "de"),
        ("El gato duerme", "Un gato come", "en", "es"),
        ("Le chat dort sur le lit", "Un chien est dans la rue", "en", "fr"),
        ("A dog runs in the park", "Ein Hund ist im Park", "en", "de"),
        # Names are none of them.
        ("El Salvador quake kills 10", "Quake hits El Salvador", "en", "en"),
        ("A man plays", "The man sings", "en", "en"),
        ("Carnival in Rio de Janeiro", "Le Monde reports", "en", "en"),
        ("El gato duerme", "Un gato come en la casa", "es", "es"),
        ("The cat is on the mat", "A cat was in the house", "es", "en"),
    ],
)
def test_small_words_tell_the_language(sent1, sent2, expected, found):
    assert language(sent1, sent2, expected) == found


def test_pairs_of_a_language_are_told_in_one_line():
    pairs = [read_pair("Ein Hund läuft", "Der Hund schläft")] * 3
    warnings = []
    warn_foreign(pairs, load_profile("images"), warnings.append)
    (told,) = warnings
    assert "3 pairs look like German" in told
    assert "images" in told
