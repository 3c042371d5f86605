"""Which words a token is cut into, and what the tagger is shown for them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.annotate.subtokens import UNSEEN, cut, spelling, spellings
from ists_asp.lang import language
from ists_asp.limits import LONGEST_WORD

ENGLISH = language("en").words

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
SPANISH = (
    "¿|d'Artagnan's|? Sra. ¡|No|! del hacérselo|. -|dijo|- —|¿|Vienes|? carne|–|, --|que -5"
    " franco-belga 1999-2000 (|1999|-|) -"
)
CUTS = [
    *(("en", words) for words in f"{WHOLE} {MARKS} {CLITICS}".split()),
    *(("es", words) for words in SPANISH.split()),
]


@pytest.mark.parametrize(("code", "words"), CUTS)
def test_a_token_is_cut_into_words(code, words):
    """At the strokes: marks and clitics come off, a period of the word stays."""
    assert list(cut(words.replace("|", ""), language(code).words)) == words.split("|")


def test_an_initial_keeps_its_period_before_a_name_only():
    assert cut("W.", ENGLISH, "Bush") == ("W.",)
    assert cut("W.", ENGLISH, "is") == ("W", ".")
    assert cut("W.", ENGLISH, None) == ("W", ".")
    assert cut("(W.)", ENGLISH, "Bush") == ("(", "W", ".", ")")


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
        ("\u200b", UNSEEN),
        ("\x00", UNSEEN),
        ("😀", "😀"),
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


@pytest.mark.parametrize(
    ("code", "words", "shown"),
    [
        # A sentence in capitals is shown in small letters, acronyms are not.
        ("en", "THE BULB IS A B2 !", "the bulb is a b2 !"),
        *(("en", words, words) for words in ("US , UK", "US UN EU talk", "A B C", "– yes")),
        ("es", "– sí —", "- sí -"),
    ],
)
def test_what_a_sentence_is_shown_as(code, words, shown):
    assert spellings(words.split(), language(code).words) == shown.split()
