"""Word vectors, shipped and damaged, and the integers that rules reckon with."""

import math
import re

import numpy as np
import pytest
from clingo import Control
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ists_asp.errors import ResourceError
from ists_asp.knowledge import Knowledge
from ists_asp.knowledge.vectors import MAX_RUN, Vectors, nearness
from ists_asp.lang import language
from ists_asp.model import Chunk, Pair, Sentence, Token, Word
from ists_asp.syntax.ground import split
from ists_asp.vocabulary import facts_text, pair_facts
from tests.sharing import cases, refused

FILES = [language(code).vectors for code in ("en", "es")]
ENGLISH, SPANISH = map(Vectors, FILES)
PIECES = ["un", "##aff", "##able", "run", "runn", "##ing", "!", "e"]
ANY = Pair("1", Sentence(()), Sentence(()))
FIRST = np.array([[1, 0], [0, 0], [0, 0.5]], dtype=np.float32)
SECOND = np.array([[3, 4], [0, -1]], dtype=np.float32)
NUMBERS = st.floats(-9, 9, width=32, allow_subnormal=False)
MATRICES = st.integers(0, 16).flatmap(lambda rows: arrays(np.float32, (rows, 3), elements=NUMBERS))
COSINE = """
cosine(100*V/(N*M)) :- V = #sum{ P,I,J : product(I,J,P) }, norm(1,1,L,N), norm(2,1,R,M),
    L = #max{ I : token(1,I,_) }, R = #max{ I : token(2,I,_) }.
"""


def cosine(first, second):
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


def test_cosines_of_the_card():
    card = (FILES[0].parent / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"(\w+), (\w+) \| (-?\d\.\d\d) \|", card)
    assert len(rows) == 16
    for number, (*words, expected) in enumerate(rows):
        found = cosine(*map((ENGLISH if number < 8 else SPANISH).vector, words))
        assert found == pytest.approx(float(expected), abs=0.006), words


def test_the_shipped_files_are_small_and_have_a_licence():
    for path in FILES:
        assert path.stat().st_size <= 12_000_000
        assert "Apache License" in (path.parent / "LICENSE").read_text(encoding="utf-8")


def test_frequent_words_are_short():
    lengths = [float(np.linalg.norm(ENGLISH.vector(word))) for word in ("the", "dog", "Syria")]
    assert lengths == sorted(lengths)
    assert lengths[0] < 0.5
    assert 1 < lengths[2] < 2


def test_case_and_accents_do_not_matter_and_pieces_make_words():
    vector = ENGLISH.vector
    assert np.array_equal(vector("NATO"), vector("nato"))
    assert np.array_equal(SPANISH.vector("Bogotá"), SPANISH.vector("bogota"))
    assert SPANISH.vector("Ahuachapán").any()
    assert cosine(vector("Kyrgyzstan"), vector("Uzbekistan")) > 0.6
    mean = (vector("dog") + vector("/") + vector("car")) / 3
    assert np.allclose(vector("dog/car"), mean, atol=1e-6)
    for word in ("", " ", "\u200b", "\U0001f600" * 3, "x" * 500):
        assert not vector(word).any()


def test_a_matrix_has_a_row_a_word():
    words = ["dog", "", "cat", "Kyrgyzstan", "U.S.", "the"]
    matrix = ENGLISH.matrix(words)
    assert np.array_equal(matrix, [ENGLISH.vector(word) for word in words])
    assert np.array_equal(matrix, Vectors(FILES[0]).matrix(words))
    assert ENGLISH.matrix([]).shape == (0, matrix.shape[1])
    with pytest.raises(ValueError, match="read-only"):
        ENGLISH.vector("dog")[0] = 1


def write(path, names, **arrays):
    """A file of vectors; an array that is None is left out."""
    pieces = np.frombuffer("\n".join(names).encode(), dtype=np.uint8)
    given = {"version": np.array(1), "pieces": pieces, **arrays}
    np.savez(path, **{name: array for name, array in given.items() if array is not None})
    return path


@cases(
    "word | parts",
    *(("unaffable", "un ##aff ##able"), ("RUNNING", "runn ##ing"), ("run!", "run !")),
    *(("É", "e"), ("runs", ""), ("runs running", "runn ##ing"), ("\u6771run", "run")),
    ("un" * 60, ""),
)
def test_words_are_cut_into_the_longest_pieces(tmp_path, word, parts):
    codes, scales = 8 * np.eye(len(PIECES), dtype=np.int8), np.ones(len(PIECES), np.float16)
    file, found = write(tmp_path / "en.npz", PIECES, codes=codes, scales=scales), parts.split()
    expected = [8 / len(found) if name in found else 0 for name in PIECES]
    assert Vectors(file).vector(word).tolist() == pytest.approx(expected)


@given(st.text(max_size=30))
def test_any_text_has_a_finite_vector(text):
    assert np.isfinite(ENGLISH.vector(text)).all()


def test_damaged_files(tmp_path):
    path = tmp_path / "en.npz"
    refused(ResourceError, "no word vectors", Vectors, path)
    np.save(tmp_path / "one.npy", np.ones(3))
    whole = FILES[0].read_bytes()
    middle = len(whole) // 2
    spoilt = whole[:middle] + bytes(100) + whole[middle + 100 :]
    one_array = (tmp_path / "one.npy").read_bytes()
    for content in (b"", b"not an archive", one_array, whole[:5000], spoilt):
        path.write_bytes(content)
        refused(ResourceError, "damaged word vectors", Vectors(path).vector, "dog")


