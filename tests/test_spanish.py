"""The profiles for Spanish, from sentences to answers, explanations and ratings."""

from pathlib import Path

import pytest

import ists_asp
from ists_asp.evaluate.files import read_references
from ists_asp.evaluate.scorer import Reference, evaluate
from ists_asp.io.pairs import read_pairs
from ists_asp.model import Label, Scheme
from tests.sharing import shared_system

SAMPLES = Path(__file__).parents[1] / "data" / "samples" / "spanish"


@pytest.fixture(scope="module")
def system():
    return shared_system("es")


@pytest.fixture(scope="module")
def answers(system):
    pairs = read_pairs(SAMPLES / "sent1.txt", SAMPLES / "sent2.txt")
    return list(system.solve_many(pairs))


def lines(answer):
    one, two = answer.pair.sent1, answer.pair.sent2
    return {(one.words(a.tokens1), two.words(a.tokens2)): a.label for a in answer.alignments}


def test_the_chunks_of_the_samples_are_found(answers):
    for side, name in ((1, "sent1.chunk.txt"), (2, "sent2.chunk.txt")):
        given = (SAMPLES / name).read_text("utf-8").splitlines()
        for answer, line in zip(answers, given, strict=True):
            sentence = getattr(answer.pair, f"sent{side}")
            chunks = getattr(answer, f"chunks{side}")
            assert " ".join(f"[ {sentence.words(chunk.tokens)} ]" for chunk in chunks) == line


def test_the_samples_are_mostly_answered_as_people_do(answers):
    gold = read_references(SAMPLES / "gold.wa")
    found = {answer.pair.id: Reference(answer.pair, answer.alignments) for answer in answers}
    scores = evaluate(gold, found, Scheme.Y2016).overall
    assert scores.alignment.f1 > 0.8
    assert scores.type_score.f1 > 0.6
    # Negated verbs, and opposites of the table.
    assert lines(answers[4])["no jugará", "jugará"] is Label.OPPO
    assert lines(answers[3])["condenó", "absolvió"] is Label.OPPO


def test_synonyms_numbers_accents_case_and_inflection_do_not_matter(system):
    for pair in (
        ("Ayer fallecieron 1.500 personas", "Ayer murieron 1500 personas"),
        ("LA REUNION FUE RAPIDA", "Las reuniones fueron rápidas"),
    ):
        answer = system.solve(*pair)
        assert {label for label in lines(answer).values() if label.aligned} == {Label.EQUI}


@pytest.mark.slow
def test_explanations_are_in_spanish(system, answers):
    told = [explanation.text for explanation in system.explain_many(answers)]
    assert "el tiempo («el martes» frente a «el jueves»)" in told[1]
    assert "«condenó» es lo contrario de «absolvió»" in told[3]
    assert told[9].startswith("No tienen nada en común. La primera dice «los niños leen libros")
    assert not [text for text in told if " de el " in text or " a el " in text]
    assert system.warnings == ()


@pytest.mark.slow
def test_ratings_go_from_0_to_4():
    rating = shared_system("sts-es")
    pairs = [
        ("El río es el más largo del país", "El río es el más largo del país"),
        ("Un perro corre por la playa", "Un perro está corriendo por la arena"),
        ("Los niños leen libros en la biblioteca", "El volcán entró en erupción en marzo"),
    ]
    same, near, other = (rating.rate(rating.solve(*pair)).value for pair in pairs)
    assert other < 1 < near < same == 4


@pytest.mark.slow
def test_sentences_are_compared_as_wholes_by_an_encoder_of_many_languages():
    with ists_asp.load("sts-es", reader="use") as system:
        assert "reader" in system.knowledge
        answer = system.solve("Un perro corre por la playa", "Un can está corriendo en la playa")
        told = system.wholes(answer.pair)
    assert 300 < int(told.removeprefix("nearness_in_context(").removesuffix(")")) <= 1000
