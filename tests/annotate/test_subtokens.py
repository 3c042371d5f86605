"""Which words a token is cut into, and what the tagger is shown for them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.annotate.subtokens import UNSEEN, cut, spelling, spellings, tables
from ists_asp.limits import LONGEST_WORD

ENGLISH = tables("en")

WHOLE = (
    "-- ... :-) `` '' 😀 - % -LRB- well-known O'Neill 1,000 12:30 #tag @user www.a.org"
    " U.S. p.m. e.g. Ph.D. Mr. St. vs. etc. Inc. U.S.-led .5 '90s 'em 's ’s n't"
)


@pytest.mark.parametrize(
    ("token", "words"),
    [
        *(("connected.", ["connected", "."]), ("b.", ["b", "."]), ("B.", ["B", "."])),
        *(("3.5.", ["3.5", "."]), ("no.", ["no", "."]), ("(open),", ["(", "open", ")", ","])),
        *(('"word."', ['"', "word", ".", '"']), ("“word”", ["“", "word", "”"])),
        *(("''word''", ["''", "word", "''"]), ("really?!", ["really", "?!"])),
        *(("so...", ["so", "..."]), ("…so", ["…", "so"]), ("'Hello'", ["'", "Hello", "'"])),
        *(("students'", ["students", "'"]), ("$5", ["$", "5"]), ("5%,", ["5", "%", ","])),
    ],
)
def test_marks_are_cut_off(token, words):
    assert list(cut(token, ENGLISH)) == words


@pytest.mark.parametrize(
    "token",
    WHOLE.split(),
)
def test_what_stays_whole(token):
    assert cut(token, ENGLISH) == (token,)


@pytest.mark.parametrize(
    ("token", "words"),
    [
        *(("p.m.,", ["p.m.", ","]), ("etc.)", ["etc.", ")"]), ("'em.", ["'em", "."])),
        ("U.S.'s", ["U.S.", "'s"]),
    ],
)
def test_a_period_of_the_word_stays_before_other_marks(token, words):
    assert list(cut(token, ENGLISH)) == words


@pytest.mark.parametrize(
    ("token", "words"),
    [
        *(("don't", ["do", "n't"]), ("can't.", ["ca", "n't", "."]), ("WON'T", ["WO", "N'T"])),
        *(("isn’t", ["is", "n’t"]), ("it's", ["it", "'s"]), ("they're", ["they", "'re"])),
        *(("we've", ["we", "'ve"]), ("she'll", ["she", "'ll"]), ("he'd", ["he", "'d"])),
        ("I'm,", ["I", "'m", ","]),
        ("shouldn't've", ["should", "n't", "'ve"]),
        *(("cannot", ["can", "not"]), ("Cannot.", ["Can", "not", "."]), ("doesnt", ["does", "nt"])),
        ("gonna", ["gon", "na"]),
    ],
)
def test_clitics(token, words):
    assert list(cut(token, ENGLISH)) == words


def test_an_initial_keeps_its_period_before_a_name_only():
    assert cut("W.", ENGLISH, "Bush") == ("W.",)
    assert cut("W.", ENGLISH, "is") == ("W", ".")
    assert cut("W.", ENGLISH, None) == ("W", ".")
    assert cut("(W.)", ENGLISH, "Bush") == ("(", "W", ".", ")")


def test_spanish_has_no_clitics():
    spanish = tables("es")
    assert cut("¿d'Artagnan's?", spanish) == ("¿", "d'Artagnan's", "?")
    assert cut("Sra.", spanish) == ("Sra.",)
    assert cut("¡No!", spanish) == ("¡", "No", "!")
    assert cut("del", spanish) == ("del",)
    assert cut("hacérselo.", spanish) == ("hacérselo", ".")


@pytest.mark.parametrize(
    ("token", "words"),
    [
        *(("-dijo-", ["-", "dijo", "-"]), ("—¿Vienes?", ["—", "¿", "Vienes", "?"])),
        *(("carne–,", ["carne", "–", ","]), ("--que", ["--", "que"]), ("-5", ["-5"])),
        *(("franco-belga", ["franco-belga"]), ("1999-2000", ["1999-2000"])),
        *(("(1999-)", ["(", "1999", "-", ")"]), ("-", ["-"])),
    ],
)
def test_spanish_dashes_round_an_insertion(token, words):
    assert list(cut(token, tables("es"))) == words


def test_english_dashes_stay():
    assert cut("-dog-", ENGLISH) == ("-dog-",)


def test_an_unknown_language_has_empty_tables():
    assert cut("don't.", tables("xx")) == ("don't", ".")


@given(st.text(min_size=1, max_size=30), st.sampled_from(["en", "es", "xx"]))
def test_the_words_put_together_are_the_token(token, lang):
    words = cut(token, tables(lang))
    assert "".join(words) == token
    assert all(words)


MARKED = st.text(alphabet="ab'’.\"(),!?…nt5$%sreS -—", min_size=1, max_size=12)


@given(MARKED, st.sampled_from(["en", "es"]))
def test_marks_and_clitics_put_together_are_the_token(token, lang):
    words = cut(token, tables(lang))
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


def test_a_sentence_in_capitals_is_shown_in_small_letters():
    words = ["THE", "BULB", "IS", "A", "B2", "!"]
    assert spellings(words, ENGLISH) == ["the", "bulb", "is", "a", "b2", "!"]


def test_spanish_dashes_are_shown_as_hyphens():
    assert spellings(["–", "sí", "—"], tables("es")) == ["-", "sí", "-"]
    assert spellings(["–", "yes"], ENGLISH) == ["–", "yes"]


@pytest.mark.parametrize("words", [["US", ",", "UK"], ["US", "UN", "EU", "talk"], ["A", "B", "C"]])
def test_acronyms_are_shown_as_they_are(words):
    assert spellings(words, ENGLISH) == words
