import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.errors import DataError
from ists_asp.evaluate.chunking import compare_chunks
from ists_asp.evaluate.files import evaluate_files
from ists_asp.evaluate.report import render_evaluation
from ists_asp.evaluate.scorer import Reference, evaluate
from ists_asp.io.sentences import make_sentence
from ists_asp.io.wa_writer import write_pair
from ists_asp.model import Alignment, Chunk, Label, Pair, Scheme, Tag

OFFICIAL = Path(__file__).parents[3] / "shared" / "expected" / "eval_f1"
needs_shared = pytest.mark.skipif(not OFFICIAL.is_dir(), reason="needs ../shared/expected")
CASES = json.loads((OFFICIAL / "expected.json").read_text()) if OFFICIAL.is_dir() else {}

PAIR = Pair("1", make_sentence(["a", "b", "c", ","]), make_sentence(["d", "e", "f", ","]))


def line(one, two, label=Label.EQUI, score=5.0, *tags):
    return Alignment(one, two, label, score, frozenset(tags))


def measure(gold, system, scheme=Scheme.Y2016):
    result = evaluate({"1": Reference(PAIR, gold)}, {"1": Reference(PAIR, system)}, scheme)
    return result.overall


@needs_shared
@pytest.mark.parametrize("scheme", Scheme)
@pytest.mark.parametrize("case", CASES)
def test_agrees_with_the_official_scorers(case, scheme):
    gold = OFFICIAL / f"{case.split('.')[0]}.gold.wa"
    result = evaluate_files(gold, OFFICIAL / f"{case}.wa", scheme)
    found = {name: round(measure.f1, 4) for name, measure in result.overall.named()}
    assert found == CASES[case][scheme]


def test_a_chunk_pair_weighs_as_much_as_its_shorter_side():
    # Gold: 2 x 1 tokens (weight 1) and 1 x 1 (weight 1); only the first is found.
    gold = (line((1, 2), (1,)), line((3,), (2,)))
    found = measure(gold, gold[:1]).alignment
    assert (found.precision, found.recall) == (1.0, 0.5)
    assert found.f1 == pytest.approx(2 / 3)


def test_fan_out_over_several_lines():
    # Token d has three links (1/3 each) in the answer, one (1) in the gold file.
    found = measure((line((1,), (1,)),), (line((1,), (1,)), line((2, 3), (1,)))).alignment
    assert found.precision == pytest.approx(1 / 3)
    assert found.recall == 1.0


def test_types_by_jaccard_and_scores_by_distance():
    gold = (line((1,), (1,), Label.SPE1, 4.0, Tag.FACT),)
    scores = measure(gold, (line((1,), (1,), Label.SPE1, 2.0),))
    assert scores.alignment.f1 == 1.0
    assert scores.type.f1 == pytest.approx(1 / 2)
    assert scores.score.f1 == pytest.approx(1 - 2 / 5)
    assert scores.type_score.f1 == pytest.approx(1 / 2 * 3 / 5)


@pytest.mark.parametrize(
    ("gold", "system", "scheme", "expected"),
    [
        ((Label.SPE1, 2.0), (Label.REL, 1.0), Scheme.Y2015, 4 / 5),
        ((Label.SPE1, 2.0), (Label.REL, 1.0), Scheme.Y2016, 0.0),
        ((Label.SPE1, 2.0), (Label.REL, 3.0), Scheme.Y2015, 0.0),
        ((Label.SPE1, 2.0), (Label.OPPO, 2.0), Scheme.Y2015, 0.0),
        ((Label.EQUI, 5.0), (Label.SIMI, 4.0), Scheme.Y2015, 4 / 5),
        ((Label.SPE2, 4.0), (Label.EQUI, 5.0), Scheme.Y2015, 4 / 5),
        ((Label.EQUI, 5.0), (Label.SIMI, 3.0), Scheme.Y2015, 0.0),
        ((Label.EQUI, 5.0), (Label.REL, 4.0), Scheme.Y2015, 0.0),
    ],
)
def test_type_relief_of_2015(gold, system, scheme, expected):
    scores = measure((line((1,), (1,), *gold),), (line((1,), (1,), *system),), scheme)
    assert scores.type_score.f1 == pytest.approx(expected)
    assert scores.type.f1 == 0.0


def test_unaligned_lines_and_lone_punctuation_count_for_nothing():
    gold = (line((1,), (1,)), line((2,), (), Label.NOALI, None), line((4,), (4,)))
    system = (line((1, 4), (1,)), line((), (2,), Label.NOALI, 0.0))
    assert measure(gold, system).alignment.f1 == 1.0