@cases(
    "change | message",
    ({"version": np.array(2)}, "layout 2; expected layout 1"),
    ({"scales": np.ones(3, dtype=np.float16)}, "2 word pieces, .* 3 scales"),
    ({"codes": np.ones(2, dtype=np.int8)}, r"shape \(2,\)"),
    ({"pieces": None}, "damaged word vectors"),
    ({"codes": np.array([[None]])}, "damaged word vectors"),
)
def test_arrays_that_do_not_fit(tmp_path, change, message):
    arrays = {"codes": np.ones((2, 4), np.int8), "scales": np.ones(2, np.float16)} | change
    file = write(tmp_path / "en.npz", ["a", "b"], **arrays)
    refused(ResourceError, message, Vectors(file).vector, "a")


def compare(first, second, pair=ANY):
    """The arguments of the atoms by their names."""
    found = {"near": [], "product": [], "norm": [], "nearness": []}
    for atom in nearness(first, second, pair):
        name, _, arguments = atom.removesuffix(")").partition("(")
        found[name].append(tuple(map(int, split(arguments))))
    return found


def test_two_small_sentences():
    assert list(nearness(FIRST, SECOND, ANY)) == [
        *("near(1,1,60)", "near(3,1,80)"),
        # The vector of length 5 is cut to length 2.
        *("product(1,1,12000)", "product(3,1,8000)", "product(3,2,-5000)"),
        *("norm(1,1,1,100)", "norm(1,1,2,100)", "norm(1,1,3,112)", "norm(1,2,3,50)"),
        *("norm(1,3,3,50)", "norm(2,1,1,200)", "norm(2,1,2,134)", "norm(2,2,2,100)"),
        "nearness(1000)",
    ]


def test_given_chunks_are_asked_about_as_wholes():
    chunked = Pair("1", Sentence((), (Chunk(1, 1), Chunk(2, 3))), Sentence((), (Chunk(1, 2),)))
    found = compare(FIRST, SECOND, chunked)
    assert found["product"] == [(1, 1, 12000), (2, 1, 3000)]
    runs = [norm[:3] for norm in found["norm"]]
    assert runs == [(1, 1, 1), (1, 1, 3), (1, 2, 3), (1, 3, 3), (2, 1, 1), (2, 1, 2), (2, 2, 2)]


def test_empty_sentences():
    empty, one = np.zeros((0, 4), np.float32), np.ones((1, 4), np.float32)
    assert list(nearness(empty, empty, ANY)) == ["nearness(0)"]
    assert compare(empty, one)["norm"] == [(2, 1, 1, 200)]
    chunked = Pair("1", Sentence((), ()), Sentence((), (Chunk(1, 1),)))
    assert compare(empty, one, chunked) == compare(empty, one)


def test_tokens_are_near_from_25_percent_on():
    one = np.array([[100.0, 0.0]], np.float32)
    for percent, found in ((24, []), (25, [(1, 1, 25)]), (26, [(1, 1, 26)])):
        other = np.array([[percent, math.sqrt(100**2 - percent**2)]], np.float32)
        assert compare(one, other)["near"] == found


@given(MATRICES, MATRICES)
def test_what_rules_reckon_with_is_bounded_and_stays_within_32_bits(first, second):
    found = compare(first, second)
    assert all(25 <= percent <= 100 for *_, percent in found["near"])
    assert all(0 < abs(value) <= 40_000 for *_, value in found["product"])
    assert all(0 < value <= 2400 for *_, value in found["norm"])
    assert all(last - start < MAX_RUN for _, start, last, _ in found["norm"])
    assert all(tuples == sorted(set(tuples)) for tuples in found.values())
    run = range(1, MAX_RUN + 1)
    total = sum(abs(value) for one, two, value in found["product"] if one in run and two in run)
    norms = [value for *_, value in found["norm"]]
    assert max([100 * total, *(value**2 for value in norms)]) < 2**31


def sentence(text):
    """Words; a full stop at the end of one is a word of its token."""
    tokens = []
    for index, form in enumerate(text.split(), start=1):
        bare = form.rstrip(".")
        words = [Word(bare, form.lower(), "X", "X")] * bool(bare)
        words += [Word(".", ".", "PUNCT", ".")] * (bare != form)
        tokens.append(Token(index, form, tuple(words)))
    return Sentence(tuple(tokens))


def knowledge_of(*texts, vectors_path=FILES[0]):
    """A pair, and what words have in common."""
    pair = Pair("1", *map(sentence, texts))
    with Knowledge(vectors_path=vectors_path) as knowledge:
        return pair, knowledge.facts(pair)


@cases(
    "texts",
    ("in bus accident", "in road accident"),
    ("former Nazi death camp guard", "John Demjanjuk"),
    ("a small dog", "A puppy."),
    ("91", "ninety-one people"),
)
def test_rules_get_the_cosine_of_chunks(texts):
    facts = pair_facts(*knowledge_of(*texts), "en")
    control = Control(["--warn=none"])
    control.add(facts_text(facts) + COSINE)
    control.ground()
    (atom,) = control.symbolic_atoms.by_signature("cosine", 1)
    expected = cosine(*(ENGLISH.matrix(text.rstrip(".").split()).sum(axis=0) for text in texts))
    assert atom.symbol.arguments[0].number == pytest.approx(100 * expected, abs=1.5)


def test_punctuation_takes_no_part_and_without_vectors_there_are_no_facts():
    def near(*texts, **options):
        _, facts = knowledge_of(*texts, **options)
        return [atom for atom in facts if atom.startswith(("near", "product", "norm"))]

    assert near("a dog", "a puppy", vectors_path=None) == []
    assert near("dogs bark", "cats meow") == near("dogs bark.", "cats meow.") != []
    apart = re.findall(r"product\((\d+),(\d+),", " ".join(near("dogs bark .", ". cats meow")))
    assert apart
    assert all(int(token2) > 1 and int(token1) < 3 for token1, token2 in apart)
