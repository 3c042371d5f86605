import io
import json

import pytest

from ists_asp.errors import DataError, FormatError
from ists_asp.io.formats import ANSWERS, Outcome, answer_record, format_answer
from ists_asp.io.pairs import read_sts
from ists_asp.io.text import make_sentence
from ists_asp.model import Alignment, Answer, Chunk, Label, Pair, Tag
from ists_asp.terminal import display_width
from tests.tables import read_table

ANSWER = Answer(
    Pair("7", make_sentence(["Ein", "日本", "“b”", "."]), make_sentence(["a", "b", "c"])),
    (Chunk(1, 2), Chunk(3, 3), Chunk(4, 4)),
    (Chunk(1, 1), Chunk(2, 3)),
    (
        Alignment((1, 2), (1, 3), Label.SPE1, 4.0, frozenset({Tag.POL, Tag.FACT})),
        Alignment((3,), (2,), Label.EQUI, 5.0),
        Alignment((4,), (), Label.NOALI, None),
    ),
    (12, 3),
    True,
)


def tsv(data):
    return list(read_table(io.BytesIO(data), "tsv", name="t"))


def jsonl(text):
    return list(read_table(io.BytesIO(text.encode()), "jsonl", name="j"))


def test_tsv_with_and_without_ids():
    for data, identifier in ((b"a b\tc  d\n", "1"), (b"x  7\ta b\tc d\n", "x 7")):
        (pair,) = tsv(data)
        assert (pair.id, pair.sent1.text, pair.sent2.text) == (identifier, "a b", "c d")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\n", "t:1: 1 column; expected two columns of sentences"),
        (b"a\tb\n \nc\td\n", "t:2: an empty row"),
        (b"a\tb\n1\t2\t3\t4\n", "t:2: 4 cells; expected 2, as before"),
        (b"1\ta\tb\n2\tc\n", "t:2: 2 cells; expected 3, as before"),
        (b"a\t \n", "t:1: sentence 2 is empty"),
        (b"i\ta\tb\ni\tc\td\n", "t:2: the id 'i' again, first at t:1"),
        (b" \ta\tb\n", "t:1: an empty id"),
    ],
)
def test_faulty_tsv(data, message):
    with pytest.raises(DataError) as caught:
        tsv(data)
    assert str(caught.value).startswith(message)


HEADERS = [
    *("sentence1\tsentence2", "id\tsentence1\tsentence2", "text_a\ttext_b"),
    *("Sent 1\tSent 2\tscore", "premise\thypothesis", "pairID\ta\tb"),
    *("score\tquestion1\tquestion2", "idx\ttext_a\ttext_b\tlabel", "Oración 1\tORACION_2"),
    *("Respuesta\tReferencia", "note\tanswer\treference", "answer\tModel answer\tid"),
]


@pytest.mark.parametrize("header", HEADERS)
def test_a_row_of_usual_names_is_no_pair(header):
    cells = ["x"] * header.count("\t") + ["y"]
    (pair,) = tsv(f"{header}\n{chr(9).join(cells)}\n".encode())
    assert (pair.sent1.text, pair.id in ("2", "x", "y")) == ("x", True)


@pytest.mark.parametrize(
    "line",
    ["a text\ta sentence", "1\ttext\ttext 2 b", "text\ta b", "id\tb", "s\ttext a b", "no\ta\tb"],
)
def test_sentences_that_name_no_columns_are_a_pair(line):
    assert len(tsv(f"{line}\n".encode())) == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a cat,a dog", "t:1: commas, but no tab; expected columns that tabs separate"),
        ('"a cat, black";"a dog"', "t:1: semicolons, but no tab"),
        ("sentence1,sentence2", "t:1: commas, but no tab"),
    ],
)
def test_other_separators_are_named_once(line, message):
    with pytest.raises(FormatError) as caught:
        tsv(f"{line}\n".encode() * 50)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (['"A cat, black"\t"a dog"', '"one"\t"two"'], "A cat, black"),
        (['"He said ""no"""\tplain'], 'He said "no"'),
        (['x\t"two\nlines"', "y\tz"], "x"),
    ],
)
def test_cells_in_quotes_are_read_without_them(lines, sentence):
    pairs = tsv("\n".join(lines).encode())
    assert (len(pairs), pairs[0].sent1.text) == (len(lines), sentence)


@pytest.mark.parametrize("line", ['"Go !"\the said', '"a" or "b"\t"c" or "d"', "''a''\t'b'"])
def test_sentences_may_have_quotes(line):
    (pair,) = tsv(line.encode())
    assert [pair.sent1.text, pair.sent2.text] == line.split("\t")


