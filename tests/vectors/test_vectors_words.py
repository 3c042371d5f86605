"""The shipped vectors, and files that are not as they should be."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.errors import ResourceError
from ists_asp.knowledge.vectors import Vectors
from ists_asp.lang import language

FILE = language("en").vectors
SHIPPED = Vectors(FILE)
SPANISH = Vectors(language("es").vectors)


def cosine(vectors, first, second):
    a, b = vectors.vector(first), vectors.vector(second)
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_cosines_of_the_card():
    card = (Path(FILE).parent / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"(\w+), (\w+) \| (-?\d\.\d\d) \|", card)
    assert len(rows) == 16
    for number, (first, second, expected) in enumerate(rows):
        found = cosine(SHIPPED if number < 8 else SPANISH, first, second)
        assert found == pytest.approx(float(expected), abs=0.006), first


def test_frequent_words_are_short(vectors):
    lengths = [float(np.linalg.norm(vectors.vector(word))) for word in ("the", "dog", "Syria")]
    assert lengths == sorted(lengths)
    assert lengths[0] < 0.5
    assert 1 < lengths[2] < 2


def test_case_and_accents_do_not_matter_and_pieces_make_words(vectors):
    assert np.array_equal(vectors.vector("NATO"), vectors.vector("nato"))
    assert np.array_equal(SPANISH.vector("Bogotá"), SPANISH.vector("bogota"))
    assert SPANISH.vector("Ahuachapán").any()
    assert cosine(vectors, "Kyrgyzstan", "Uzbekistan") > 0.6
    mean = (vectors.vector("dog") + vectors.vector("/") + vectors.vector("car")) / 3
    assert np.allclose(vectors.vector("dog/car"), mean, atol=1e-6)
    for word in ("", " ", "\u200b", "\U0001f600" * 3, "x" * 500):
        assert not vectors.vector(word).any()


def test_matrix(vectors, vectors_file):
    matrix = vectors.matrix(["dog", "", "cat"])
    assert matrix.shape == (3, len(vectors.vector("a")))
    assert np.array_equal(matrix[2], vectors.vector("cat"))
    assert vectors.matrix([]).shape == (0, len(vectors.vector("a")))
    words = ["dog", "Kyrgyzstan", "U.S.", "the"]
    assert np.array_equal(vectors.matrix(words), Vectors(vectors_file).matrix(words))
    with pytest.raises(ValueError, match="read-only"):
        vectors.vector("dog")[0] = 1


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        *(("unaffable", "un ##aff ##able"), ("RUNNING", "runn ##ing"), ("run!", "run !")),
        *(("É", "e"), ("runs", ""), ("runs running", "runn ##ing"), ("\u6771run", "run")),
        ("un" * 60, ""),
    ],
)
def test_words_are_cut_into_the_longest_pieces(tmp_path, word, parts):
    names = ["un", "##aff", "##able", "run", "runn", "##ing", "!", "e"]
    codes, scales = 8 * np.eye(len(names), dtype=np.int8), np.ones(len(names), dtype=np.float16)
    pieces = np.frombuffer("\n".join(names).encode(), dtype=np.uint8)
    np.savez(tmp_path / "en.npz", version=np.array(1), pieces=pieces, codes=codes, scales=scales)
    vector = Vectors(tmp_path / "en.npz").vector(word)
    found = parts.split()
    expected = [8 / len(found) if name in found else 0 for name in names]
    assert vector.tolist() == pytest.approx(expected)


@given(st.text(max_size=30))
def test_any_text_has_a_finite_vector(text):
    assert np.isfinite(SHIPPED.vector(text)).all()


def test_the_shipped_files():
    for code in ("en", "es"):
        path = language(code).vectors
        assert path is not None
        assert path.stat().st_size <= 12_000_000
        assert "Apache License" in (path.parent / "LICENSE").read_text(encoding="utf-8")


def test_damaged_files(tmp_path, vectors_file):
    path = tmp_path / "en.npz"
    with pytest.raises(ResourceError, match="no word vectors"):
        Vectors(path)
    np.save(tmp_path / "one.npy", np.ones(3))
    one_array = (tmp_path / "one.npy").read_bytes()
    whole = vectors_file.read_bytes()
    middle = len(whole) // 2
    spoilt = whole[:middle] + bytes(100) + whole[middle + 100 :]
    for content in (b"", b"not an archive", one_array, whole[:5000], spoilt):
        path.write_bytes(content)
        with pytest.raises(ResourceError, match="damaged word vectors"):
            Vectors(path).vector("dog")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": np.array(2)}, "layout 2; expected layout 1"),
        ({"scales": np.ones(3, dtype=np.float16)}, "2 word pieces, .* 3 scales"),
        ({"codes": np.ones(2, dtype=np.int8)}, r"shape \(2,\)"),
        ({"pieces": None}, "damaged word vectors"),
        ({"codes": np.array([[None]])}, "damaged word vectors"),
    ],
)
def test_arrays_that_do_not_fit(tmp_path, change, message):
    arrays = {
        "version": np.array(1),
        "pieces": np.frombuffer(b"a\nb", dtype=np.uint8),
        "codes": np.ones((2, 4), dtype=np.int8),
        "scales": np.ones(2, dtype=np.float16),
    }
    path = tmp_path / "en.npz"
    np.savez(path, **{k: v for k, v in (arrays | change).items() if v is not None})
    with pytest.raises(ResourceError, match=message):
        Vectors(path).vector("a")
