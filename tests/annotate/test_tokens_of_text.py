"""What words and texts are cut into, in both languages, and what the tagger is shown of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.annotate import Annotator
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


# A stroke is where a token ends that no blank follows.
ENGLISH = """
They left at 5 p.m.
They left at 5 p.m.|, and came back|.
Anna|'s dog|, |not O'Brien|'s|, |barked
The dogs|' bones
Anna|’s and they|’re and I|'m
It isn't here|; |it doesn't|, |can't and won't
It doesnt work and we cannot stop
Dogs|, |e.g.| |poodles|, |i.e.| |small ones|, |etc.
U.S. troops left the U.S.|, |and a U.S.-led force came
He lives in the U.S.
Mr. Smith met Dr. Who and J. K. Rowling
No. 5 is alive
Police find 3 dead in a Colo. home|, |see Fig. 3
He left|. |She stayed
See http://example.org/a,b_(c)?d=e|, |or www.test.com|.
Write to me.too@example.org|.
It cost $|5.99|, |not £|5,000|.
US$|30 or 30|€ or $ 30
It rose 10|% at 9:30 on 12/11/2013
(|3/4 of it|)
A 7.2-magnitude quake|, |5-10 dead
“|Well|…|”|, |he said|: |‘|no|’
"|Two dogs run|,|"| |she said
Dogs [|and cats|]| |run
The dog|😀 ran 😀
👩‍👩‍👧 and 👍🏽👍🏽 and 🇪🇸 and ❤️|.
It is fun :-) :D <3 :(
An eight-year-old with anti-protest laws
A dog(s) and/or a (re)opened door
Really|?! |So|...
He ran|—|she sat|--|they slept|...|then died
Hello|,|world|! |The end|.|The next
the '90s rock 'n' roll of 'em
C++ and .NET and C# and AT&T
20°C in the 1st week of #fun by @user
no stop at the end
x
"""
SPANISH = """
¿|Qué pasa|?| |¡|No|!
¡|¿|Qué|?!
Hay frutas|, |p. ej.| |peras
Los EE. UU. y los EE.UU. pagan
Cuesta 100 € o 100|€|, |un 10|%
3,5 millones y 10.000 personas
«|El Sr. Pérez|»|, |dijo|.
—|Hola| —|dijo el ex-presidente|—|.
Dámelo del todo
La pág. 5|, |etc.
El núm. 3 de D. Juan
A las 9:30 h|.
“|¿|Vienes|?|”
"""
ROWS = [
    (lang, row)
    for lang, rows in (("en", ENGLISH), ("es", SPANISH))
    for row in rows.split("\n")[1:-1]
]


@pytest.fixture(scope="module")
def annotators():
    return {lang: Annotator(lang) for lang in ("en", "es")}


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
