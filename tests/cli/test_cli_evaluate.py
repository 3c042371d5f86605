"""Files of answers and ratings on the command line: made, measured, compared, checked."""

import json
import re
from hashlib import sha256

import pytest

from ists_asp._version import __version__
from ists_asp.cli.app import main
from ists_asp.evaluate.files import pair_digest, read_references
from ists_asp.io.text import make_sentence
from ists_asp.io.wa import write_pair
from ists_asp.model import Alignment, Label, Pair

SIGNATURE = (
    r"Signature: ists\|scheme:{0}\|alic:{1}\|relief:{1}\|punct:ignored\|pairs:2"
    rf"\|gold:(\w{{{{10}}}})\|answers:(\w{{{{10}}}})\|version:{re.escape(__version__)}"
)
PAIRS = [
    ("12 killed in bus accident in Pakistan", "10 killed in road accident in NW Pakistan"),
    ("A brown horse in a green field .", "A brown horse in a green field ."),
    ("A brown horse in a green field .", "Shares fell after the bank raised interest rates"),
]


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


def changed(wa, old, new):
    """Another file, in which the first text of the correct one is replaced."""
    path = wa.with_name("other.wa")
    path.write_text(wa.read_text().replace(old, new, 1))
    return path


def test_all_faulty_pairs_are_told_at_once_or_left_out(run, wa):
    wa.write_text(wa.read_text() + pair("3"))
    odd = changed(wa, "// SIMI // 3", "// SIMI // three")
    first, second = odd.read_text().split(pair("2"))
    odd.write_text(first + pair("2").replace("EQUI", "SAME") + second + pair("3"))
    told = run("evaluate", wa, odd).stderr
    for line, fault in ((14, "wrong score"), (35, "wrong type"), (61, "the sentence id '3' again")):
        assert f"{odd}:{line}: {fault}" in told
    for files in ((wa, odd), (odd, wa)):
        result = run("evaluate", *files, "--skip-bad")
        assert result.exit_code == 0
        assert result.stderr.count("; left out") == 3
        assert "(2): 1, 2" in result.stdout
        assert "|skip-bad:yes" in result.stdout


def test_the_error_stands_before_the_warnings_which_are_bounded(run, wa):
    faulty = changed(wa, "// EQUI //", "// SAME //")
    faulty.write_text("stray\n" * 30 + faulty.read_text() + "stray\n" * 100_000)
    result = run("evaluate", wa, faulty)
    kinds = [line.partition(":")[0] for line in result.stderr.splitlines()]
    assert (result.exit_code, result.stdout) == (1, "")
    assert kinds == ["error"] + ["warning"] * 21
    assert re.search(r"\nwarning: and \d+ more such warnings\n$", result.stderr)


def test_warnings_of_a_file_that_can_be_measured_are_bounded(run, wa):
    wa.write_text(wa.read_text() + "x" * 30_000 + "\n" + "stray\n" * 40)
    result = run("evaluate", wa, wa)
    lines = result.stderr.splitlines()
    assert (result.exit_code, len(lines)) == (0, 21)
    assert "'stray' belongs to no section; skipped" in result.stderr
    assert max(map(len, lines)) < 200 + len(str(wa))


def signature(text, scheme="2016", pilot="no"):
    """The hashes of the gold and of the system file."""
    return re.fullmatch(SIGNATURE.format(scheme, pilot), text.splitlines()[-1]).groups()


def test_the_signature_tells_contents_and_not_names_or_line_ends(good, wa, tmp_path):
    gold, answers = signature(good("evaluate", wa, wa))
    assert gold == answers == sha256(wa.read_bytes()).hexdigest()[:10]
    assert signature(good("evaluate", wa, wa, "--scheme", "2015"), "2015", "yes") == (gold, gold)
    line = good("evaluate", wa, wa).splitlines()[-1]
    assert f"Signature: {json.loads(good('evaluate', wa, wa, '--json'))['signature']}" == line
    same = tmp_path / "other name"
    same.write_bytes(b"\xef\xbb\xbf" + wa.read_bytes().replace(b"\n", b"\r\n"))
    assert signature(good("evaluate", wa, same)) == (gold, gold)
    other = changed(wa, "// SIMI // 3", "// SIMI // 2")
    assert signature(good("evaluate", wa, other)) != (gold, gold)


def test_pairs_that_weights_were_learned_from_are_warned_of_once(run, wa, monkeypatch):
    monkeypatch.setattr("ists_asp.evaluate.files.pair_digest", lambda _: "000550cc")
    pairs = len(read_references(wa))
    told = f"warning: {wa}: {pairs} of {pairs} pairs are among those that shipped weights"
    assert run("evaluate", wa, wa, "--versus", wa).stderr.count(told) == 1


def test_case_and_punctuation_make_no_other_pair():
    assert pair_digest(("A cat , asleep", "Él")) == pair_digest(("a cat asleep .", "él"))
    assert pair_digest(("a", "b")) != pair_digest(("b", "a"))


