"""What the shipped models score on the development set of the English Web Treebank.

The treebank is not part of the project; without it these tests are skipped.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ists_asp.annotate.adapter import StanzaAdapter
from ists_asp.annotate.models import find

TREEBANK = Path(__file__).parents[3] / "shared" / "data" / "ud" / "en_ewt-ud-dev.conllu"

pytestmark = pytest.mark.skipif(
    not TREEBANK.is_file(), reason="needs ../shared/data/ud/en_ewt-ud-dev.conllu"
)

Row = tuple[str, str, str, str]
"""Form, lemma, UPOS, XPOS."""


@pytest.fixture(scope="module")
def adapter() -> StanzaAdapter:
    return StanzaAdapter(find("en"))


@pytest.fixture(scope="module")
def treebank() -> list[list[Row]]:
    blocks = TREEBANK.read_text(encoding="utf-8").split("\n\n")
    rows = [[line.split("\t") for line in block.splitlines()] for block in blocks]
    return [
        [(row[1], row[2], row[3], row[4]) for row in sentence if row[0].isdecimal()]
        for sentence in rows
        if sentence
    ]


def score(
    adapter: StanzaAdapter, treebank: list[list[Row]], forms: list[list[str]]
) -> tuple[float, float, float]:
    """Per cent of right UPOS, XPOS and lemmas."""
    pairs = [
        pair
        for gold, tagged in zip(treebank, adapter.tag(forms), strict=True)
        for pair in zip(gold, tagged, strict=True)
    ]
    upos = sum(gold[2] == word.upos for gold, word in pairs) / len(pairs)
    xpos = sum(gold[3] == word.xpos for gold, word in pairs) / len(pairs)
    lemmas = [gold[1].lower() == word.lemma.lower() for gold, word in pairs if gold[1] != "_"]
    return 100 * upos, 100 * xpos, 100 * sum(lemmas) / len(lemmas)


def test_accuracy(adapter: StanzaAdapter, treebank: list[list[Row]]) -> None:
    upos, xpos, lemma = score(adapter, treebank, [[row[0] for row in rows] for rows in treebank])
    assert upos >= 92.5
    assert xpos >= 91.8
    assert lemma >= 97.5


def test_accuracy_hardly_depends_on_case(adapter: StanzaAdapter, treebank: list[list[Row]]) -> None:
    half = treebank[::2]
    forms = [[row[0] for row in rows] for rows in half]
    plain = score(adapter, half, forms)
    lower = score(adapter, half, [[form.lower() for form in words] for words in forms])
    title = score(adapter, half, [[_title(form) for form in words] for words in forms])
    assert lower == pytest.approx(plain, abs=1.5)
    assert title == pytest.approx(plain, abs=1.5)


def _title(form: str) -> str:
    clitic = form.startswith("'") or form == "n't"
    return form if clitic else form[:1].upper() + form[1:]
