"""What words and texts are cut into, in both languages, and what the tagger is shown of them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.annotate.subtokens import UNSEEN, cut, cut_text, spelling, spellings
from ists_asp.io.text import make_sentence
from ists_asp.lang import language
from ists_asp.limits import LONGEST_WORD
from ists_asp.model import Sentence

WHOLE = (
    "-- ... :-) `` '' 😀 - % -LRB- well-known O'Neill 1,000 12:30 #tag @user www.a.org"
    " U.S. p.m. e.g. Ph.D. Mr. St. vs. etc. Inc. U.S.-led .5 '90s 'em 's ’s n't -dog-"
)
MARKS = (
    "connected|. b|. B|. 3.5|. no|. (|open|)|, \"|word|.|\" “|word|” ''|word|'' really|?! so|..."
    " …|so '|Hello|' students|' $|5 5|%|, p.m.|, etc.|) 'em|. U.S.|'s"
)
CLITICS = (
    "do|n't ca|n't|. WO|N'T is|n’t it|'s they|'re we|'ve she|'ll he|'d I|'m|, should|n't|'ve"
    " can|not Can|not|. does|nt must|nt gon|na"
)
OTHER = (
    "¿|d'Artagnan's|? Sra. ¡|No|! del hacérselo|. -|dijo|- —|¿|Vienes|? carne|–|, --|que -5"
    " franco-belga 1999-2000 (|1999|-|) -"
)
CUTS = [
    *(("en", words) for words in f"{WHOLE} {MARKS} {CLITICS}".split()),
    *(("es", words) for words in OTHER.split()),
]


@pytest.mark.parametrize(("code", "words"), CUTS)
def test_a_token_is_cut_into_words(code, words):
    """At the strokes: marks and clitics come off, a period of the word stays."""
    assert list(cut(words.replace("|", ""), language(code).words)) == words.split("|")


def test_an_initial_keeps_its_period_before_a_name_only():
    for token, following, parts in (
        *(("W.", "Bush", ("W.",)), ("W.", "is", ("W", ".")), ("W.", None, ("W", "."))),
        ("(W.)", "Bush", ("(", "W", ".", ")")),
    ):
        assert cut(token, language("en").words, following) == parts


MARKED = st.text(alphabet="ab'’.\"(),!?…nt5$%sreS -—", min_size=1, max_size=12)


@pytest.mark.slow
@given(st.text(min_size=1, max_size=30) | MARKED, st.sampled_from(["en", "es"]))
def test_the_words_put_together_are_the_token(token, lang):
    words = cut(token, language(lang).words)
    assert "".join(words) == token
    assert all(words)


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        *(("n’t", "n't"), ("“", '"'), ("``", '"'), ("''", '"'), ("-LRB-", "("), ("-RRB-", ")")),
        *(("well‑known", "well-known"), ("…", "..."), ("e\u0301", "é")),
        *(("zero\u200bwidth", "zerowidth"), ("1\u00a0000", "1000")),
        *(("\u200b", UNSEEN), ("\x00", UNSEEN), ("😀", "😀")),
        ("x" * 5000, "x" * LONGEST_WORD),
    ],
)
def test_spelling(word, shown):
    assert spelling(word) == shown


@given(st.text(max_size=30))
def test_a_spelling_is_never_empty_and_has_no_blank(word):
    shown = spelling(word)
    assert shown
    assert shown.split() == [shown]


def test_what_a_sentence_is_shown_as():
    for code, words, shown in (
        # A sentence in capitals is shown in small letters, acronyms are not.
        ("en", "THE BULB IS A B2 !", "the bulb is a b2 !"),
        *(("en", words, words) for words in ("US , UK", "US UN EU talk", "A B C", "– yes")),
        ("es", "– sí —", "- sí -"),
    ):
        assert spellings(words.split(), language(code).words) == shown.split()


# A stroke is where a token ends that no blank follows.
ROWS = [
    (code, row)
    for code in ("en", "es")
    for row in Path(__file__).with_name(f"tokens-{code}.txt").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize(("lang", "row"), ROWS)
def test_no_word_is_cut_that_a_person_would_not_cut(annotators, lang, row):
    text = row.replace("|", "")
    (tokens,) = annotators[lang].tokenize([text])
    assert [token.form for token in tokens] == row.replace("|", " ").split()
    assert Sentence(tokens).text == text


PIECES = st.text(alphabet="aB1 .,:;'’\"()[]%$€-—…!?@/😀", max_size=30)


@given(PIECES, st.lists(st.integers(1, 9)), st.sampled_from(["en", "es"]))
def test_nothing_is_lost_wherever_a_tokeniser_cuts(text, lengths, lang):
    known = ["x" * length for length in lengths]
    clean = " ".join(text.split())
    forms = list(cut_text(clean, known, language(lang).words))
    assert all(forms)
    assert make_sentence(forms, clean).text == clean


def test_parts_of_a_sentence_are_shown_as_they_were_written():
    text = "“Anna's dog,” she said"
    sentence = make_sentence(["“", "Anna", "'s", "dog", ",", "”", "she", "said"], text)
    assert sentence.text == text
    assert sentence.spaced == "“ Anna 's dog , ” she said"
    assert sentence.words((2, 3, 4)) == "Anna's dog"
    assert sentence.words((2, 4, 5)) == "Anna dog,"
    assert sentence.words((2, 5, 6), "…") == "Anna … ,”"
    assert make_sentence(["Anna", "'s"]).text == "Anna 's"
