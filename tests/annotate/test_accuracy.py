"""What the shipped models score on English EWT (development) and Spanish GSD (test).

The treebanks are not part of the project; without them these tests are skipped.
"""

from pathlib import Path

import pytest

from ists_asp.annotate.stanza import StanzaAdapter, find

UD = Path(__file__).parents[3] / "shared" / "data" / "ud"
FILES = {"en": UD / "en_ewt-ud-dev.conllu", "es": UD / "es_gsd-ud-test.conllu"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(file.is_file() for file in FILES.values()),
        reason="needs en_ewt-ud-dev.conllu and es_gsd-ud-test.conllu in ../shared/data/ud",
    ),
]


def rows_of(code):
    """Form, lemma, UPOS and XPOS of the words of each sentence."""
    blocks = FILES[code].read_text(encoding="utf-8").split("\n\n")
    rows = [[line.split("\t") for line in block.splitlines()] for block in blocks]
    return [[row[1:5] for row in block if row[0].isdecimal()] for block in rows if block]


def score(code, treebank, case=str):
    """Per cent of right UPOS, XPOS and lemmas."""
    readings = StanzaAdapter(find(code)).tag([[case(row[0]) for row in rows] for rows in treebank])
    pairs = [
        pair
        for gold, tagged in zip(treebank, readings, strict=True)
        for pair in zip(gold, tagged, strict=True)
    ]
    upos = sum(gold[2] == word.upos for gold, word in pairs) / len(pairs)
    xpos = sum(gold[3] == word.xpos for gold, word in pairs) / len(pairs)
    lemmas = [gold[1].lower() == word.lemma.lower() for gold, word in pairs if gold[1] != "_"]
    return 100 * upos, 100 * xpos, 100 * sum(lemmas) / len(lemmas)


@pytest.mark.parametrize(("code", "least"), [("en", (92.5, 91.8, 97.5)), ("es", (90, 0, 96))])
def test_accuracy(code, least):
    reached = score(code, rows_of(code))
    assert all(share >= wanted for share, wanted in zip(reached, least, strict=True)), reached


def _title(form):
    clitic = form.startswith("'") or form == "n't"
    return form if clitic else form[:1].upper() + form[1:]


def test_accuracy_hardly_depends_on_case():
    some = rows_of("en")[::3]
    plain = score("en", some)
    for case in (str.lower, _title):
        assert score("en", some, case) == pytest.approx(plain, abs=1.5)
