"""Files of alignments and of chunks: what is written is read back, what is broken is told."""

import io
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ists_asp.errors import DataError, FormatError
from ists_asp.io.pairs import format_chunks, parse_chunks, read_pairs
from ists_asp.io.text import Repairs, make_sentence
from ists_asp.io.wa import format_score, given_answer, read_wa, write_answer, write_pair
from ists_asp.model import Alignment, Answer, Chunk, Label, Pair, Sentence, Tag
from tests.sharing import alignments, cases, pair_of, processor_seconds, refused

SHARED = Path(__file__).parents[3] / "shared" / "data"
NEEDS_SHARED = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data")
GOLD = [
    *sorted(SHARED.glob("ists-2016-train/*/gold.wa")),
    *sorted(SHARED.glob("ists-2015-train/*.wa")),
]

PAIR = Pair("7", make_sentence(["A", "dog", "barks", "."]), make_sentence(["Two", "dogs", "bark"]))
EXPECTED = (Path(__file__).with_name("samples") / "pair.wa").read_text("utf-8")
LINES = alignments("~3 NOALI; 4~ NOALI; 1,2~1,2 SIMI_FACT 3.5")
ODD = ("<==>", "<<==>>", "&lt;==>", "&amp;lt;==>", "&amp;<==>", "lt;==>", "sentence", 'id="3"')
ODD += ("id=&quot;3", "id=&amp;quot;", "&lt;", "&", "==>", '"', "//", "http://x//y", "\\", "%s")
ODD += ("</source>", ":", "5")
WORD = st.sampled_from(ODD) | st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), min_size=1, max_size=8
)
EVERYTHING = Alignment(tuple(range(1, len(ODD) + 1)), (1, 3), Label.REL, 2.0)
BRACKETS = Sentence(
    make_sentence(["[", "]", "[1]", "foo[1]", "a][b", "\\[", "\\", "x]\\"]).tokens,
    (Chunk(1, 3), Chunk(4, 8)),
)


def read(text, **options):
    return list(read_wa(io.BytesIO(text.encode()), name="f", **options))


def test_what_is_written_is_laid_out_like_the_official_files_and_read_back():
    answer = Answer(PAIR, (Chunk(1, 4),), (Chunk(1, 3),), LINES, (), True)
    assert write_answer(answer) == EXPECTED
    (sentence,) = read(EXPECTED, strict=True)
    assert pair_of(sentence) == PAIR
    assert set(sentence.to_alignments()) == set(LINES)
    assert sentence.alignments[0].where == "f:16"
    assert pair_of(*read(EXPECTED.replace("2 dogs :", "2  dogs :"), strict=True)) == PAIR
    for score, text in ((5.0, "5"), (0.0, "0"), (-0.0, "0"), (3.25, "3.25"), (None, "NIL")):
        assert format_score(score) == text


def test_ids_may_have_any_character_and_lack():
    (sentence,) = read(EXPECTED.replace('"7"', '"a>b\'s"'))
    assert sentence.id == "a>b's"
    warnings = []
    (sentence,) = read(EXPECTED.replace('status="">', 'status=""'), warn=warnings.append)
    assert (sentence.id, len(warnings)) == ("7", 1)
    (sentence,) = read(EXPECTED.replace(' id="7"', ""))
    assert sentence.id is None


@pytest.mark.parametrize(
    ("side", "tokens"),
    [("0 1 2", ()), ("00", ()), ("2 0 1", (1, 2)), ("01", (1,)), ("9" * 5000, (10**9,))],
)
def test_sides_that_begin_with_0_are_not_aligned(side, tokens):
    (sentence,) = read(EXPECTED.replace("1 2 <==>", f"{side} <==>"))
    assert sentence.to_alignments()[0].tokens1 == tokens


@cases(r"""
old= | new= | message
"</sentence>\n"       | "" | without </sentence>
"// Two dogs bark\n"  | "" | 1 text lines
"3 barks :"           | "4 barks :" | token number 4 where 3 is due
"3 barks :"           | "2 barks :" | token number 2 where 3 is due
"3 barks :"           | "barks" | is not a token line
"3 barks : "          | "3 barks:" | f:7: no space before the colon of '3 barks:'; read as 'barks'
"<alignment>\n"       | "" | outside <alignment>
"2 dogs : \n3 bark : \n</translation>\n<alignment>\n" | "2 <==> : \n3 bark : \n"
    outside <alignment>; read as one
"<source>"            | "garbage\n<source>" | belongs to no section
"<sentence"           | "stray\n<sentence" | f:1: 'stray' belongs to no section; skipped
"</sentence>\n"       | "</sentence>\nstray\n" | f:21: 'stray' belongs to no section; skipped
""")
def test_broken_files_are_read_as_far_as_possible(old, new, message):
    warnings = []
    text = EXPECTED.replace(old, new, 1)
    (sentence,) = read(text.replace("\n", "\r\n"), warn=warnings.append)
    assert len(sentence.to_alignments()) == 3
    assert message in warnings[0]
    with pytest.raises(DataError):
        read(text, strict=True)
    with pytest.raises(FormatError, match="more than 1048576 characters; expected </sentence>"):
        read(text.replace("1 2 <==>", f"1 2 <==> 1{' x' * 1000} //\n" * 600 + "1 2 <==>", 1))