def test_sts():
    (found,) = read_sts(io.BytesIO(b"3.25\ta b\tc\n"))
    assert (found.score, found.pair.id, found.pair.sent1.text) == (3.25, "1", "a b")
    for line in (b"x\ta\tb\n", b"nan\ta\tb\n", b"a\tb\n"):
        with pytest.raises(DataError, match=r"^<stdin>:1: "):
            list(read_sts(io.BytesIO(line)))


def test_jsonl_reads_chunks_and_ids():
    pairs = jsonl(
        '{"sent1": "a b c", "sent2": "d", "id": 9, "chunks1": [[1, 2], [3, 3]], '
        '"chunks2": [[1, 1]]}\n'
        '{"sent1": "a\\u0000b \\ud800", "sent2": "d"}\n'
    )
    assert pairs[0].id == "9"
    assert pairs[0].sent1.chunks == (Chunk(1, 2), Chunk(3, 3))
    assert pairs[0].sent2.chunks == (Chunk(1, 1),)
    assert (pairs[1].id, pairs[1].sent1.text) == ("2", "a b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "j:1: no valid JSON at column 2"),
        ("", "j:1: an empty line; expected one object a line"),
        ("[1]", "j:1: JSON that is no object"),
        ('{"sent1": "a", "sent2": [3]}', "j:1: 'sent2' is no string"),
        ('{"sent1": "a", "sent2": " "}', "j:1: sent2 is empty"),
        ('{"sent1": "a", "sent2": "b", "id": true}', "j:1: the id True"),
        ('{"sent1": "a", "sent2": "b", "chunks2": [[1]]}', "j:1: [1] in 'chunks2'"),
        ('{"sent1": "a", "sent2": "b", "chunks2": [[1, 1]]}', "j:1: 'chunks2' without 'chunks1'"),
        ('{"sent1": "a b", "sent2": "b", "chunks1": [[2, 2]]}', "j:1: [2, 2] in 'chunks1'"),
        ('{"sent1": "a b", "sent2": "b", "chunks1": [[1, 1]]}', "j:1: 'chunks1' does not reach"),
        ('{"sent1": "a b", "sent2": "b", "chunks1": []}', "j:1: 'chunks1' does not reach"),
        ('{"sent1": "a", "sent2": "b", "chunks1": [[1, 999999999]]}', "j:1: [1, 999999999]"),
        ("[" * 100_000, "j:1: no valid JSON"),
        (
            '{"sent1": "a", "sent2": "b"}\n{"sent1": "a", "sent2": "b", "id": "1"}',
            "j:2: the id '1' again",
        ),
    ],
)
def test_faulty_jsonl(text, message):
    with pytest.raises(DataError) as caught:
        jsonl(text + "\n")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"sentence1": "a", "text_b": "b"}',
            "j: none of the 2 columns 'sentence1', 'text_b' is known to hold sentences; expected "
            "two columns of sentences, with or without one of ids",
        ),
        ('{"sent1": "a"}', "j: none of the 1 column 'sent1' is known"),
        ("{}", "j: 0 columns"),
        ("[1]", "j:1: JSON that is no object; expected one object a line. Write each object"),
        (
            "[",
            "j:1: no valid JSON at column 2 (Expecting value); expected one object a line. Write",
        ),
    ],
)
def test_json_of_other_programs_is_refused_once(text, message):
    with pytest.raises(FormatError) as caught:
        jsonl(f"{text}\n" * 50)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_jsonl_answer():
    line = ANSWERS["jsonl"].write(Outcome(ANSWER.pair, [ANSWER]))
    assert line.endswith("\n")
    assert line.count("\n") == 1
    record = json.loads(line)
    assert record["chunks2"] == [[1, 1], [2, 3]]
    assert record["alignments"][0] == {
        "tokens1": [1, 2],
        "tokens2": [1, 3],
        "text1": "Ein 日本",
        "text2": "a c",
        "label": "SPE1",
        "tags": ["FACT", "POL"],
        "score": 4.0,
    }
    assert record["alignments"][2]["score"] is None
    assert (record["cost"], record["optimal"]) == ([12, 3], True)
    assert jsonl(line)[0].sent1.chunks == ANSWER.chunks1
    assert record["knowledge"] == []
    assert answer_record(ANSWER, 2, ["lexicon"])["knowledge"] == ["lexicon"]


def test_readable_answer_lines_up():
    assert format_answer(ANSWER) == (
        "Pair 7\n"
        "  1: Ein 日本 “b” .\n"
        "  2: a b c\n"
        "  Ein 日本  SPE1_FACT_POL 4  a … c\n"
        "  “b”       EQUI 5           b\n"
        "  Not aligned in 1: .\n"
    )
    assert display_width("e\u0301日") == 3
