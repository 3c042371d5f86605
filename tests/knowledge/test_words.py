"""What words and numbers tell as they are written."""

from decimal import Decimal

from hypothesis import assume, given
from hypothesis import strategies as st

from ists_asp.knowledge import words as written
from ists_asp.lang.spanish import digits, plain, stem
from tests.sharing import cases

LETTERS = st.text(alphabet="abcdeé", max_size=9)
VALUES = (
    "1,000=1000 1,234,567.80=1234567.8 1.50=1.5 .5=0.5 2.0=2 50%=50 $3.2=3.2 -$3.2=-3.2 3€=3"
    " -5=-5 −5=-5 +5=5 -0=0 007=7 2012=2012 1½=1.5"
)
SPANISH = (
    "1.500=1500 1.234.567=1234567 2,5=2.5 1.234,56=1234.56 0,125=0.125 3,500=3500 3.5=3.5 50%=50"
    " €2,50=2.5 2014=2014"
)
MEASURES = (
    "250-M=250=m $356M=356=m 25bn=25=bn 6.3-magnitude=6.3=magnitude 1,500-mile=1500=mile"
    " 10-year-old=10=year-old 1990s=1990=s 3rd=3=rd 3RD=3=rd 100°C=100=°c 5µg=5=µg"
)
NO_MEASURE = "250 $5 5-4 m5 ten-year 5- 5-m2"
NONE = "- $ % . five 10m $356M 1990s 5-4 10:30 1/2 10-year 2,5 1,00 1,0000 1.000.000 5. 3rd th ٣ ²"


def test_similarity():
    for word1, word2, expected in (
        *(("seperated", "separated", 88), ("battary", "battery", 85), ("recieve", "receive", 85)),
        *(("bulb", "bulbs", 80), ("Circuit", "circuit", 100), ("open", "closed", 33)),
        *(("", "", 100), ("", "abc", 0)),
    ):
        assert written.similarity(word1, word2) == expected


@given(LETTERS, LETTERS)
def test_similarity_is_symmetric_and_bounded(word1, word2):
    assert written.similarity(word1, word2) == written.similarity(word2, word1)
    assert 0 <= written.similarity(word1, word2) <= 100
    assert (written.similarity(word1, word2) == 100) == (word1 == word2)


@given(st.text(alphabet="abcde", min_size=4, max_size=9), st.data())
def test_one_swap_counts_as_one_edit(word, data):
    place = data.draw(st.integers(0, len(word) - 2))
    swapped = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    assert written.similarity(word, swapped) >= 100 * (len(word) - 1) // len(word)


@given(st.lists(LETTERS, max_size=5), st.lists(LETTERS, max_size=5))
def test_no_similar_pair_is_missed(words1, words2):
    expected = sorted(
        (word1, word2, written.similarity(word1, word2))
        for word1 in {word for word in words1 if len(word) >= 4}
        for word2 in {word for word in words2 if len(word) >= 4}
        if 70 <= written.similarity(word1, word2) < 100
    )
    facts = [f'spelling("{a}","{b}",{n})' for a, b, n in expected]
    assert list(written.spellings(words1, words2)) == facts


@cases("""
words1          | words2        | found=
cat 1000 co-op word | cut 1001 co-op2 Word | []
word cat        | ward cut      | ['spelling("word","ward",75)']
Battary battary | BATTERY       | ['spelling("battary","battery",85)']
accion          | Acción        | ['spelling("accion","acción",83)']
""")
def test_alphabetic_words_of_four_letters_are_compared(words1, words2, found):
    assert list(written.spellings(words1.split(), words2.split())) == found


def test_accents_need_not_count():
    found = list(written.spellings(["accion"], ["Acción"], plain))
    assert found == ['spelling("accion","acción",100)']
    assert plain("pingüino, año") == "pinguino, año"


def test_letters_are_shared_run_by_run():
    for words1, words2, found in (
        *(("Dogs bark", "dogs bark", [1000]), ("dogs", "dog", [571])),
        *(("dog", "cat", []), ("", "", [])),
    ):
        shared = list(written.shared_letters(words1.split(), words2.split()))
        assert shared == [f"letters_shared({number})" for number in found]


def test_acronyms_have_letters_that_stand_out_and_initials_in_the_other_sentence():
    for row in ["UN=un", "U.N.=un", "U.S=us", "BoE=boe", "p.m.=pm", "MPs=mp"]:
        assert written.acronym(row.partition("=")[0]) == row.partition("=")[2]
    others = ("", "A", "W.", "Bank", "us", "iPad", "BREAKING", "G20", "..")
    assert not any(map(written.acronym, others))
    found = list(written.acronyms(["US", "and", "U.K."], ["the", "United", "Kingdom"]))
    assert found == ['acronym(1,1,"us")', 'acronym(1,3,"uk")', 'initials(2,2,3,"uk")']
    assert list(written.acronyms(["US", "AND", "UK"], ["United", "States"])) == []


