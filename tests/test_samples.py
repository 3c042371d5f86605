"""The shipped samples fit together; Spanish from sentences to ratings."""

from pathlib import Path

import pytest

import ists_asp
from ists_asp.evaluate.files import read_references
from ists_asp.evaluate.scorer import Reference, evaluate
from ists_asp.evaluate.wa_check import check_file
from ists_asp.io.pairs import read_pairs
from ists_asp.io.wa import read_wa
from ists_asp.model import Label, Scheme
from tests.sharing import load_shared, pair_of, shared_system

SAMPLES = Path(__file__).parents[1] / "data" / "samples"
SETS = {"headlines": 10, "images": 10, "answers-students": 10, "medicine": 8, "spanish": 10}


@pytest.fixture(params=SETS)
def folder(request):
    return SAMPLES / request.param


def test_the_folders_are_those_that_the_card_lists():
    assert {path.name for path in SAMPLES.iterdir() if path.is_dir()} == set(SETS)
    card = (SAMPLES / "README.md").read_text("utf-8")
    for name, pairs in SETS.items():
        assert f"| `{name}/` | {pairs} |" in card


def test_the_files_have_the_same_sentences_and_the_gold_file_is_well_formed(folder):
    files = (folder / "sent1.txt", folder / "sent2.txt")
    plain = list(read_pairs(*files, warn=pytest.fail))
    files = (folder / "sent1.chunk.txt", folder / "sent2.chunk.txt")
    chunked = list(read_pairs(*files, chunked=True, warn=pytest.fail))
    gold = [pair_of(sentence) for sentence in read_wa(folder / "gold.wa", warn=pytest.fail)]
    assert len(plain) == SETS[folder.name]
    assert plain == gold
    for sentence in ("sent1", "sent2"):
        for one, two in zip(plain, chunked, strict=True):
            assert one.id == two.id
            assert getattr(one, sentence).tokens == getattr(two, sentence).tokens
    report = check_file(folder / "gold.wa")
    assert (report.correct, report.notes) == (True, ())
    # Every gold chunk is on one line.
    for pair, sentence in zip(chunked, read_wa(folder / "gold.wa"), strict=True):
        lines = sentence.to_alignments()
        for side in ("1", "2"):
            tokens = [{*getattr(line, f"tokens{side}")} for line in lines]
            for chunk in getattr(pair, f"sent{side}").chunks:
                (having,) = (numbers for numbers in tokens if numbers & {*chunk.tokens})
                assert having >= {*chunk.tokens}


def test_the_samples_have_every_label_of_2016():
    sentences = [sentence for name in SETS for sentence in read_wa(SAMPLES / name / "gold.wa")]
    labels = {line.label for sentence in sentences for line in sentence.to_alignments()}
    assert labels == set(Label) - {Label.ALIC}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("profile", "name"),
    [("default", "medicine"), ("headlines", "headlines"), ("images", "images"), ("es", "spanish")],
)
def test_the_shipped_rules_make_clingo_warn_of_nothing(profile, name):
    """A warning also keeps pairs from being decided together."""
    folder = SAMPLES / name
    pairs = read_pairs(folder / "sent1.txt", folder / "sent2.txt", warn=pytest.fail)
    with load_shared(profile) as system:
        decided = list(system.decide(system.annotate(pairs), rated=system.rates))
        assert len(decided) == SETS[name]
        assert system.explain(decided[0][0]).text
        assert system.warnings == ()


SPANISH = Path(__file__).parents[1] / "data" / "samples" / "spanish"


@pytest.fixture(scope="module")
def system():
    return shared_system("es")


@pytest.fixture(scope="module")
def answers(system):
    pairs = read_pairs(SPANISH / "sent1.txt", SPANISH / "sent2.txt")
    return list(system.solve_many(pairs))


def labels(answer):
    one, two = answer.pair.sent1, answer.pair.sent2
    return {(one.words(a.tokens1), two.words(a.tokens2)): a.label for a in answer.alignments}


def test_the_chunks_of_the_samples_are_found(answers):
    for side, name in ((1, "sent1.chunk.txt"), (2, "sent2.chunk.txt")):
        given = (SPANISH / name).read_text("utf-8").splitlines()
        for answer, line in zip(answers, given, strict=True):
            sentence = getattr(answer.pair, f"sent{side}")
            chunks = getattr(answer, f"chunks{side}")
            assert " ".join(f"[ {sentence.words(chunk.tokens)} ]" for chunk in chunks) == line


def test_the_samples_are_mostly_answered_as_people_do(answers):
    gold = read_references(SPANISH / "gold.wa")
    found = {answer.pair.id: Reference(answer.pair, answer.alignments) for answer in answers}
    scores = evaluate(gold, found, Scheme.Y2016).overall
    assert scores.alignment.f1 > 0.8
    assert scores.type_score.f1 > 0.6
    # Negated verbs, and opposites of the table.
    assert labels(answers[4])["no jugará", "jugará"] is Label.OPPO
    assert labels(answers[3])["condenó", "absolvió"] is Label.OPPO


def test_synonyms_numbers_accents_case_and_inflection_do_not_matter(system):
    for pair in (
        ("Ayer fallecieron 1.500 personas", "Ayer murieron 1500 personas"),
        ("LA REUNION FUE RAPIDA", "Las reuniones fueron rápidas"),
    ):
        answer = system.solve(*pair)
        assert {label for label in labels(answer).values() if label.aligned} == {Label.EQUI}


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
