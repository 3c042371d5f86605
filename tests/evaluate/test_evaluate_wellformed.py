import json
from pathlib import Path

import pytest

from ists_asp.compare import read_answered
from ists_asp.errors import DataError
from ists_asp.evaluate.files import evaluate_files, read_references
from ists_asp.evaluate.wa_check import check_file, render_check
from ists_asp.io.text import make_sentence
from ists_asp.io.wa import given_answer, write_pair
from ists_asp.model import Alignment, Label, Pair, Scheme
from ists_asp.pipeline.source import Source
from tests.sharing import alignments, cases, processor_seconds, refused

SHARED = Path(__file__).parents[3] / "shared"
OFFICIAL = SHARED / "expected" / "wellformed"
needs_shared = pytest.mark.skipif(not OFFICIAL.is_dir(), reason="needs ../shared/expected")
CASES = json.loads((OFFICIAL / "expected.json").read_text()) if OFFICIAL.is_dir() else {}
GOLD = sorted((SHARED / "data").glob("ists-*/**/*.wa"))

TEXT = write_pair(
    Pair("1", make_sentence(["a", "b", "c"]), make_sentence(["d", "e", "f"])),
    alignments("1,3~1 SPE1_POL 4; 2~2 EQUI 5; ~3 NOALI"),
)


def check(tmp_path, old="", new=""):
    assert old in TEXT
    path = tmp_path / "x.wa"
    path.write_text(TEXT.replace(old, new, 1) if old else TEXT)
    return check_file(path)


@needs_shared
@pytest.mark.parametrize("case", CASES)
def test_agrees_with_the_official_check(case):
    report, messages = check_file(OFFICIAL / f"{case}.wa"), set(CASES[case]["messages"])
    # A line has one fault here, and several messages there.
    kinds = {fault.kind for fault in report.faults}
    assert kinds <= messages
    assert (report.correct, bool(kinds)) == (CASES[case]["verdict"] == "correct", bool(messages))


@cases(
    "old | new | fault",
    ("", "", "15: not consecutive: found the tokens 1, 3 of sentence 1, expected tokens that "),
    ("1 3 <==> 1", "1 <==> 2", "15: not one-to-one: found token 2 of sentence 2, on another"),
)
def test_the_pilot_aligns_one_chunk_to_one_chunk(tmp_path, old, new, fault):
    assert check(tmp_path, old, new).correct
    report = check_file(tmp_path / "x.wa", Scheme.Y2015)
    assert (report.correct, report.official) == (False, True)
    assert fault in str(report.faults[0])


@pytest.mark.slow
@needs_shared
@pytest.mark.parametrize("path", GOLD, ids=lambda path: "-".join(path.parts[-2:]))
def test_official_gold_files_are_well_formed_and_those_of_the_pilot_one_to_one(path):
    for scheme in Scheme if "ists-2015-train" in path.parts else (Scheme.Y2016,):
        assert check_file(path, scheme).faults == ()


@cases(
    "old | new | message",
    ("// 5 //", "// 5.5 //", ":16: wrong score: found '5.5', expected a number from 0 to 5"),
    ("// 5 //", "// 1e9 //", ":16: wrong score: found '1e9', expected a number from 0 to 5"),
    ("// 5 //", "// ٣ //", ":16: wrong score: found '٣', expected a number from 0 to 5"),
    ("2 <==> 2", "2 <==> +2", ":16: wrong token: found '+2', expected the number of a token"),
    ("2 <==> 2", "2 = 2", ":16: wrong alignment: found '2 = 2 // EQUI // 5 // b <==> e'"),
    ("EQUI", "EQUI_FACT_POL_POL", ":16: wrong number of types: found 4 in "),
    ("EQUI", "", ":16: wrong number of types: found 0 in '', expected 1 to 3"),
    ("EQUI", "_EQUI", ":16: wrong type: found '', expected one of EQUI, OPPO, "),
    ('id="1" ', "", ":15: Can't find id: found none above this line"),
    ('id="1" status=""', 'id="1"', ":15: Can't find id: found none above this line"),
    ("2 b : ", "2 <==> : ", ":6: wrong token: found ':', expected the number of a token"),
)
def test_faults_say_where_what_and_what_was_expected(tmp_path, old, new, message):
    report = check(tmp_path, old, new)
    assert (report.correct, report.official) == (False, False)
    assert message in str(report.faults[0])
    assert message in render_check(report)
    assert "our own rule" not in str(report.faults[0])