@cases("""
one           | two             | word=
a flat-screen | the flat screen | "flatscreen"
U.S.A.        | USA             | None
maybe         | may be          | "maybe"
the policeman | police man      | "policeman"
E-Mail        | email           | "email"
flat screen   | flat screen     | None
4,5 lie       | 4 , 5 lie       | "4,5"
4,500 lie     | 4 , 500 lie     | None
""")
def test_words_that_marks_and_blanks_tell_apart(one, two, word):
    found = list(written.written_otherwise(one.split(), two.split()))
    assert {letters for *_, letters, _ in found} == ({word} if word else set())
    shortest = 0 if set("-,") & set(one + two) else 2 if word == "maybe" else 3
    assert {part for *_, part in found} <= {shortest}
    for number, first, last, letters, _ in found:
        tokens = (one, two)[number - 1].split()[first - 1 : last]
        assert "".join(tokens).replace("-", "").lower() == letters


def test_glued_in_either_sentence():
    whole = ["Thebulb", "lights"]
    parts = ["then", "the", "bulb"]
    assert written.glued(whole, parts) == ["glued(1,1,2)"]
    assert written.glued(parts, whole) == ["glued(2,1,2)"]
    assert written.glued(["10", "a."], ["1", "0", "a", "."]) == []


@given(st.lists(LETTERS.filter(bool), min_size=2, max_size=6), st.data())
def test_every_glued_word_is_found(words, data):
    first = data.draw(st.integers(1, len(words) - 1))
    joined = [*words[: first - 1], words[first - 1] + words[first], *words[first + 1 :]]
    assert f"glued(2,{first},{first})" in written.glued(words, joined)


def test_words_with_a_few_letters_before_them():
    for words1, words2, *found in (
        ("The Unlocked", "locked", 'prefixed("unlocked","locked","un")'),
        ("true", "non-true", 'prefixed("non-true","true","non-")'),
        *(("at", "hat"), ("man", "superman"), ("locked", "locked")),
    ):
        assert written.prefixed(words1.split(), words2.split()) == found


def test_initials():
    for words, wanted, *found in (
        ("The Bank of England says", "boe", (2, 4, "boe")),
        ("The Bank of England says", "be", (2, 4, "be")),
        ("prime minister", "pm", (1, 2, "pm")),
        *(("United , Nations", "un"), ("Group 20", "g2"), ("United Nations", "")),
    ):
        assert list(written.initials(words.split(), set(wanted.split()))) == found


def test_stems_join_a_family():
    words = ["fallecieron", "fallecidos", "fallecimiento", "de", "3", "canción", "canciones"]
    assert list(written.stems(2, words, stem)) == [
        *(f'stem(2,{token},"fallec")' for token in (1, 2, 3)),
        *(f'stem(2,{token},"cancion")' for token in (6, 7)),
    ]


def test_values():
    for row in VALUES.split():
        assert [written.numeral(form) for form in row.split("=")] == row.split("=")[1:] * 2
    for row in (*SPANISH.split(), "1\u00a0000=1000"):
        form, value = row.split("=")
        assert written.numeral(digits(form)) == value
    assert {written.numeral(form) for form in ("", "5\n", *NONE.split())} == {None}


def test_measures():
    for row in MEASURES.split():
        form, *found = row.split("=")
        assert written.measure(form) == tuple(found)
    for form, found in {"3.er": "3 th", "3º": "3 th", "3ª": "3 th", "1.500km": "1500 km"}.items():
        assert written.measure(digits(form)) == tuple(found.split())
    assert written.measure(digits("2,5kg")) == ("2.5", "kg")
    assert {written.measure(form) for form in ("", *NO_MEASURE.split())} == {None}


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=3))
def test_the_value_is_kept(number):
    for form in (f"{number:f}", f"{number:,f}"):
        value = written.numeral(form)
        assert value is not None
        assert Decimal(value) == number


@given(
    st.from_regex(r"[-+]?[$€]?[0-9]{1,3}(,[0-9]{3}|[0-9]){0,3}(\.[0-9]{1,3})?%?", fullmatch=True)
)
def test_the_value_is_canonical(form):
    value = written.numeral(form)
    assume(value is not None)
    assert written.numeral(value) == value


def test_decimal():
    for value, *parts in (
        *(("389000000", 389, 6), ("1500000", 15, 5), ("1234.5", 12345, -1)),
        *(("-2000", -2, 3), ("100", 1, 2), ("0.25", 25, -2), ("0", 0, 0)),
    ):
        assert written.decimal(value) == tuple(parts)


@given(st.decimals(min_value=-(10**15), max_value=10**15, places=3))
def test_a_decimal_has_the_same_value(number):
    value = written.numeral(f"{number:f}")
    assert value is not None
    rest, zeros = written.decimal(value)
    assert Decimal(rest).scaleb(zeros) == number
    assert rest % 10 or rest == zeros == 0


@given(st.text(max_size=12))
def test_any_text_can_be_asked_for_its_number(form):
    value = written.numeral(digits(form))
    assert value is None or written.numeral(value) == value