def test_runs_are_compared_on_the_same_pairs(good, wa):
    worse = changed(wa, "// SIMI // 3", "// EQUI // 5")
    text = good("evaluate", wa, wa, "--versus", worse)
    start = "  Typ+Sco  0.7500 -> 1.0000  +0.2500  95 %: +0.0000 to +0.5000, p "
    (p,) = re.findall(rf"^{re.escape(start)}(.*)$", text, re.MULTILINE)
    assert 0.2 < float(p) < 0.3
    assert "Gained: 1 pair\n\nPair 1  Ali  0.0000  Type +0.5000" in text
    assert "  1: 12 killed quickly\n" in text
    assert text.splitlines()[-1].endswith("|bootstrap:2000|seed:2004")
    assert text == good("evaluate", wa, wa, "--versus", worse)
    text = good("evaluate", wa, worse, "--versus", wa, "--by-pair")
    assert "Lost: 1 pair\n\nPair 1" in text
    assert "F1 by pair" in text
    record = json.loads(good("evaluate", wa, wa, "--versus", wa, "--json"))
    versus, same = record["versus"], {"old": 1.0, "new": 1.0, "by": 0.0, "low": 0.0, "high": 0.0}
    assert (versus["measures"]["Ali"], versus["changed"]) == ({**same, "p": 1.0}, [])
    assert record["signature"] == f"{versus['signature']}|bootstrap:2000|seed:2004"


def test_two_annotators_are_compared_where_both_align(run, good, wa, tmp_path):
    # Labels: A has SIMI, EQUI twice, B once EQUI, EQUI. Same: 3 of 4; by chance: .5*.25 + .5*.75.
    other = changed(wa, "// SIMI // 3", "// EQUI // 5")
    record = json.loads(good("evaluate", "--agreement", wa, other, "--json"))
    assert record["labels"] == {"count": 4, "same": 0.75, "kappa": 0.5}
    assert record["f1"] == {"Ali": 1.0, "Type": 0.75, "Score": 0.9, "Typ+Sco": 0.75}
    told = [(one["id"], one["decision"], one["a"], one["b"]) for one in record["disagreements"]]
    assert told == [("1", "label", "SIMI", "EQUI"), ("1", "score", "3", "5")]
    for name, file in (("ann", wa), ("ben", other)):
        (tmp_path / name).mkdir()
        file.rename(tmp_path / name / "news.wa")
    text = good("evaluate", tmp_path / "ben", tmp_path / "ann", "--agreement")
    assert "Labels of 4 common alignments: 75.0% the same, kappa 0.5000\n" in text
    assert re.search(r"^news: 1  0.5 +label +12 ~ 10  EQUI  SIMI$", text, re.MULTILINE)
    assert run("evaluate", "--agreement", tmp_path, tmp_path / "ben").exit_code == 1


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
    fine = [pair(str(number)) for number in range(9)]
    wrong = [text.replace("// SIMI // 3", "// REL // 3") for text in fine]
    gold, old, new = (tmp_path / f"{name}.wa" for name in ("gold", "old", "new"))
    for path, texts in ((gold, fine), (old, wrong[:5] + fine[5:]), (new, fine[:5] + wrong[5:])):
        path.write_text("".join(texts))
    text = good("evaluate", gold, new, "--versus", old, "--top", 2)
    assert "Gained: 5 pairs, the first 2" in text
    assert "Lost: 4 pairs, the first 2" in text
    assert len(re.findall(r"^Pair \d", text, re.MULTILINE)) == 4


def test_commands_that_read_alignments_can_leave_faulty_pairs_out(run, wa, tmp_path):
    odd, page = changed(wa, "// EQUI //", "// equi //"), tmp_path / "page.html"
    for command in (
        ("diff", wa, odd),
        ("diff", wa, wa, "--gold", odd),
        ("evaluate", "--agreement", wa, odd),
        ("report", "--answers", odd, "-o", page),
    ):
        assert run(*command).exit_code == 1
        result = run(*command, "--skip-bad")
        assert result.exit_code == 0
        assert f"{odd}:15: wrong type: found 'equi'" in result.stderr
        assert result.stderr.endswith("; left out\n")
    for name, each in main.commands.items():
        options = {param.name for param in each.params}
        assert "skip_bad" in options or options.isdisjoint({"gold", "table"}), name
    for text in ("", "sent1,sent2\na,b\n"):
        odd.write_text(text)
        assert f"{odd}: no sentence; expected <sent" in run("fix", "--gold", odd).stderr