@cases(
    "old | new | message",
    ("// 5 //", "// +3 //", ":16: odd score: found '+3', expected a number from 0 to 5 in dig"),
    ("// 5 //", "// 3e0 //", ":16: odd score: found '3e0', expected a number from 0 to 5 in"),
    ("// 5 //", "// -0 //", ":16: odd score: found '-0', expected a number from 0 to 5 in"),
    ("// 5 //", "// nan //", ":16: no number: found 'nan', expected a number from 0 to 5"),
    ("2 <==> 2 // EQUI // 5 // b <==> e", "2 = 2", ":16: no alignment: found '2 = 2', expect"),
    (TEXT, TEXT + TEXT.replace('id="1"', ""), "without one, expected <sentence id="),
    (TEXT, TEXT + TEXT.replace('id="1"', "id='2'"), "'2' where the official scripts see '1'"),
    (TEXT, "", "x.wa: no sentence: found none at all"),
)
def test_rules_of_our_own_are_called_so(tmp_path, old, new, message):
    report = check(tmp_path, old, new)
    assert (report.correct, report.official) == (False, True)
    (fault,) = report.faults
    assert message in str(fault)
    assert str(fault).endswith("(our own rule: the official check accepts it)")
    assert "x.wa: incorrect, though the official check accepts it (" in render_check(report)
    assert report.as_dict()["official_verdict"] == "correct"


@cases(
    "old | new | note",
    ("// 5 //", "// 4 //", "16: EQUI with score 4 instead of 5"),
    ("EQUI", "SIMI", "16: SIMI with score 5, which is not between 0 and 5"),
    ("// 5 //", "// 5.0 //", "16: the score is written 5.0"),
    ("NIL", "0", "17: NOALI with score 0 instead of NIL"),
    ("0 <==> 3", "2 <==> 3", "17: NOALI with tokens on both sides"),
    ("2 <==> 2 // EQUI", "0 <==> 2 // EQUI", "16: EQUI with a side that is not aligned"),
    ("2 <==> 2", "2 9 <==> 2", "16: sentence 1 has no token 9"),
    ("2 <==> 2", "2 3 <==> 2", "1: tokens of sentence 1 on more than one line: 3 'c'"),
    ("0 <==> 3", "0 <==> 2", "1: tokens of sentence 2 on no line: 3 'f'"),
    ("0 <==> 3", "0 <==> 0", "17: no token on either side"),
    ("SPE1_POL", "SPE1_POL_POL", "15: a type twice in SPE1_POL_POL"),
    ("EQUI", "EQUI_", "16: the type is written EQUI_"),
    ("2 <==> 2", "02 <==> 2", "16: a token is written 02"),
    ("2 <==> 2", "2 0 <==> 2", "16: 0 beside other tokens"),
    ("3 f : ", "3 f:", "12: no space before the colon of '3 f:'; read as 'f'"),
)
def test_notes_do_not_change_the_verdict(tmp_path, old, new, note):
    report = check(tmp_path, old, new)
    assert report.correct
    assert any(text.endswith(note) for text in report.notes)


def test_a_fault_of_several_lines_is_printed_once(tmp_path):
    faulty = TEXT.replace("SPE1_POL", "equi").replace("EQUI", "equi")
    report = check(tmp_path, TEXT, faulty)
    assert len(report.faults) == 2
    (told,) = (line for line in render_check(report).splitlines() if "wrong type" in line)
    assert told.endswith("; 1 more")


def test_repeated_id_and_no_file(tmp_path):
    assert "the sentence id 1 again" in check(tmp_path, TEXT, TEXT * 2).notes[0]
    refused(DataError, "cannot be read", check_file, tmp_path / "no.wa")


