from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ists_asp.errors import DataError
from ists_asp.io.pairs import format_chunks, parse_chunks, read_pairs
from ists_asp.io.text import Repairs, make_sentence
from ists_asp.io.wa import read_wa
from ists_asp.model import Chunk, Sentence
from tests.sharing import pair_of, processor_seconds
from tests.tables import cases

SHARED = Path(__file__).parents[3] / "shared" / "data" / "ists-2016-train"


def parse(text):
    warnings = []
    sentence = parse_chunks(text, where="f:1", repairs=Repairs(warnings.append))
    return [sentence.words(chunk.tokens) for chunk in sentence.chunks], warnings


def test_brackets_that_belong_to_words():
    assert parse("[ the bulb ] [ is ] [ on ] ") == (["the bulb", "is", "on"], [])
    assert parse("[ see foo[1] ]") == (["see foo[1]"], [])
    with pytest.raises(DataError, match="cover the tokens"):
        format_chunks(Sentence(make_sentence(["a", "b"]).tokens, (Chunk(2, 2),)))


@cases("""
text | chunks | message
[ is ] [ in [ a path ] [ but ] | is/in/a path/but | inside an open chunk
[ is not] [ on ] | is not/on    | no space at the bracket of 'not]'
[is not ] [ on ] | is not/on    | no space at the bracket of '[is'
[ is ][ on ]     | is/on        | no space at the bracket of ']['
[ is ] [ on off  | is/on off    | 'on off' has no ]
so it [ is ] on  | so it/is/on  | 'so it' stands outside brackets
[ is ] ] [ on ]  | is/on        | ] without its [
[ is ] [ ] [ on ] | is/on       | an empty chunk
no brackets      | no brackets  | outside brackets
""")
def test_repairs(text, chunks, message):
    found, warnings = parse(text)
    assert found == chunks.split("/")
    assert warnings[0].startswith("f:1: ")
    assert message in "\n".join(warnings)
    with pytest.raises(DataError, match=r"^f:1: "):
        parse_chunks(text, where="f:1", repairs=Repairs(strict=True))


def test_faults_of_a_kind_are_one_warning_a_line():
    chunks, warnings = parse("[ a ] ] ] b [ c [ d [ e")
    assert chunks == ["a", "b", "c", "d", "e"]
    words = ("] without its [, and 1 more such", "'b' stands outside", "and 1 more such", "no ]")
    assert all(part in warning for part, warning in zip(words, warnings, strict=True))


@pytest.mark.parametrize("piece", ["\\", "]", "[", "][", "\\]", "a]", "[a] "])
def test_long_lines_take_time_in_proportion(piece):
    warnings = []

    def read_and_write(text):
        warnings.clear()
        try:
            format_chunks(parse_chunks(text, repairs=Repairs(warnings.append)))
        except DataError:
            assert set(text) <= {"[", "]"}

    short, long = (piece * (size // len(piece)) for size in (5_000, 50_000))
    once = processor_seconds(lambda: read_and_write(short))
    ten_times = processor_seconds(lambda: read_and_write(long))
    # Ten times as long; a hundred times, if each bracket looked through the line.
    assert ten_times < 40 * once
    assert all(len(warning) < 200 for warning in warnings)
    assert len(warnings) < 6


@st.composite
def chunked(draw):
    word = st.text(st.sampled_from("ab[]\\\"%'/"), min_size=1, max_size=5)
    words = draw(st.lists(word, min_size=1, max_size=8))
    starts = sorted({1, *draw(st.lists(st.integers(1, len(words))))})
    ends = [start - 1 for start in starts[1:]] + [len(words)]
    return Sentence(make_sentence(words).tokens, tuple(map(Chunk, starts, ends)))


ODD = Sentence(
    make_sentence(["[", "]", "[1]", "foo[1]", "a][b", "\\[", "\\", "x]\\"]).tokens,
    (Chunk(1, 3), Chunk(4, 8)),
)


@given(chunked())
@example(ODD)
def test_round_trip(sentence):
    assert parse_chunks(format_chunks(sentence), repairs=Repairs(strict=True)) == sentence


@given(st.text(st.sampled_from("ab[] \\"), max_size=30))
def test_chunks_cover_every_token_of_any_line(text):
    try:
        sentence = parse_chunks(text)
    except DataError:
        # There is no token at all.
        assert set(text) <= set("[] ")
        return
    covered = [number for chunk in sentence.chunks for number in chunk.tokens]
    assert covered == [token.index for token in sentence.tokens]


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data")
@pytest.mark.parametrize("name", ["headlines", "images", "answers-students"])
def test_official_chunk_files_have_the_tokens_of_the_gold_file(name):
    warnings = []
    files = (SHARED / name / f"sent{side}.chunk.txt" for side in (1, 2))
    pairs = list(read_pairs(*files, chunked=True, warn=warnings.append))
    for pair, gold in zip(pairs, map(pair_of, read_wa(SHARED / name / "gold.wa")), strict=True):
        assert (pair.id, pair.sent1.text) == (gold.id, gold.sent1.text)
        assert pair.sent2.text == gold.sent2.text
    assert len(warnings) == (1 if name == "answers-students" else 0)
