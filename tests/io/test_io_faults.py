"""Everything that is wrong with an input is told at once."""

import io
from functools import partial

import pytest

from ists_asp.errors import DataError, FaultyLinesError
from ists_asp.io.chunks import read_chunks
from ists_asp.io.pairs import read_pairs, read_sts
from ists_asp.io.text import read_lines, read_sentences
from ists_asp.io.wa import read_wa
from tests.tables import read_table


def sts_of(source, name):
    source.name = name
    return read_sts(source)


def faults_of(read, text, **options):
    """How many items are read, and the messages of the error at the end."""
    found = []
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(DataError) as caught:
        found.extend(read(io.BytesIO(data), name="f", **options))
    return len(found), caught.value.messages


READERS = {
    "sentences": (read_sentences, "a\n\nb\n \n", ["f:2: an empty", "f:4: an empty"]),
    "chunks": (read_chunks, "[ a ]\n[ ]\n\n", ["f:2: an empty", "f:3: an empty"]),
    "tsv": (
        partial(read_table, kind="tsv"),
        "a\tb\nc\n\nd\te\tf\n\tg\nh\ti\n",
        ["f:2: 1 cell", "f:3: an empty row", "f:4: 3 cells", "f:5: sentence 1 is empty"],
    ),
    "sts": (
        sts_of,
        "1\ta\tb\nx\tc\td\n\n2\te\n",
        ["f:2: the score 'x'", "f:3: an empty row", "f:4: 2 cells"],
    ),
    "jsonl": (
        partial(read_table, kind="jsonl"),
        '{"sent1": "a", "sent2": "b"}\n{\n\n{"sent1": "a"}\n{"sent1": "a", "sent2": ""}\n',
        ["f:2: no valid JSON", "f:3: an empty row", "f:4: no 'sent2'", "f:5: sent2 is empty"],
    ),
}


@pytest.mark.parametrize(("read", "text", "messages"), READERS.values(), ids=READERS)
def test_every_faulty_line_is_told(read, text, messages):
    _, told = faults_of(read, text)
    assert [one.startswith(two) for one, two in zip(told, messages, strict=True)] == [True] * len(
        messages
    )


def test_strict_reading_tells_every_line_that_needs_a_repair():
    count, told = faults_of(read_lines, b"a\n\xe9\nb\nc\x07\n", strict=True)
    assert (count, [message.split(":")[1] for message in told]) == (2, ["2", "4"])
    count, told = faults_of(read_chunks, "[ a ]\na\n[ b\n", strict=True)
    assert (count, len(told)) == (1, 2)
    # Of many faults the first are told and the rest counted.
    count, told = faults_of(read_sentences, "\n" * 25 + "a\n" + "\n" * 1000)
    empty = "an empty sentence; expected at least one token"
    assert count == 1
    assert told[:20] == tuple(f"f:{number}: {empty}" for number in range(1, 21))
    assert told[20:] == ("and 1005 more faulty lines",)


def test_both_files_of_pairs_tell_their_faults_and_lines_stay_together():
    pairs = []
    files = io.BytesIO(b"a1\n\na3\na4\na5\n"), io.BytesIO(b"b1\nb2\nb3\n\n")
    with pytest.raises(FaultyLinesError) as caught:
        pairs.extend(read_pairs(*files, name1="a", name2="b"))
    found = [(pair.id, pair.sent1.text, pair.sent2.text) for pair in pairs]
    assert found == [("1", "a1", "b1"), ("3", "a3", "b3")]
    assert [message.partition(";")[0] for message in caught.value.messages] == [
        "a:2: an empty sentence",
        "b:4: an empty sentence",
        "a: 5 sentences against 4 in b",
    ]


def test_what_ends_the_reading_comes_with_what_was_wrong_before(monkeypatch):
    monkeypatch.setattr("ists_asp.io.text.LONGEST", 10)
    _, told = faults_of(read_sentences, "\na\n" + "b" * 20)
    assert [message.partition(";")[0] for message in told] == [
        "f:1: an empty sentence",
        "f:3: a line of more than 0 MB",
    ]


def test_a_sentence_tells_all_its_malformed_alignments():
    lines = [
        "1 <==> 1 // SAME // 5 // a",
        "x <==> 1 // EQUI // 5 // a",
        "1 <==> 1 // EQUI // 5 // a",
    ]
    text = "\n".join(['<sentence id="1" status="">', "<alignment>", *lines, "</alignment>"])
    (sentence,) = read_wa(io.BytesIO(text.encode()), name="f")
    with pytest.raises(FaultyLinesError) as caught:
        sentence.to_alignments()
    assert [message[:4] for message in caught.value.messages] == ["f:3:", "f:4:"]
    assert str(caught.value) == "\n".join(caught.value.messages)