def test_what_is_long_is_cut_and_costs_little(tmp_path):
    """Numbers of more digits than Python converts, and a side that would be a billion tokens."""
    report = check(tmp_path, "2 <==> 2", f"2 {'9' * 5000} <==> 1 999999998")
    assert report.correct
    assert check_file(tmp_path / "x.wa", Scheme.Y2015).faults[1].kind == "not consecutive"
    faults = check(tmp_path, "2 <==> 2", f"{'x' * 5000} <==> 2").faults
    assert [len(fault.found) for fault in faults] == [82]
    assert max(map(len, report.notes)) < 200


def test_a_good_file_and_its_statistics(tmp_path):
    report = check(tmp_path)
    assert (report.correct, report.faults, report.notes) == (True, (), ())
    assert json.loads(json.dumps(report.as_dict()))["statistics"] == {
        **{"pairs": 1, "tokens1": 3, "tokens2": 3, "lines": 3, "aligned_lines": 2},
        **{"labels": {"EQUI": 1, "SPE1": 1, "NOALI": 1}, "tags": {"POL": 1}},
        **{"scores": {"4": 1, "5": 1}, "sharing_lines": 0, "non_contiguous": 1},
        **{"chunks1": 2, "chunks2": 3, "chunks_per_sentence": 2.5},
    }
    text = render_check(report, stats=True)
    assert "x.wa: correct (pairs: 1, faults: 0, notes: 0)\n\npairs " in text
    assert "sides that are not contiguous        1\n" in text


def test_time_grows_with_the_tokens_and_not_with_their_square(tmp_path):
    def seconds(count):
        sentence = make_sentence(["a"] * count)
        lines = "; ".join(f"{number}~{number} EQUI 5" for number in range(1, count + 1))
        file = tmp_path / f"{count}.wa"
        file.write_text(write_pair(Pair("1", sentence, sentence), alignments(lines)))
        return processor_seconds(lambda: check_file(file))

    short, long = map(seconds, (500, 2_000))
    assert long < 8 * short


DOORS = {
    "learn": lambda wa, warn: read_references(wa, warn=warn),
    "evaluate": lambda wa, warn: evaluate_files(wa, wa.with_name("good.wa"), warn=warn),
    "the answers": lambda wa, warn: evaluate_files(wa.with_name("good.wa"), wa, warn=warn),
    "diff": lambda wa, warn: read_answered(wa, warn=warn),
    "solve --aligned": lambda wa, warn: aligned(wa, warn),
    "explain --answers": lambda wa, warn: read_references(wa, warn=warn, skip_bad=True),
}


def aligned(wa, warn):
    source = Source(files={"--aligned": str(wa)}, quiet=True)
    with source.opened(warn) as opened:
        list(opened.batches())


@pytest.mark.parametrize("door", DOORS)
@cases(
    "old | new",
    *(("EQUI", label) for label in ("equi", "SAME", "EQUI_fact", "POL", "EQUI_REL", "_EQUI")),
    *(("EQUI", label) for label in ("", "SIMI_FACT_POL_FACT")),
    *(("// 5 //", f"// {score} //") for score in ("NIL", "6", "-1", "nan", "+3", "3e0", "nil")),
    *(("2 <==> 2", line) for line in ("2 2", "x <==> 2", "<==> 2", "0 x <==> 2")),
    *((' id="1"', ""), ('id="1"', "id='1'"), (TEXT, "")),
)
def test_what_check_refuses_no_command_reads_in_silence(tmp_path, door, old, new):
    (tmp_path / "good.wa").write_text(TEXT)
    assert not check(tmp_path, old, new).correct
    told = []
    try:
        DOORS[door](tmp_path / "x.wa", told.append)
    except DataError:
        return
    assert told, "read, and nothing said"


@pytest.mark.parametrize("line", [(Label.EQUI, None), (Label.SIMI, float("nan")), (Label.REL, -1)])
def test_what_is_written_is_accepted(line):
    pair = Pair("1", make_sentence(["a"]), make_sentence(["b"]))
    refused(DataError, r"pair 1: .*: found ", given_answer, pair, [Alignment((1,), (1,), *line)])
    refused(DataError, "empty id", write_pair, Pair("\u2028", *pair.sentences), [])