@cases(
    "old | new",
    *(("1 2 <==>", "1 x <==>"), ("1 2 <==>", "<==>"), ("1 2 <==> 1 2", "1 2")),
    *(("SIMI_FACT", "SIMI_REL"), ("SIMI_FACT", "FACT"), ("// 3.5", "// four")),
    *(("// 3.5", "// nan"), ("// 3.5", "// 5.5"), ("// 3.5", "// -1"), ("// 3.5", "// ٣")),
    *(("// 3.5", "// 1_0"), ("// 3.5 //", "// 3.5\u00a0//"), ("SIMI_FACT", "ſIMI")),
)
def test_malformed_alignments_are_errors_only_when_converted(old, new):
    (sentence,) = read(EXPECTED.replace(old, new, 1), strict=True)
    refused(DataError, r"^f:16: ", sentence.to_alignments)


def test_given_alignments_are_of_tokens_that_there_are():
    pair = Pair("7", make_sentence(["a"]), make_sentence(["b"]))
    with pytest.raises(DataError, match="pair 7: token 2 of sentence 1, which has 1 tokens"):
        given_answer(pair, [Alignment((2,), (1,), Label.EQUI, 5.0)])
    pair = Pair("1", make_sentence(["a", "b", "c", "d"]), make_sentence(["x"]))
    answer = given_answer(pair, [Alignment((1, 3), (1,), Label.EQUI, 5.0)])
    # Their chunks are runs of tokens.
    assert [chunk.tokens for chunk in answer.chunks1] == [(1,), (2,), (3,), (4,)]


@NEEDS_SHARED
@pytest.mark.parametrize("path", GOLD, ids=lambda path: "-".join(path.parts[-2:]))
def test_official_files_survive_a_round_trip(path):
    warnings = []
    for sentence in read_wa(path, warn=warnings.append):
        pair, lines = pair_of(sentence), sentence.to_alignments()
        text = write_pair(pair, lines)
        (again,) = read(text, strict=True)
        assert pair_of(again) == pair
        assert set(again.to_alignments()) == set(lines)
        if "train/images" in path.as_posix():
            written = text.split("\n")
            assert all(line.raw in written for line in sentence.alignments if line.label != "NOALI")
    stray_bytes = sum("is not UTF-8" in warning for warning in warnings)
    assert stray_bytes == (22 if path.name == "STSint.gs.headlines.wa" else 0)
    assert len(warnings) - stray_bytes == ("train/headlines" in path.as_posix())


@st.composite
def references(draw):
    words1, words2 = (draw(st.lists(WORD, min_size=1, max_size=6)) for _ in "12")
    pair = Pair(draw(WORD), make_sentence(words1), make_sentence(words2))
    line = st.builds(
        Alignment,
        st.sets(st.integers(1, len(words1))).map(lambda numbers: tuple(sorted(numbers))),
        st.sets(st.integers(1, len(words2))).map(lambda numbers: tuple(sorted(numbers))),
        st.sampled_from(Label),
        st.none() | st.integers(0, 20).map(lambda quarters: quarters / 4),
        st.frozensets(st.sampled_from(Tag)),
    ).filter(lambda line: line.score is not None or not line.label.aligned)
    return pair, draw(st.lists(line, max_size=5))


@given(references())
@example((Pair('a"<&>', make_sentence(ODD), make_sentence(ODD[::-1])), [EVERYTHING]))
def test_round_trip(reference):
    """No word is taken for the format: the official scripts look for arrows and ids everywhere."""
    pair, lines = reference
    text = write_pair(pair, lines)
    (sentence,) = read(text, strict=True)
    assert pair_of(sentence) == pair
    assert sentence.texts == [pair.sent1.text, pair.sent2.text]
    assert Counter(sentence.to_alignments()) == Counter(lines)
    arrows = [line.count("<==>") for line in text.splitlines() if "<==>" in line]
    assert arrows == [2] * len(lines)
    assert text.count('sentence id="') == 1


@given(st.text(st.sampled_from("<>/=1 2:\nsentence"), max_size=80) | st.text(max_size=80))
def test_reader_never_crashes(text):
    read(text)


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
    refused(DataError, r"^f:1: ", parse_chunks, text, where="f:1", repairs=Repairs(strict=True))


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

    short, long = (piece * (size // len(piece)) for size in (20_000, 200_000))
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


@given(chunked())
@example(BRACKETS)
def test_chunks_come_back(sentence):
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


@NEEDS_SHARED
@pytest.mark.parametrize("name", ["headlines", "images", "answers-students"])
def test_official_chunk_files_have_the_tokens_of_the_gold_file(name):
    warnings, folder = [], SHARED / "ists-2016-train" / name
    files = (folder / f"sent{side}.chunk.txt" for side in (1, 2))
    pairs = list(read_pairs(*files, chunked=True, warn=warnings.append))
    for pair, gold in zip(pairs, map(pair_of, read_wa(folder / "gold.wa")), strict=True):
        assert (pair.id, pair.sent1.text) == (gold.id, gold.sent1.text)
        assert pair.sent2.text == gold.sent2.text
    assert len(warnings) == (1 if name == "answers-students" else 0)