@pytest.mark.slow
def test_ratings_stand_behind_what_was_read_and_are_evaluated_by_id(good, bad, written, tmp_path):
    lines = "".join(f"pair {n}\t{one}\t{two}\n" for n, (one, two) in enumerate([*PAIRS, PAIRS[0]]))
    call = ("sts", "--tsv", written(lines, "pairs.tsv"), "-q")
    plain = good(*call).splitlines()
    table = good(*call, "--format", "tsv")
    rows = [row.split("\t") for row in table.splitlines()]
    assert rows[0] == ["id", "sentence1", "sentence2", "rating", "margin", "error"]
    assert [row[:3] for row in rows[1:]] == [line.split("\t") for line in lines.splitlines()]
    assert [f"{float(row[3]):.3f}" for row in rows[1:]] == plain
    good(*call, "-o", "ratings.tsv")
    assert (tmp_path / "ratings.tsv").read_text() == table
    written("1\n2\n3\n0\n", "gold.txt")
    written("points;id\n0;pair 3\n3;pair 2\n2;pair 1\n1;pair 0\n", "gold.csv")
    written("".join(f"{one}\n" for one in plain), "plain.txt")
    first, second, third = (
        json.loads(good("evaluate", "--task", "sts", *run.split(), "--json"))["mean"]
        for run in (
            *("gold.txt plain.txt", "gold.txt ratings.tsv"),
            "gold.csv ratings.tsv --gold-col points",
        )
    )
    assert first == second == third
    written("score;id\n0;pair 3\n3;pair 2\n2;pair 1\n1;pair 9\n", "gold.csv")
    message = bad(1, "evaluate", "--task", "sts", "gold.csv", "ratings.tsv")
    assert "1 of the pairs of gold.csv are not in it, such as 'pair 9'" in message


@pytest.mark.slow
def test_contributions_sum_to_the_rating_which_solve_and_traces_have_as_well(
    good, written, tmp_path
):
    tsv = written("".join(f"{one}\t{two}\n" for one, two in PAIRS), "pairs.tsv")
    plain = good("sts", "--tsv", tsv, "-q").splitlines()
    answer = json.loads(good("solve", "--profile", "sts-en", *PAIRS[0], "--format", "jsonl"))
    assert f"{answer['rating']['value']:.3f}" == plain[0]
    close, same, apart = map(float, plain)
    assert 0 <= apart < 1 < 1.5 < close < 4.5 < same == 5
    good("sts", "--tsv", tsv, "-q", "-o", "out.jsonl", "--trace", "traces.jsonl")
    records, traces = (
        map(json.loads, (tmp_path / name).read_text("utf-8").splitlines())
        for name in ("out.jsonl", "traces.jsonl")
    )
    for text, record, trace in zip(plain, records, traces, strict=True):
        rating = record["rating"]
        assert f"{rating['value']:.3f}" == text
        total = sum(round(1000 * part["value"]) for part in rating["contributions"])
        assert total == round(1000 * rating["value"])
        assert record["alignments"]
        (decision,) = trace["rating"]["decisions"]
        words, _, told = decision["text"].rpartition(" ")
        assert words == "the pair is rated"
        assert float(told) == pytest.approx(float(text), abs=0.0051)


@pytest.mark.slow
def test_why_a_rating(good):
    text = good("why", "--profile", "sts-en", *PAIRS[0], "rating")
    first, *rest = text.splitlines()
    assert first.startswith("the pair is rated ")
    assert any("-" in line and "numbers_differ" in line for line in rest)
    weights = [
        int(found[1]) for line in rest if (found := re.match(r"[│ ]  [├└]─ ([+-]\d+) ", line))
    ]
    # In hundredths of a point, each of them rounded.
    assert sum(weights) == pytest.approx(100 * float(first.split()[4]), abs=len(weights) / 2)
    sums = [int(line.split()[1]) for line in rest if "hundredths of a point" in line]
    assert sum(sums) == round(100 * float(first.split()[4]))


@pytest.mark.slow
def test_a_rule_of_ones_own_counts(good, tmp_path):
    good("rules", "copy", "my")
    with (tmp_path / "my/sts/conflicts.lp").open("a") as file:
        file.write('%@rule bus_against_road: "a bus"\n')
        file.write('speaks_against(bus,500) :- word(1,_,"bus").\n')
    with (tmp_path / "my/weights/reader-sts-en.lp").open("a") as file:
        file.write("weight(bus,rating,400).\n")
    before = float(good("sts", *PAIRS[0]))
    assert float(good("sts", "--rules", "my", *PAIRS[0])) == pytest.approx(before - 0.2)


def test_evaluating_ratings(good, tmp_path):
    gold = "".join(f"{n}\t{one}\t{two}\n" for n, (one, two) in enumerate([*PAIRS, *PAIRS]))
    (tmp_path / "gold.tsv").write_text(gold)
    (tmp_path / "run.txt").write_text("0\n1\n2\n3\n4\n5\n")
    call = ("evaluate", "--task", "sts", "gold.tsv")
    assert " 1.0000 " in good(*call, "run.txt")
    record = json.loads(good(*call, "run.txt", "--json"))
    assert record["mean"]["correlation"]["pairs"] == 6
    signature = r"sts\|pearson\+spearman\+kendall\|sets:1\|pairs:6\|gold:\w{10}\|answers:\w{10}"
    assert re.fullmatch(rf"{signature}\|version:{__version__}", record["signature"])
    (tmp_path / "crlf.txt").write_bytes(b"0.0\r\n1\r\n2\r\n3\r\n4\r\n5\r\n")
    same = good(*call, "crlf.txt", "--versus", "run.txt")
    assert same.endswith("\n")
    answers, other = re.findall(r"(?:answers|other):(\w+)", same.splitlines()[-1])
    assert answers == other
    assert f"answers:{answers}|" in record["signature"]
