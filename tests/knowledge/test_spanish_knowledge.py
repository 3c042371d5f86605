"""What is known about Spanish words: synonyms, stems, accents, numbers, vectors."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.errors import ResourceError
from ists_asp.knowledge import Knowledge, shipped_vectors
from ists_asp.knowledge.numbers import from_spanish, measure, numeral
from ists_asp.knowledge.pair_knowledge import Stem
from ists_asp.knowledge.relation import Relation
from ists_asp.knowledge.spelling import similar_spelling, unaccented
from ists_asp.knowledge.stems import stems
from ists_asp.knowledge.thesaurus import Thesaurus
from ists_asp.knowledge.vectors import Vectors
from ists_asp.model import Pair, Sentence, Token, Word
from ists_asp.resources import data_dir

FILE = data_dir() / "lexicon" / "spanish.sqlite"


@pytest.fixture(scope="module")
def thesaurus():
    with Thesaurus(FILE) as opened:
        yield opened


@pytest.fixture(scope="module")
def vectors():
    return Vectors(shipped_vectors("es"))


def sentence(*words: tuple[str, str, str]) -> Sentence:
    """A sentence of words given as form, lemma and tag."""
    return Sentence(
        tuple(
            Token(number, form, (Word(form, lemma, upos, "_"),))
            for number, (form, lemma, upos) in enumerate(words, 1)
        )
    )


def test_synonyms_have_distances_by_their_common_neighbours(thesaurus):
    found = thesaurus.relations([("fallecer", "v"), ("accidente", "n")], [("morir", "v")])
    assert found == [Relation("synonym", "fallecer", "morir", 0)]
    near, loose = (
        thesaurus.relations([("accidente", "")], [(other, "")])[0].distance
        for other in ("percance", "suerte")
    )
    assert near < loose <= 9


def test_synonyms_hold_in_both_directions(thesaurus):
    there = thesaurus.relations([("casa", "n")], [("vivienda", "n")])
    back = thesaurus.relations([("vivienda", "n")], [("casa", "n")])
    assert [r.distance for r in there] == [r.distance for r in back]
    assert thesaurus.relations([("casa", "n")], [("casa", "n"), ("volcán", "n")]) == []


def test_a_thesaurus_has_no_classes_and_no_usage(thesaurus):
    assert "casa" in thesaurus
    assert "antiguo testamento" in thesaurus
    assert "xyzzy" not in thesaurus
    assert thesaurus.classes("perro", "n") == frozenset()
    assert thesaurus.usage("correr", "v") == 0


def test_faulty_files(tmp_path):
    with pytest.raises(ResourceError, match="no thesaurus here"):
        Thesaurus(tmp_path / "none.sqlite")
    text = tmp_path / "text.sqlite"
    text.write_text("no database, but long enough to be looked at as one\n" * 50)
    with pytest.raises(ResourceError, match="cannot be opened"):
        Thesaurus(text)
    other = tmp_path / "other.sqlite"
    sqlite3.connect(other).execute("PRAGMA user_version = 7")
    with pytest.raises(ResourceError, match="version"):
        Thesaurus(other)


def test_stems_join_a_family():
    words = ["fallecieron", "fallecidos", "fallecimiento", "de", "3", "canción", "canciones"]
    found = dict(stems(words))
    assert found[1] == found[2] == found[3]
    assert found[6] == found[7] == "cancion"
    assert not {4, 5} & found.keys()


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("1.500", "1500"),
        ("1.234.567", "1234567"),
        ("2,5", "2.5"),
        ("1.234,56", "1234.56"),
        ("0,125", "0.125"),
        ("3,500", "3500"),
        ("3.5", "3.5"),
        ("50%", "50"),
        ("€2,50", "2.5"),
        ("1º", "1"),
        ("3.er", "3"),
        ("2ª", "2"),
        ("1\u00a0000", "1000"),
        ("2014", "2014"),
    ],
)
def test_values_of_spanish_numbers(form, value):
    assert numeral(from_spanish(form)) == value


def test_spanish_measures():
    assert measure(from_spanish("1.500km")) == ("1500", "km")
    assert measure(from_spanish("2,5kg")) == ("2.5", "kg")


@given(st.text(max_size=12))
def test_any_text_can_be_asked_for_its_number(form):
    value = numeral(from_spanish(form))
    assert value is None or numeral(value) == value


def test_accents_do_not_count_in_spellings():
    assert similar_spelling(["accion"], ["Acción"], folded=True) == [("accion", "acción", 100)]
    assert similar_spelling(["accion"], ["Acción"]) == [("accion", "acción", 83)]
    assert unaccented("pingüino, año") == "pinguino, año"


def test_knowledge_of_a_pair():
    one = sentence(("Fallecieron", "fallecer", "VERB"), ("1.500", "1500", "NUM"))
    two = sentence(("murieron", "morir", "VERB"), ("mil", "mil", "NUM"))
    with Knowledge(language="es") as knowledge:
        known = knowledge.relations(Pair("1", one, two))
    assert [relation.kind for relation in known.relations] == ["synonym"]
    assert [(entry.token, entry.value) for entry in known.numerals] == [(2, "1500")]
    assert Stem(1, 1, "fallec") in known.stems
    with Knowledge() as knowledge:
        assert knowledge.relations(Pair("1", one, two)).stems == ()


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("perro", "cachorro", 0.85),
        ("perro", "gato", 0.43),
        ("coche", "plátano", -0.05),
        ("casa", "vivienda", 0.74),
        ("murió", "falleció", 0.79),
        ("Siria", "sirio", 0.38),
        ("accidente", "choque", 0.37),
        ("lunes", "martes", 0.68),
    ],
)
def test_cosines_of_the_card(vectors, first, second, expected):
    a, b = vectors.vector(first), vectors.vector(second)
    cosine = float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
    assert cosine == pytest.approx(expected, abs=0.006)
    card = (data_dir() / "vectors" / "README.md").read_text("utf-8")
    assert f"{first}, {second} | {expected:.2f} |" in card


def test_accents_and_rare_names_have_vectors(vectors):
    assert np.array_equal(vectors.vector("Bogotá"), vectors.vector("bogota"))
    assert vectors.vector("Ahuachapán").any()
