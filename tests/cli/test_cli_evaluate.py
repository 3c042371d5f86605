import json
import re
from hashlib import sha256

import pytest

from ists_asp._version import __version__
from ists_asp.io.text import make_sentence
from ists_asp.io.wa import write_pair
from ists_asp.model import Alignment, Label, Pair


def pair(number):
    sentences = [make_sentence(text.split()) for text in ("12 killed quickly", "10 killed")]
    alignments = [
        Alignment((1,), (1,), Label.SIMI, 3),
        Alignment((2,), (2,), Label.EQUI, 5),
        Alignment((3,), (), Label.NOALI, None),
    ]
    return write_pair(Pair(number, *sentences), alignments)


@pytest.fixture
def wa(tmp_path):
    """A correct file of two pairs."""
    path = tmp_path / "out.wa"
    path.write_text(pair("1") + pair("2"))
    return path


def test_a_file_agrees_with_itself(good, wa):
    text = good("evaluate", wa, wa)
    assert text.startswith("Scheme 2016, pairs: 2\n")
    assert "Typ+Sco  1.0000     1.0000  1.0000\n" in text
    assert "F1 by pair" not in text
    assert "F1 by pair" in good("evaluate", wa, wa, "--by-pair")
    assert good("evaluate", wa, wa, "--scheme", "2015").startswith("Scheme 2015")
    result = json.loads(good("evaluate", wa, wa, "--json"))
    assert result["overall"]["Typ+Sco"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert [pair["id"] for pair in result["pairs"]] == ["1", "2"]


def test_missing_file(bad, wa):
    assert bad(1, "evaluate", wa, "no.wa").startswith("no.wa: cannot be read")
    assert bad(1, "check", "no.wa").startswith("no.wa: cannot be read")


def test_check_of_a_correct_file(good, wa):
    assert good("check", wa) == f"{wa}: correct (pairs: 2, faults: 0, notes: 0)\n"
    assert "\npairs" in good("check", wa, "--stats")
    assert json.loads(good("check", wa, "--json"))["verdict"] == "correct"


def test_repairs_of_the_reader_are_warnings(run, wa):
    wa.write_text(wa.read_text() + "stray\n")
    result = run("evaluate", wa, wa)
    assert result.exit_code == 0
    assert "'stray' belongs to no section; skipped" in result.stderr


def test_faulty_alignment_is_one_line(bad, wa, tmp_path):
    other = tmp_path / "other.wa"
    other.write_text(wa.read_text().replace("// EQUI //", "// SAME //", 1))
    message = bad(1, "evaluate", wa, other)
    assert message.startswith(f"{other}:")
    assert "wrong type: found 'SAME'; expected one of EQUI, " in message
    assert message.endswith(
        "The official check refuses the file, too; ists-asp check lists all its faults"
    )


@pytest.mark.parametrize("which", [0, 1])
def test_a_malformed_file_is_refused_in_one_line(bad, wa, tmp_path, which):
    other = tmp_path / "other.wa"
    other.write_text(wa.read_text().replace("// SIMI // 3", "// SIMI // three"))
    message = bad(1, "evaluate", *[(other, wa), (wa, other)][which])
    assert message.startswith(f"{other}:14: wrong score: found 'three'; expected a number from 0")


def test_the_error_stands_before_the_warnings_which_are_bounded(run, wa, tmp_path):
    other = tmp_path / "other.wa"
    text = wa.read_text().replace("// EQUI //", "// SAME //")
    other.write_text("stray\n" * 30 + text + "stray\n" * 100_000)
    result = run("evaluate", wa, other)
    lines = result.stderr.splitlines()
    kinds = [line.partition(":")[0] for line in lines]
    errors = kinds.count("error")
    assert (result.exit_code, result.stdout) == (1, "")
    assert kinds == ["error"] * errors + ["warning"] * (len(lines) - errors)
    assert errors == 1
    assert len(lines) - errors == 21
    assert re.fullmatch(r"warning: and \d+ more such warnings", lines[-1])


def test_warnings_of_a_file_that_can_be_measured_are_bounded(run, wa):
    wa.write_text(wa.read_text() + "x" * 30_000 + "\n" + "stray\n" * 40)
    result = run("evaluate", wa, wa)
    lines = result.stderr.splitlines()
    assert result.exit_code == 0
    assert len(lines) == 21
    assert max(map(len, lines)) < 200 + len(str(wa))


def test_check_of_an_incorrect_file_exits_with_1(run, wa):
    lines = wa.read_text().splitlines()
    number = next(n for n, line in enumerate(lines, 1) if "// EQUI // 5 //" in line)
    wa.write_text(wa.read_text().replace("// EQUI // 5 //", "// EQUI // 7 //", 1))
    result = run("check", wa)
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{wa}:{number}: wrong score: found '7', expected a number")
    assert "incorrect (pairs: 2, faults: 1, notes: 0)" in result.stdout
    result = run("check", wa, "--json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert (report["verdict"], report["official_verdict"]) == ("incorrect", "incorrect")


def test_check_says_which_rules_are_not_official(run, wa):
    wa.write_text(wa.read_text().replace("// EQUI // 5 //", "// EQUI // +5 //", 1))
    result = run("check", wa)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0].endswith("(our own rule: the official check accepts it)")
    assert "incorrect, though the official check accepts it (pairs: 2, " in result.stdout
    report = json.loads(run("check", wa, "--json").stdout)
    assert (report["verdict"], report["official_verdict"]) == ("incorrect", "correct")
    assert [fault["origin"] for fault in report["faults"]] == ["ours"]


def test_many_notes_are_cut_short(good, wa):
    wa.write_text(wa.read_text() * 8)
    short = good("check", wa)
    assert short.count("note: ") == 11
    assert "note: and 4 more, see --all-notes\n" in short
    assert "notes: 14)" in short
    assert good("check", wa, "--all-notes").count("note: ") == 14


SIGNATURE = (
    r"Signature: ists\|scheme:{0}\|alic:{1}\|relief:{1}\|punct:ignored\|pairs:2"
    rf"\|gold:(\w{{{{10}}}})\|answers:(\w{{{{10}}}})\|version:{re.escape(__version__)}"
)


def signature(text, scheme="2016", pilot="no"):
    """The hashes of the gold and of the system file."""
    return re.fullmatch(SIGNATURE.format(scheme, pilot), text.splitlines()[-1]).groups()


def test_the_signature_says_what_was_measured(good, wa):
    gold, answers = signature(good("evaluate", wa, wa))
    assert gold == answers == sha256(wa.read_bytes()).hexdigest()[:10]
    assert signature(good("evaluate", wa, wa, "--scheme", "2015"), "2015", "yes") == (gold, gold)
    line = good("evaluate", wa, wa).splitlines()[-1]
    assert f"Signature: {json.loads(good('evaluate', wa, wa, '--json'))['signature']}" == line


def test_the_signature_knows_contents_and_not_names_or_line_ends(good, wa, tmp_path):
    same = tmp_path / "folder" / "other name"
    same.parent.mkdir()
    same.write_bytes(b"\xef\xbb\xbf" + wa.read_bytes().replace(b"\n", b"\r\n"))
    other = tmp_path / "other.wa"
    other.write_text(wa.read_text().replace("// SIMI // 3", "// SIMI // 2", 1))
    gold, answers = signature(good("evaluate", wa, same))
    assert gold == answers
    gold, answers = signature(good("evaluate", wa, other))
    assert gold != answers


def test_runs_are_compared_on_the_same_pairs(good, wa, tmp_path):
    worse = tmp_path / "worse.wa"
    worse.write_text(wa.read_text().replace("// SIMI // 3", "// EQUI // 5", 1))
    text = good("evaluate", wa, wa, "--versus", worse)
    (line,) = re.findall(r"^  Typ\+Sco .*", text, re.MULTILINE)
    start = "  Typ+Sco  0.7500 -> 1.0000  +0.2500  95 %: +0.0000 to +0.5000, p "
    assert line.startswith(start)
    assert 0.2 < float(line.removeprefix(start)) < 0.3
    assert "Gained: 1 pair\n\nPair 1  Ali  0.0000  Type +0.5000" in text
    assert "  1: 12 killed quickly\n" in text
    assert text.splitlines()[-1].endswith("|bootstrap:2000|seed:2004")
    assert text == good("evaluate", wa, wa, "--versus", worse)
    text = good("evaluate", wa, worse, "--versus", wa, "--by-pair")
    assert "Lost: 1 pair\n\nPair 1" in text
    assert "F1 by pair" in text
    record = json.loads(good("evaluate", wa, wa, "--versus", wa, "--json"))
    assert record["versus"]["measures"]["Ali"] == {
        **{"old": 1.0, "new": 1.0, "by": 0.0, "low": 0.0, "high": 0.0, "p": 1.0}
    }
    assert record["versus"]["changed"] == []
    assert record["signature"] == f"{record['versus']['signature']}|bootstrap:2000|seed:2004"


def test_pairs_that_a_run_lacks_or_invents_count(good, wa, tmp_path):
    less, more = tmp_path / "less.wa", tmp_path / "more.wa"
    less.write_text(pair("1"))
    more.write_text(wa.read_text() + pair("3"))
    found = json.loads(good("evaluate", wa, less, "--versus", more, "--json"))
    overall, versus = found["overall"]["Ali"]["f1"], found["versus"]["measures"]["Ali"]
    assert versus["new"] == overall < 1
    assert versus["old"] == json.loads(good("evaluate", wa, more, "--json"))["overall"]["Ali"]["f1"]
    assert [one["id"] for one in found["versus"]["changed"]] == ["2"]


def test_so_many_of_the_best_and_worst_pairs_are_told(good, tmp_path):
    gold, old, new = (tmp_path / f"{name}.wa" for name in ("gold", "old", "new"))
    gold.write_text("".join(pair(str(number)) for number in range(9)))
    bad = [pair(str(number)).replace("// SIMI // 3", "// REL // 3") for number in range(9)]
    fine = [pair(str(number)) for number in range(9)]
    old.write_text("".join(bad[:5] + fine[5:]))
    new.write_text("".join(fine[:5] + bad[5:]))
    text = good("evaluate", gold, new, "--versus", old, "--top", 2)
    assert "Gained: 5 pairs, the first 2" in text
    assert "Lost: 4 pairs, the first 2" in text
    assert len(re.findall(r"^Pair \d", text, re.MULTILINE)) == 4
