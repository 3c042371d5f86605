import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.errors import DataError
from ists_asp.evaluate.files import evaluate_files, render_evaluation
from ists_asp.evaluate.scorer import Reference, compare_chunks, evaluate
from ists_asp.io.text import make_sentence
from ists_asp.io.wa import write_pair
from ists_asp.model import Alignment, Chunk, Label, Pair, Scheme, Tag
from tests.sharing import alignments, cases, refused

OFFICIAL = Path(__file__).parents[3] / "shared" / "expected" / "eval_f1"
needs_shared = pytest.mark.skipif(not OFFICIAL.is_dir(), reason="needs ../shared/expected")
CASES = json.loads((OFFICIAL / "expected.json").read_text()) if OFFICIAL.is_dir() else {}

GOLD = "1,2~1 EQUI 5; 3~2 SIMI 3"
PAIR = Pair("1", make_sentence(["a", "b", "c", ","]), make_sentence(["d", "e", "f", ","]))
FAULTS = [
    ("// 5 //", "// 7 //", r"17: wrong score: found '7'; .* The official check refuses"),
    ("EQUI", "equi", r"17: wrong type: found 'equi'; .* The official check refuses"),
    (' status=""', "", r"17: Can't find id: .* The official check refuses"),
    (None, None, r" no sentence; "),
]
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


def refer(lines, pair=PAIR):
    return {"1": Reference(pair, alignments(lines) if isinstance(lines, str) else lines)}


def measure(gold, system, scheme=Scheme.Y2016, pair=PAIR):
    return evaluate(refer(gold, pair), refer(system, pair), scheme).overall


@pytest.mark.slow
@needs_shared
@pytest.mark.parametrize("scheme", Scheme)
@pytest.mark.parametrize("case", CASES)
def test_agrees_with_the_official_scorers(case, scheme):
    gold = OFFICIAL / f"{case.split('.')[0]}.gold.wa"
    result = evaluate_files(gold, OFFICIAL / f"{case}.wa", scheme)
    found = {name: round(measure.f1, 4) for name, measure in result.overall.named()}
    assert found == CASES[case][scheme]


@cases(
    "gold | system | expected",
    # A pair of chunks weighs as much as its shorter side.
    ("1,2~1 EQUI 5; 3~2 EQUI 5", "1,2~1 EQUI 5", {"alignment": (1, 1 / 2)}),
    # Over several lines token d has three links (1/3 each) in the answer, one (1) in gold.
    ("1~1 EQUI 5", "1~1 EQUI 5; 2,3~1 EQUI 5", {"alignment": (1 / 3, 1)}),
    # Types by Jaccard, scores by distance.
    (
        *("1~1 SPE1_FACT 4", "1~1 SPE1 2"),
        {"alignment": 1, "type": 1 / 2, "score": 1 - 2 / 5, "type_score": 1 / 2 * 3 / 5},
    ),
    # Lines that are not aligned and lone punctuation count for nothing.
    ("1~1 EQUI 5; 2~ NOALI; 4~4 EQUI 5", "1,4~1 EQUI 5; ~2 NOALI 0", {"alignment": 1}),
    # The last line decides on a link.
    ("1~1 SIMI 3", "1~1 SIMI 3; 1~1 EQUI 5", {"type_score": 0}),
    ("1~1 SIMI 3", "1~1 EQUI 5; 1~1 SIMI 3", {"type_score": 1}),
    ("1~1 EQUI 5; 1~1 SIMI 3", "1~1 SIMI 3", {"type_score": 1}),
    # A line with two sides counts whatever its label.
    ("1~1 EQUI 5", "1~1 NOALI", {"alignment": 1, "type": 0, "score": 0}),
    ("1~1 EQUI 5", "1~1 ALIC", {"alignment": 1, "type": 0, "score": 0}),
    *(("", "", {"alignment": 1}), ("", "1~1 EQUI 5", {"alignment": 0})),
    ("1~1 EQUI 5", "", {"alignment": 0}),
)
def test_what_is_measured(gold, system, expected):
    found = measure(gold, system)
    for name, wanted in expected.items():
        one = getattr(found, name)
        reached = (one.precision, one.recall) if isinstance(wanted, tuple) else one.f1
        assert reached == pytest.approx(wanted), name


