"""The shipped samples fit together and are annotated as the task asks."""

from pathlib import Path

import pytest

from ists_asp.evaluate.wa_check import check_file
from ists_asp.io.pairs import read_pairs
from ists_asp.io.wa import read_wa
from ists_asp.model import Label
from tests.sharing import load_shared, pair_of

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
