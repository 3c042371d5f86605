"""Text is cut where people would cut it, in both languages, and shown as it was written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.annotate import Annotator
from ists_asp.annotate.subtokens import cut_text
from ists_asp.io.text import make_sentence
from ists_asp.lang import language
from ists_asp.model import Sentence

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


def expected(row):
    """The tokens of a row."""
    return row.replace("|", " ").split()


@pytest.fixture(scope="module")
def annotators():
    return {lang: Annotator(lang) for lang in ("en", "es")}


@pytest.mark.parametrize(("lang", "row"), ROWS)
def test_no_word_is_cut_that_a_person_would_not_cut(annotators, lang, row):
    text = row.replace("|", "")
    (tokens,) = annotators[lang].tokenize([text])
    assert [token.form for token in tokens] == expected(row)
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
