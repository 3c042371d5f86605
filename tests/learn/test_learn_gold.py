"""Gold folders, and what is wrong with them."""

import pytest

from ists_asp.errors import DataError
from ists_asp.learn import read_gold


def test_pairs_have_chunks_and_alignments_in_the_order_of_the_files(samples):
    golds = read_gold(samples / "headlines")
    assert [gold.pair.id for gold in golds] == list("123456")
    assert all(gold.pair.sent1.chunks and gold.pair.sent2.chunks for gold in golds)
    assert [line.label.value for line in golds[2].alignments] == [
        "EQUI",
        "OPPO",
        "EQUI",
        "NOALI",
        "NOALI",
    ]


@pytest.mark.parametrize("name", ["sent1.chunk.txt", "sent2.chunk.txt", "gold.wa"])
def test_a_missing_file_is_named(gold, name):
    (gold / name).unlink()
    with pytest.raises(DataError, match=f"there is no {name}; .* --gold"):
        read_gold(gold)


def test_a_pair_without_alignments_is_named(gold):
    file = gold / "gold.wa"
    file.write_text(file.read_text().replace('id="4"', 'id="44"'))
    with pytest.raises(DataError, match=r"gold\.wa: pair 4 of the chunk files is not in it"):
        read_gold(gold)


def test_alignments_of_other_sentences_are_refused(gold):
    for name in ("sent1.chunk.txt", "sent2.chunk.txt"):
        first, second, *rest = (gold / name).read_text().splitlines(keepends=True)
        (gold / name).write_text("".join([second, first, *rest]))
    with pytest.raises(DataError, match="pair 1 has 8 and 7 tokens; expected 7 and 9"):
        read_gold(gold)


def test_chunk_files_of_different_length_are_refused(gold):
    file = gold / "sent2.chunk.txt"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(DataError, match="sent1"):
        read_gold(gold)


def test_no_pairs_are_refused(gold):
    for file in gold.glob("sent?.chunk.txt"):
        file.write_text("")
    with pytest.raises(DataError, match=r"no pairs|empty"):
        read_gold(gold)
