"""Bounds: no kind of text takes more than its length, and what is too long fails by itself."""

import re
import time
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from io import BytesIO

import pytest

from ists_asp.annotate import cut, spellings
from ists_asp.compare import compare, read_answered
from ists_asp.engine import Setup, System
from ists_asp.errors import DataError
from ists_asp.evaluate.files import evaluate_files, read_references
from ists_asp.evaluate.wa_check import check_file
from ists_asp.explain.templates import load_templates, phrase, quoted
from ists_asp.io.formats import format_answer
from ists_asp.io.pairs import parse_chunks
from ists_asp.io.text import make_sentence
from ists_asp.io.wa import given_answer, read_wa, write_pair
from ists_asp.knowledge import Knowledge
from ists_asp.lang import language
from ists_asp.limits import LONGEST_WORD, MAX_CHARACTERS, is_long, lifetime
from ists_asp.model import Alignment, Answer, Chunk, Label, Pair, Scheme, Word
from ists_asp.report import compare as compare_with_gold
from ists_asp.report import picture
from ists_asp.vocabulary import pair_facts
from tests.sharing import processor_seconds, read_table

SHORT, LONG = 2_500, 20_000
MOST = 3.0  # times the time that the length allows; the square takes eight times that
UNNOTICED = 0.1  # seconds within which nobody asks how the time grows

MARKS = r"""a \ \] ] [ ][ ( " "' 's a. . 1,111 .111 1 a- // <==> 雨中的人们 id=" """
KINDS = [*MARKS.split(), "a\u0301\u0323\u0327", "a\u00a0"]


def _pair(token):
    """Two sentences with a long token each that differ in two letters."""
    sides = (make_sentence(["the", word, "sleeps"]) for word in (token, f"y{token[1:]}z"))
    return Pair("1", *sides)


def _annotated(pair):
    """The pair with words as the tagger gives them, without a tagger."""

    def tagged(sentence):
        parts = [cut(token.form, language("en").words) for token in sentence.tokens]
        words = [tuple(Word(one, one.lower(), "NOUN", "NN") for one in some) for some in parts]
        tokens = zip(sentence.tokens, words, strict=True)
        return replace(sentence, tokens=tuple(replace(token, words=some) for token, some in tokens))

    return Pair(pair.id, tagged(pair.sent1), tagged(pair.sent2))


def _answer(pair):
    whole = Chunk(1, len(pair.sent1.tokens))
    line = Alignment(whole.tokens, whole.tokens, Label.EQUI, 5.0)
    return Answer(pair, (whole,), (whole,), (line,), (), optimal=True)


def _cut(token):
    for words in (language("en").words, language("es").words):
        spellings(cut(token, words), words)


@cache
def _knowledge(code):
    return Knowledge(code, vectors_path=language(code).vectors)


def _know(token):
    pair = _annotated(_pair(token))
    for code in ("en", "es"):
        pair_facts(pair, _knowledge(code).facts(pair), code)


def _read(token):
    parse_chunks(f"[ the {token} ] [ {token}sleeps ]")
    list(read_table(BytesIO(f"1\tthe {token}\t{token} sleeps\n".encode()), "tsv"))


def _read_wa(token):
    pair = _pair(token)
    lines = write_pair(pair, _answer(pair).alignments)
    list(read_wa(BytesIO(f"{lines}<sentence {token}>\n{token}\n".encode())))


def _tell(token):
    format_answer(_answer(_pair(token)))
    templates = load_templates("en")
    quoted(phrase(["a", token, token[:-1]], templates), templates)


@pytest.mark.parametrize("work", [_cut, _know, _read, _read_wa, _tell])
@pytest.mark.parametrize("kind", KINDS)
def test_time_grows_no_faster_than_a_word(kind, work):
    # With a letter at its end, so that there is something to find in it.
    first, *tokens = ((kind * length)[:length] + "x" for length in (10, SHORT, LONG))
    work(first)
    short, long = (processor_seconds(partial(work, token)) for token in tokens)
    assert long < UNNOTICED or long < MOST * LONG / SHORT * short


def _draw(path):
    for reference in read_references(path).values():
        # Of a token that the sentence lacks.
        with suppress(DataError):
            answer = given_answer(reference.pair, reference.alignments)
            compare_with_gold(answer, reference.alignments)
            picture(answer)