@cases(
    "gold | system | scheme | expected",
    ("SPE1 2", "REL 1", Scheme.Y2015, 4 / 5),
    ("SPE1 2", "REL 1", Scheme.Y2016, 0.0),
    ("SPE1 2", "REL 3", Scheme.Y2015, 0.0),
    ("SPE1 2", "OPPO 2", Scheme.Y2015, 0.0),
    ("EQUI 5", "SIMI 4", Scheme.Y2015, 4 / 5),
    ("SPE2 4", "EQUI 5", Scheme.Y2015, 4 / 5),
    ("EQUI 5", "SIMI 3", Scheme.Y2015, 0.0),
    ("EQUI 5", "REL 4", Scheme.Y2015, 0.0),
    ("SPE1_FACT 2", "REL 2", Scheme.Y2015, 1 / 2),
    ("SPE1_FACT 2", "REL_POL 2", Scheme.Y2015, 1 / 3),
)
def test_type_relief_of_2015(gold, system, scheme, expected):
    scores = measure(f"1~1 {gold}", f"1~1 {system}", scheme)
    assert scores.type_score.f1 == pytest.approx(expected)
    assert scores.type.f1 == 0.0


@pytest.mark.parametrize("sign", [*".,:;?'`\"-!", "''", "..."])
def test_some_single_signs_are_ignored(sign):
    pair = Pair("1", make_sentence([sign, "cat"]), make_sentence([sign, "dog"]))
    found = measure("1~1 EQUI 5; 2~2 EQUI 5", "2~2 EQUI 5", pair=pair).alignment.f1
    assert found == pytest.approx(1.0 if sign in ".,:;?'`\"-" else 2 / 3)


def test_pairs_of_one_file_count_against_the_system_with_all_their_tokens():
    gold = refer("1~1 EQUI 5")
    comma = {"2": refer("4~4 EQUI 5")["1"]}
    assert evaluate(gold, gold | comma).overall.alignment.precision == pytest.approx(1 / 2)
    result = evaluate(gold | {"2": gold["1"]}, gold | {"3": gold["1"]})
    assert (result.missing, result.extra) == (("2",), ("3",))
    assert result.overall.alignment.f1 == 0.5
    assert list(result.pairs) == ["1", "2", "3"]


def test_label_confusion():
    found = evaluate(refer("1,2~1 EQUI 5; 3~3 EQUI 5"), refer("1,2~1 SIMI 3; 3~2 EQUI 5")).confusion
    equi, simi, noali = Label.EQUI, Label.SIMI, Label.NOALI
    assert found == {(equi, simi): 1.0, (equi, noali): 1.0, (noali, equi): 1.0}


def write(path, lines, old="", new=""):
    text = write_pair(PAIR, alignments(lines))
    assert old in text
    path.write_text(text.replace(old, new))
    return path


@pytest.fixture
def files(tmp_path):
    """Write gold and an answer of the same lines but for a change."""

    def files(old="", new="", gold=GOLD):
        return write(tmp_path / "g", gold), write(tmp_path / "s", gold, old, new)

    return files


def test_report_and_json(tmp_path):
    gold, system = write(tmp_path / "g", "1,2~1 EQUI 5"), write(tmp_path / "s", "1~1 EQUI 5")
    result = evaluate_files(gold, system)
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
    # Links of a word aligner have neither labels nor scores.
    system.write_text("0-0\n")
    linked = evaluate_files(gold, system).as_dict()
    assert (linked["overall"], linked["confusion"]) == ({"Ali": record["overall"]["Ali"]}, [])
    system.write_text("0-0\n1-0\n")
    with pytest.raises(DataError, match="lines of links: 2; expected 1, one for each pair of gold"):
        evaluate_files(gold, system)


@cases(
    "name | old | new | message",
    *((name, *fault) for name in "gs" for fault in FAULTS),
    ("s", "// 5 //", "// 1e9 //", r"17: wrong score: found '1e9'; .* The official check ref"),
    ("s", "// 5 //", "// ٣ //", r"17: wrong score: found '٣'; .* The official check refuses"),
    ("s", "// 5 //", "// nan //", r"17: no number: found 'nan'; .* Our own rule: "),
    ("s", "1 2 <", "1 x <", r"17: wrong token: found 'x'; .* The official check refuses"),
    ("s", ' id="1"', "", r"1: a sentence without an id; .* Our own rule: the official scorer"),
    ("s", "2 b : ", "2 <==> : ", r"6: wrong token: found ':'; .* The official check refuses"),
    ("s", '"1"', '"x"', r" no sentence id in common with .*; .* Our own rule: "),
    ("s", "<==>", "=", r" no alignment; .* The official scorer of 2016 gives up, too"),
    ("s", "</sentence>", '</sentence>\n<sentence id="1">', r"\d+: the sentence id '1' again; "),
)
def test_files_that_are_not_measured(files, name, old, new, message):
    gold, system = files()
    file = {"g": gold, "s": system}[name]
    write(file, GOLD, old, new) if old else file.write_text("")
    refused(DataError, f"{name}:{message}", evaluate_files, gold, system)