def test_nothing_to_find():
    assert measure((), ()).alignment.f1 == 1.0
    assert measure((), (line((1,), (1,)),)).alignment.f1 == 0.0
    assert measure((line((1,), (1,)),), ()).alignment.f1 == 0.0


def test_pairs_of_one_file_count_against_the_system():
    reference = Reference(PAIR, (line((1,), (1,)),))
    result = evaluate({"1": reference, "2": reference}, {"1": reference, "3": reference})
    assert (result.missing, result.extra) == (("2",), ("3",))
    assert result.overall.alignment.f1 == 0.5
    assert [pair.id for pair in result.pairs] == ["1", "2", "3"]


def test_label_confusion():
    result = evaluate(
        {"1": Reference(PAIR, (line((1, 2), (1,)), line((3,), (3,))))},
        {"1": Reference(PAIR, (line((1, 2), (1,), Label.SIMI, 3.0), line((3,), (2,))))},
    )
    cells = {(cell.gold, cell.system): cell.weight for cell in result.confusion}
    assert cells == {
        (Label.EQUI, Label.SIMI): 1.0,
        (Label.EQUI, Label.NOALI): 1.0,
        (Label.NOALI, Label.EQUI): 1.0,
    }


def test_report_and_json(tmp_path):
    for name, alignments in (("gold", [line((1, 2), (1,))]), ("sys", [line((1,), (1,))])):
        (tmp_path / name).write_text(write_pair(PAIR, alignments))
    result = evaluate_files(tmp_path / "gold", tmp_path / "sys")
    assert render_evaluation(result, by_pair=True) == (
        "Scheme 2016, pairs: 1\n\n"
        "             F1  Precision  Recall\n"
        "Ali      0.6667     1.0000  0.5000\n"
        "Type     0.6667     1.0000  0.5000\n"
        "Score    0.6667     1.0000  0.5000\n"
        "Typ+Sco  0.6667     1.0000  0.5000\n\n"
        "Labels by link weight (rows gold, columns system)\n"
        "       EQUI  NOALI\n"
        "EQUI    0.5    0.5\n"
        "NOALI   0.0    0.0\n\n"
        "F1 by pair\n"
        "Pair     Ali    Type   Score  Typ+Sco\n"
        "1     0.6667  0.6667  0.6667   0.6667\n"
    )
    record = json.loads(json.dumps(result.as_dict()))
    assert record["overall"]["Ali"] == {"precision": 1.0, "recall": 0.5, "f1": 0.6667}


def test_files_that_cannot_be_compared(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text(write_pair(PAIR, []))
    two.write_text(write_pair(PAIR, []).replace('"1"', '"x"'))
    with pytest.raises(DataError, match="no sentence id in common"):
        evaluate_files(one, two)
    one.write_text(one.read_text() * 2)
    with pytest.raises(DataError, match="the sentence id '1' again"):
        evaluate_files(one, two)


def test_chunk_boundaries():
    # Boundaries: gold before 3 and 4, found before 3 and 5; one chunk in common.
    gold = (Chunk(1, 2), Chunk(3, 3), Chunk(4, 5))
    found = (Chunk(1, 2), Chunk(3, 4), Chunk(5, 5))
    result = compare_chunks([(gold, found), (gold, gold)])
    assert result.boundaries.f1 == pytest.approx(3 / 4)
    assert result.chunks.f1 == pytest.approx(4 / 6)
    assert (result.exact, result.sentences) == (1, 2)
    assert compare_chunks([((Chunk(1, 1),), (Chunk(1, 1),))]).boundaries.f1 == 1.0


SIDES = st.sets(st.integers(1, 5), min_size=1).map(lambda numbers: tuple(sorted(numbers)))
ALIGNMENTS = st.lists(
    st.builds(
        Alignment,
        SIDES,
        SIDES,
        st.sampled_from(Label),
        st.sampled_from([None, 1.0, 2.5, 5.0]),
        st.frozensets(st.sampled_from(Tag)),
    ),
    max_size=4,
).map(tuple)


@given(ALIGNMENTS, ALIGNMENTS, st.sampled_from(Scheme))
def test_measures_are_symmetric_and_bounded(one, two, scheme):
    there, back = measure(one, two, scheme), measure(two, one, scheme)
    for (_, forth), (_, swapped) in zip(there.named(), back.named(), strict=True):
        assert -1e-9 <= forth.f1 <= 1 + 1e-9
        assert forth.precision == pytest.approx(swapped.recall)
    for _, same in measure(one, one, scheme).named():
        assert same.f1 == pytest.approx(1.0)
