import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.errors import DataError, FormatError
from ists_asp.io.pairs import read_pairs
from ists_asp.io.text import read_lines, read_sentences, split_words


def lines(data, **options):
    return [line.text for line in read_lines(io.BytesIO(data), name="f", **options)]


def test_bom_and_crlf_are_dropped_silently():
    warnings = []
    assert lines(b"\xef\xbb\xbfa b\r\nc\r\n", warn=warnings.append) == ["a b", "c"]
    assert warnings == []


def test_every_stray_byte_between_blanks_stays_a_token():
    strays = [bytes([byte]) for byte in range(0x80, 0x100)]
    for stray in strays:
        (line,) = lines(b"a " + stray + b" b")
        assert len(split_words(line)) == 3
    assert lines(b"5\xa0000 \xa0 \x9d \xe9") == ["5\u00a0000 \ufffd \ufffd é"]


def test_undecodable_line_is_read_as_windows_1252_with_one_warning():
    warnings = []
    data = b"ok\ncaf\xe9 \x93x\x94\n\x81\n"
    assert lines(data, warn=warnings.append)[:2] == ["ok", "café “x”"]
    told = [warning for warning in warnings if "UTF-8" in warning]
    assert [warning.split(": ")[0] for warning in told] == ["f:2", "f:3"]
    # Columns count from 1.
    assert told[0].startswith("f:2: byte 0xE9 at column 4 is not UTF-8")
    for data in (b"\xff\n", b"a\x0bb\n"):
        with pytest.raises(DataError, match=r"^f:1: "):
            lines(data, strict=True)


def test_missing_file_and_directory(tmp_path):
    for path in (tmp_path / "no", tmp_path):
        with pytest.raises(DataError, match="cannot be read"):
            list(read_lines(path))


def test_control_characters_become_blanks():
    warnings = []
    data = "a\x0bb\x85c\u2028d\x00e\tf".encode()
    assert lines(data, warn=warnings.append) == ["a b c d e\tf"]
    assert warnings == ["f:1: control character U+0000, U+000B, U+0085, U+2028; read as a blank"]


def test_only_blanks_and_tabs_separate_tokens():
    found = split_words(" 5\u00a0000 \u00a0 x \t y\u3000 \u3000 z ")
    assert found == ["5\u00a0000", "\u00a0", "x", "y\u3000", "\u3000", "z"]


def test_pairs_are_numbered_and_names_are_used():
    pairs = list(read_pairs(io.BytesIO(b'a "b"\\ %\nc\n'), io.BytesIO(b"d\ne  f")))
    assert [pair.id for pair in pairs] == ["1", "2"]
    assert [token.form for token in pairs[0].sent1.tokens] == ["a", '"b"\\', "%"]
    assert pairs[1].sent2.text == "e f"


@pytest.mark.parametrize("line", ["sentence1", "text_a", " Sent2 "])
def test_a_file_of_sentences_has_no_header(line):
    with pytest.raises(FormatError, match=r"^a:1: the line names columns"):
        list(read_sentences(io.BytesIO(f"{line}\nx\n".encode()), name="a"))
    assert len(list(read_sentences(io.BytesIO(f"x\n{line}\ntext\n".encode())))) == 3


@given(st.binary(max_size=200))
def test_any_bytes_give_printable_lines(data):
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        with pytest.raises(FormatError, match="UTF-16"):
            lines(data)
        return
    for text in lines(data):
        assert not any(unicodedata.category(char) == "Cc" and char != "\t" for char in text)
