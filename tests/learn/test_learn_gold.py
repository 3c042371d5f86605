"""Gold folders, and what is wrong with them."""

from pathlib import Path

import pytest

from ists_asp.errors import DataError, FaultyLinesError
from ists_asp.io.pairs import read_pairs
from ists_asp.io.text import make_sentence
from ists_asp.io.wa import write_pair
from ists_asp.learn.examples import read_gold
from ists_asp.model import Chunk, Pair
from tests.sharing import alignments

PILOT = Path(__file__).parents[3] / "shared" / "data" / "ists-2015-train"


def test_pairs_have_chunks_and_alignments_in_the_order_of_the_files(samples):
    golds = read_gold(samples / "headlines")
    assert [gold.pair.id for gold in golds] == [str(number) for number in range(1, 11)]
    assert all(gold.pair.sent1.chunks and gold.pair.sent2.chunks for gold in golds)
    labels = " ".join(line.label.value for line in golds[2].alignments)
    assert labels == "EQUI OPPO EQUI NOALI NOALI"


def test_lines_of_one_chunk_on_each_side_say_what_the_chunks_are(tmp_path):
    file = tmp_path / "pilot.wa"
    pair = Pair("1", make_sentence(["Old", "\xe2", "ship"]), make_sentence(["ship", "sinks"]))
    lines = alignments("3~1 EQUI 5; 1,2~ ALIC; ~2 NOALI")
    # As in the pilot's own files, which are not UTF-8 throughout.
    file.write_bytes(write_pair(pair, lines).encode("latin-1"))
    (gold,) = read_gold(file)
    assert gold.pair.sent1.tokens == pair.sent1.tokens
    assert gold.pair.sent1.chunks == (Chunk(1, 2), Chunk(3, 3))
    assert gold.pair.sent2.chunks == (Chunk(1, 1), Chunk(2, 2))
    assert set(gold.alignments) == set(lines)


def test_lines_that_do_not_cut_a_sentence_into_chunks_are_refused(samples):
    with pytest.raises(DataError, match=r"gold\.wa: pair 3, sentence 2: .*folder with chunk files"):
        read_gold(samples / "answers-students" / "gold.wa")


@pytest.mark.skipif(not PILOT.is_dir(), reason=f"the pilot's train data is not in {PILOT}")
@pytest.mark.parametrize(("name", "pairs"), [("headlines", 378), ("images", 375)])
def test_the_pilots_files_have_the_chunks_of_its_chunk_files(name, pairs):
    golds = read_gold(PILOT / f"STSint.gs.{name}.wa")
    files = (PILOT / f"{name}.sent{side}.chunk.derived.txt" for side in (1, 2))
    assert [gold.pair for gold in golds] == list(read_pairs(*files, chunked=True))
    assert len(golds) == pairs


def test_a_missing_file_is_named(gold):
    for name in ("gold.wa", "sent2.chunk.txt", "sent1.chunk.txt"):
        (gold / name).unlink()
        with pytest.raises(DataError, match=f"there is no {name}; .* --gold"):
            read_gold(gold)


def test_all_pairs_without_alignments_are_named(gold):
    file = gold / "gold.wa"
    file.write_text(file.read_text().replace('id="4"', 'id="44"').replace('id="2"', 'id="22"'))
    with pytest.raises(FaultyLinesError) as caught:
        read_gold(gold)
    for number, message in zip("24", caught.value.messages, strict=True):
        assert f"gold.wa: pair {number} of the chunk files is not in it" in message


def test_faulty_pairs_are_left_out(gold):
    chunks, file = gold / "sent1.chunk.txt", gold / "gold.wa"
    first, _, *rest = chunks.read_text().splitlines(keepends=True)
    chunks.write_text("".join([first, "[ open\n", *rest]))
    file.write_text(file.read_text().replace('id="4"', 'id="44"'))
    told = []
    left = [pair.pair.id for pair in read_gold(gold, told.append, skip_bad=True)]
    assert left == [str(number) for number in range(1, len(rest) + 3) if number not in (2, 4)]
    assert [line.rpartition("; ")[2] for line in told if "left out" in line] == ["left out"] * 2


def test_chunk_files_that_do_not_fit_are_refused(gold):
    for name in ("sent1.chunk.txt", "sent2.chunk.txt"):
        first, second, *rest = (gold / name).read_text().splitlines(keepends=True)
        (gold / name).write_text("".join([second, first, *rest]))
    with pytest.raises(DataError, match="pair 1 has 8 and 7 tokens; expected 7 and 9"):
        read_gold(gold)
    file = gold / "sent2.chunk.txt"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(DataError, match="sent1"):
        read_gold(gold)
    for file in gold.glob("sent?.chunk.txt"):
        file.write_text("")
    with pytest.raises(DataError, match=r"no pairs|empty"):
        read_gold(gold)
