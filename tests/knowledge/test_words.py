"""What words tell as they are written: spelling, prefixes, acronyms, parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.knowledge.words import (
    acronym,
    acronyms,
    glued,
    initials,
    prefixed,
    shared_letters,
    similarity,
    spellings,
    stems,
    written_otherwise,
)
from ists_asp.lang.spanish import plain, stem

LETTERS = st.text(alphabet="abcdeé", max_size=9)


@pytest.mark.parametrize(
    ("word1", "word2", "expected"),
    [
        *(("seperated", "separated", 88), ("battary", "battery", 85), ("recieve", "receive", 85)),
        *(("bulb", "bulbs", 80), ("Circuit", "circuit", 100), ("open", "closed", 33)),
        *(("", "", 100), ("", "abc", 0)),
    ],
)
def test_similarity(word1, word2, expected):
    assert similarity(word1, word2) == expected


@given(LETTERS, LETTERS)
def test_similarity_is_symmetric_and_bounded(word1, word2):
    assert similarity(word1, word2) == similarity(word2, word1)
    assert 0 <= similarity(word1, word2) <= 100
    assert (similarity(word1, word2) == 100) == (word1 == word2)


@given(st.text(alphabet="abcde", min_size=4, max_size=9), st.data())
def test_one_swap_counts_as_one_edit(word, data):
    place = data.draw(st.integers(0, len(word) - 2))
    swapped = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    assert similarity(word, swapped) >= 100 * (len(word) - 1) // len(word)


@given(st.lists(LETTERS, max_size=5), st.lists(LETTERS, max_size=5))
def test_no_similar_pair_is_missed(words1, words2):
    expected = sorted(
        (word1, word2, similarity(word1, word2))
        for word1 in {word for word in words1 if len(word) >= 4}
        for word2 in {word for word in words2 if len(word) >= 4}
        if 70 <= similarity(word1, word2) < 100
    )
    assert list(spellings(words1, words2)) == [f'spelling("{a}","{b}",{n})' for a, b, n in expected]


@pytest.mark.parametrize(
    ("words1", "words2", "found"),
    [
        # Only alphabetic words of four letters are compared.
        ("cat 1000 co-op word", "cut 1001 co-op2 Word", []),
        ("word cat", "ward cut", ['spelling("word","ward",75)']),
        ("Battary battary", "BATTERY", ['spelling("battary","battery",85)']),
        ("accion", "Acción", ['spelling("accion","acción",83)']),
    ],
)
def test_words_of_similar_spelling(words1, words2, found):
    assert list(spellings(words1.split(), words2.split())) == found


def test_accents_need_not_count():
    found = list(spellings(["accion"], ["Acción"], plain))
    assert found == ['spelling("accion","acción",100)']
    assert plain("pingüino, año") == "pinguino, año"


@pytest.mark.parametrize(
    ("words1", "words2", "found"),
    [("Dogs bark", "dogs bark", [1000]), ("dogs", "dog", [571]), ("dog", "cat", []), ("", "", [])],
)
def test_letters_are_shared_run_by_run(words1, words2, found):
    shared = list(shared_letters(words1.split(), words2.split()))
    assert shared == [f"letters_shared({number})" for number in found]


def test_acronyms_have_letters_that_stand_out_and_initials_in_the_other_sentence():
    for row in ["UN=un", "U.N.=un", "U.S=us", "BoE=boe", "p.m.=pm", "MPs=mps"]:
        assert acronym(row.partition("=")[0]) == row.partition("=")[2]
    assert not any(map(acronym, ["", *["A", "W.", "Bank", "us", "iPad", "BREAKING", "G20", ".."]]))
    found = list(acronyms(["US", "and", "U.K."], ["the", "United", "Kingdom"]))
    assert found == ['acronym(1,1,"us")', 'acronym(1,3,"uk")', 'initials(2,2,3,"uk")']
    assert list(acronyms(["US", "AND", "UK"], ["United", "States"])) == []


@pytest.mark.parametrize(
    ("one", "two", "word"),
    [
        ("a flat-screen", "the flat screen", "flatscreen"),
        ("U.S.A.", "USA", None),
        ("maybe", "may be", "maybe"),
        ("the policeman", "police man", "policeman"),
        ("E-Mail", "email", "email"),
        ("flat screen", "flat screen", None),
    ],
)
def test_words_that_marks_and_blanks_tell_apart(one, two, word):
    found = list(written_otherwise(one.split(), two.split()))
    assert {letters for *_, letters, _ in found} == ({word} if word else set())
    assert {part for *_, part in found} <= {0 if "-" in one + two else 2 if word == "maybe" else 3}
    for number, first, last, letters, _ in found:
        tokens = (one, two)[number - 1].split()[first - 1 : last]
        assert "".join(tokens).replace("-", "").lower() == letters


def test_glued_in_either_sentence():
    whole = ["Thebulb", "lights"]
    parts = ["then", "the", "bulb"]
    assert glued(whole, parts) == ["glued(1,1,2)"]
    assert glued(parts, whole) == ["glued(2,1,2)"]
    assert glued(["10", "a."], ["1", "0", "a", "."]) == []


@given(st.lists(LETTERS.filter(bool), min_size=2, max_size=6), st.data())
def test_every_glued_word_is_found(words, data):
    first = data.draw(st.integers(1, len(words) - 1))
    joined = [*words[: first - 1], words[first - 1] + words[first], *words[first + 1 :]]
    assert f"glued(2,{first},{first})" in glued(words, joined)


@pytest.mark.parametrize(
    ("words1", "words2", "found"),
    [
        ("The Unlocked", "locked", ['prefixed("unlocked","locked","un")']),
        ("true", "non-true", ['prefixed("non-true","true","non-")']),
        ("at", "hat", []),
        ("man", "superman", []),
        ("locked", "locked", []),
    ],
)
def test_words_with_a_few_letters_before_them(words1, words2, found):
    assert prefixed(words1.split(), words2.split()) == found


@pytest.mark.parametrize(
    ("words", "wanted", "found"),
    [
        ("The Bank of England says", "boe", [(2, 4, "boe")]),
        ("The Bank of England says", "be", [(2, 4, "be")]),
        ("prime minister", "pm", [(1, 2, "pm")]),
        ("United , Nations", "un", []),
        ("Group 20", "g2", []),
        ("United Nations", "", []),
    ],
)
def test_initials(words, wanted, found):
    assert list(initials(words.split(), set(wanted.split()))) == found


def test_stems_join_a_family():
    words = ["fallecieron", "fallecidos", "fallecimiento", "de", "3", "canción", "canciones"]
    assert list(stems(2, words, stem)) == [
        *(f'stem(2,{token},"fallec")' for token in (1, 2, 3)),
        *(f'stem(2,{token},"cancion")' for token in (6, 7)),
    ]