FILE_WORK = {
    "draw": _draw,
    "evaluate": lambda path: evaluate_files(path, path),
    "check": lambda path: [check_file(path, scheme) for scheme in Scheme],
    "diff": lambda path: compare(read_answered(path), read_answered(path), read_references(path)),
}


@pytest.mark.slow
@pytest.mark.parametrize("work", FILE_WORK.values(), ids=FILE_WORK)
@pytest.mark.parametrize("line", ["{0} <==> {0}", "1 <==> {0}", "{0} <==> 7777777"])
def test_time_grows_no_faster_than_a_pair(tmp_path, line, work):
    seconds = []
    for length in (10, 50, 400):
        words = make_sentence([f"w{number}" for number in range(length)])
        head, tail = write_pair(Pair("1", words, words), ()).split("<alignment>\n")
        sides = [line.format(number) for number in range(1, length)]
        lines = "".join(f"{text} // EQUI // 5 // a <==> b \n" for text in sides)
        path = tmp_path / f"{length}.wa"
        path.write_text(f"{head}<alignment>\n{lines}{tail}")
        seconds.append(processor_seconds(partial(work, path)))
    _, short, long = seconds
    assert long < UNNOTICED or long < MOST * 400 / 50 * short


@pytest.mark.parametrize("code", ["en", "es"])
@pytest.mark.parametrize(("length", "known"), [(LONGEST_WORD, True), (LONGEST_WORD + 1, False)])
def test_words_too_long_to_be_known_are_equal_or_not(code, length, known):
    start = "a" * (length - 1)
    sides = (["seperated", f"{start}b"], ["separated", f"{start}c", start, "b"])
    pair = _annotated(Pair("1", *map(make_sentence, sides)))
    found = list(_knowledge(code).facts(pair))
    spelt = {atom.split(",")[0][10:-1] for atom in found if atom.startswith("spelling(")}
    assert spelt == {"seperated"} | ({f"{start}b"} if known else set())
    glued = [atom for atom in found if atom.startswith("glued(")]
    assert glued == (["glued(1,2,3)"] if known else [])
    facts = {str(fact) for fact in pair_facts(pair, found, code)}
    assert f'token(1,2,"{start}b")' in facts


def test_texts_too_long_to_be_tokenised_are_refused(annotator):
    with pytest.raises(DataError, match="text 2: a sentence of 10001 characters"):
        annotator.tokenize(["a cat", "x" * (MAX_CHARACTERS + 1)])
    form = "\"'" * 1000 + "word" + ".," * 1000
    parts = cut(form, language("en").words)
    assert "".join(parts) == form
    assert len(parts) < 20


def test_long_pairs_are_long_by_tokens_or_by_characters_and_take_their_time():
    sides = (["x"] * 98, ["x"] * 99, ["x" * 1998], ["x" * 1999])
    pairs = (Pair("1", make_sentence(["x"]), make_sentence(words)) for words in sides)
    assert list(map(is_long, pairs)) == [False, True] * 2
    assert lifetime(10.0, grace=5.0) == lifetime(10.0, 1, 5.0) == 15.0
    assert lifetime(10.0, 3, 5.0) == pytest.approx(15.4)


@pytest.fixture(scope="module")
def annotator():
    return System(Setup("images"))


@pytest.mark.slow
def test_sentences_of_the_longest_words_are_tagged_in_time(annotator):
    letters = str.maketrans("0123456789", "qxzvkjwyph")
    words = [f"{number:03}".translate(letters) * 33 for number in range(MAX_CHARACTERS // 100)]
    pair = Pair("1", make_sentence(words), make_sentence(words[::-1]))
    list(annotator.annotate([Pair("0", make_sentence(["a"]), make_sentence(["cat"]))]))
    began = time.process_time()
    (found,) = annotator.annotate([pair])
    # A third of that on a quiet machine.
    assert time.process_time() - began < 3.0
    assert [token.form for token in found.sent1.tokens] == words


def test_messages_name_the_ends_of_endless_places():
    text = str(DataError("is missing", where=f"/begin/{'a' * 5000}/end.txt"))
    assert re.fullmatch(r"/begin/aaa.{,380}aaa/end\.txt: is missing", text)