def test_a_pair_has_no_more_links_than_two_sentences_can_have(files):
    many, again = " ".join(map(str, range(1, 502))), "1 " * 100_000
    with pytest.raises(DataError, match=r"s:1: lines with 251003 links .* at most 250000, .* Our"):
        evaluate_files(*files("3 <==> 2", f"{many} <==> {many}"))
    assert evaluate_files(*files("3 <==> 2", f"{again} <==> {again}")).overall.alignment.f1 < 1


def test_nothing_to_measure_is_no_figure(files):
    with pytest.raises(DataError, match="nothing to measure: no words are aligned here, nor in"):
        evaluate_files(*files(gold="1~ NOALI"))


@pytest.mark.parametrize("scheme", Scheme)
@cases(
    "old | new | type_score",
    # A sign that is written oddly is measured, and told.
    ("// 5 //", "// +5 //", 1.0),
    ("// 3 //", "// 30E-1 //", 1.0),
    # A line without an arrow is none.
    ("3 <==> 2 // SIMI // 3 // c <==> e", "3 = 2", 2 / 3),
)
def test_what_is_odd_is_measured_and_told(files, scheme, old, new, type_score):
    warnings = []
    result = evaluate_files(*files(old, new), scheme, warn=warnings.append)
    assert result.overall.type_score.f1 == pytest.approx(type_score)
    assert ["our own rule" in warning for warning in warnings] == [True]


@cases(
    "old | new | expected",
    ("EQUI", "EQUI_", 1.0),
    ("3 <==> 2", "03 <==> 2", 1 / 2),
    ("3 <==> 2", "0 3 <==> 2", 2 / 3),
    # 0 behind other tokens is the last word, a comma: it counts for nothing.
    ("3 <==> 2", "3 0 <==> 2", 1.0),
    ("3 <==> 2 // SIMI // 3", "3 <==> 2 // NOALI // 3", 1 / 2),
    ("3 <==> 2", "3 99999999999 <==> 2", 6 / 7),
)
def test_tokens_and_types_as_the_official_scorer_reads_them(files, old, new, expected):
    assert evaluate_files(*files(old, new)).overall.type_score.f1 == pytest.approx(expected)


def test_words_are_those_of_the_gold_text(tmp_path):
    """Two blank lines below the id are both sentences to the official scorer; it ignores less."""
    warnings = []
    gold = write(tmp_path / "g", "1~1 EQUI 5; 4~4 EQUI 5", "// a b", "\n\n// a b")
    system = write(tmp_path / "s", "1~1 EQUI 5")
    result = evaluate_files(gold, system, warn=warnings.append)
    assert result.overall.alignment.f1 == pytest.approx(2 / 3)
    assert warnings[-1].startswith(f"{gold}:2: no sentence, but the official scorer looks for")
    assert evaluate_files(system, gold).overall.alignment.f1 == 1.0


def test_chunk_boundaries():
    # Boundaries: gold before 3 and 4, found before 3 and 5; one chunk in common.
    gold = (Chunk(1, 2), Chunk(3, 3), Chunk(4, 5))
    found = (Chunk(1, 2), Chunk(3, 4), Chunk(5, 5))
    result = compare_chunks([(gold, found), (gold, gold)])
    assert result.boundaries.f1 == pytest.approx(3 / 4)
    assert result.chunks.f1 == pytest.approx(4 / 6)
    assert (result.exact, result.sentences) == (1, 2)
    assert compare_chunks([((Chunk(1, 1),), (Chunk(1, 1),))]).boundaries.f1 == 1.0


@given(ALIGNMENTS, ALIGNMENTS, st.sampled_from(Scheme))
def test_measures_are_symmetric_and_bounded(one, two, scheme):
    one, two = refer(one), refer(two)
    there, back = (evaluate(*both, scheme).overall for both in ((one, two), (two, one)))
    for (_, forth), (_, swapped) in zip(there.named(), back.named(), strict=True):
        assert -1e-9 <= forth.f1 <= 1 + 1e-9
        assert forth.precision == pytest.approx(swapped.recall)
    for _, same in evaluate(one, one, scheme).overall.named():
        assert same.f1 == pytest.approx(1.0)
