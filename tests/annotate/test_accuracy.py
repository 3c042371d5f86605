"""What the shipped models score on English EWT (development) and Spanish GSD (test).

The treebanks are not part of the project; without them these tests are skipped.
"""

from pathlib import Path

import pytest

from ists_asp.annotate.stanza import StanzaAdapter, find

UD = Path(__file__).parents[3] / "shared" / "data" / "ud"
TREEBANK = UD / "en_ewt-ud-dev.conllu"
SPANISH = UD / "es_gsd-ud-test.conllu"

pytestmark = pytest.mark.skipif(
    not (TREEBANK.is_file() and SPANISH.is_file()),
    reason=f"needs {TREEBANK.name} and {SPANISH.name} in ../shared/data/ud",
)


def _title(form):
    clitic = form.startswith("'") or form == "n't"
    return form if clitic else form[:1].upper() + form[1:]


Row = tuple[str, str, str, str]
"""Form, lemma, UPOS, XPOS."""


@pytest.fixture(scope="module")
def adapter():
    return StanzaAdapter(find("en"))


def rows_of(path):
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    rows = [[line.split("\t") for line in block.splitlines()] for block in blocks]
    return [
        [(row[1], row[2], row[3], row[4]) for row in sentence if row[0].isdecimal()]
        for sentence in rows
        if sentence
    ]


@pytest.fixture(scope="module")
def treebank():
    return rows_of(TREEBANK)


@pytest.fixture(scope="module")
def plain(adapter, treebank):
    return adapter.tag([[row[0] for row in rows] for rows in treebank])


def score(treebank, readings):
    """Per cent of right UPOS, XPOS and lemmas."""
    pairs = [
        pair
        for gold, tagged in zip(treebank, readings, strict=True)
        for pair in zip(gold, tagged, strict=True)
    ]
    upos = sum(gold[2] == word.upos for gold, word in pairs) / len(pairs)
    xpos = sum(gold[3] == word.xpos for gold, word in pairs) / len(pairs)
    lemmas = [gold[1].lower() == word.lemma.lower() for gold, word in pairs if gold[1] != "_"]
    return 100 * upos, 100 * xpos, 100 * sum(lemmas) / len(lemmas)


@pytest.mark.slow
def test_accuracy(treebank, plain):
    upos, xpos, lemma = score(treebank, plain)
    assert upos >= 92.5
    assert xpos >= 91.8
    assert lemma >= 97.5


@pytest.mark.slow
@pytest.mark.parametrize("case", [str.lower, _title])
def test_accuracy_hardly_depends_on_case(adapter, treebank, plain, case):
    some = treebank[::3]
    readings = adapter.tag([[case(row[0]) for row in rows] for rows in some])
    assert score(some, readings) == pytest.approx(score(some, plain[::3]), abs=1.5)


@pytest.mark.slow
def test_spanish_accuracy():
    treebank = rows_of(SPANISH)
    readings = StanzaAdapter(find("es")).tag([[row[0] for row in rows] for rows in treebank])
    upos, _, lemma = score(treebank, readings)
    assert upos >= 90
    assert lemma >= 96
