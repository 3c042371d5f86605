"""Two outputs side by side: what differs, and what gold says of it."""

import json
import random
import re

import numpy as np
import pytest

from ists_asp.compare import Answered, compare, comparison, find_edits, read_answered, run_both
from ists_asp.compare.comparison import find_changes
from ists_asp.errors import DataError
from ists_asp.evaluate.scorer import Reference, evaluate
from ists_asp.io.formats import answer_record, failure_record
from ists_asp.io.wa import write_answer
from ists_asp.model import Answer, Chunk
from ists_asp.rules.catalogue import copy_rules
from tests.sharing import alignments, cases, load_shared, make_pair, refused, shared_system

WORDS = ("big cats sleep", "large cats nap")
CHUNKS = (Chunk(1, 2), Chunk(3, 3))
WHOLE = (CHUNKS, (Chunk(1, 3),))
SAME = "1,2~1,2 EQUI 5; 3~3 SIMI 3"
POWER = ("Regulator recalls Nurofen", "Regulator recalls ibuprofen")
EQUAL = ("the dog barks", "the dog barks")
SYNONYM = 'alike(I,J,synonym,95) :- word(1,I,"nurofen"), word(2,J,"paint").'


def pair(identifier="1"):
    return make_pair(*WORDS, identifier)


def answered(lines="", chunks=(CHUNKS, CHUNKS), identifier="1"):
    return Answered(pair(identifier), alignments(lines), chunks)


@cases(
    "old | new | changes",
    (answered(SAME), answered("3~3 SIMI 3; 1,2~1,2 EQUI 5"), []),
    (
        answered(SAME),
        answered("1,2~1,2 SPE1_FACT 4; 3~3 SIMI 3"),
        [
            ("label", (1, 2), (1, 2), "EQUI", "SPE1"),
            ("score", (1, 2), (1, 2), "5", "4"),
            ("tag", (1, 2), (1, 2), None, "FACT"),
        ],
    ),
    (
        answered(SAME),
        answered("1,2~1,2 EQUI 5; 3~ NOALI; ~3 NOALI"),
        [
            ("unaligned", (3,), (), None, "NOALI"),
            ("align", (3,), (3,), "SIMI 3", None),
            ("unaligned", (), (3,), None, "NOALI"),
        ],
    ),
    # No score is the same as a score of 0; chunks differ by where they begin.
    (answered("3~ NOALI 0"), answered("3~ NOALI"), []),
    (answered(), answered(chunks=WHOLE), [("boundary", (), (3,), "begins", None)]),
    (answered(chunks=None), answered(chunks=WHOLE), []),
)
def test_what_differs(old, new, changes):
    found = find_changes(old, new)
    assert [(str(a.kind), a.tokens1, a.tokens2, a.old, a.new) for a in found] == changes


def test_gains_add_up_and_order_the_pairs():
    gold = {name: Reference(pair(name), alignments(SAME)) for name in "123"}
    same, worse = answered(SAME), answered("1,2~1,2 EQUI 5; 3~3 OPPO 1")
    old, new = {"1": same, "2": worse, "3": same}, {"1": worse, "2": same, "3": same}
    found = compare(old, new, gold)
    changes = [(one.changes[0].old, one.changes[0].new) for one in found.changed]
    assert changes == [("OPPO", "SIMI"), ("SIMI", "OPPO")]
    best, worst = ({name: by for name, *_, by in one.gain.measures()} for one in found.changed)
    assert best["Ali"] == worst["Ali"] == 0
    assert best["Type"] == pytest.approx(1 / 3)
    assert best["Type"] == -worst["Type"]
    assert [by for *_, by in found.gain.measures()] == pytest.approx([0.0] * 4)
    assert (found.count, found.scored) == (3, 3)


def test_pairs_that_one_run_lacks_are_told():
    old, new = ({name: answered(SAME) for name in names} for names in ("12", "23"))
    found = compare(old, new)
    assert (found.count, found.only_old, found.only_new) == (1, ("1",), ("3",))


def test_runs_without_a_common_pair_or_of_other_sentences():
    other = Answered(make_pair("dogs", "cats"), ())
    for new, gold, message in (
        ({"2": answered()}, None, "no pair in common"),
        ({"1": other}, None, "pair 1: .*other sentences"),
        ({"1": answered()}, {"7": Reference(pair("7"), ())}, "gold has none of the pairs"),
    ):
        refused(DataError, message, compare, {"1": answered()}, new, gold)


def test_both_kinds_of_output_are_read_as_they_were_written(tmp_path):
    answer = Answer(pair(), CHUNKS, CHUNKS, alignments(SAME), (), True)
    failure = failure_record(pair("2"), "no time")
    records = map(json.dumps, (answer_record(answer), answer_record(answer, rank=2), failure))
    (tmp_path / "a.wa").write_text(write_answer(answer), encoding="utf-8")
    (tmp_path / "a.jsonl").write_text("\n".join(records), encoding="utf-8")
    wa, jsonl = (read_answered(tmp_path / name) for name in ("a.wa", "a.jsonl"))
    assert wa["1"].alignments == jsonl["1"].alignments == answer.alignments
    assert jsonl["1"].chunks == (CHUNKS, CHUNKS)
    assert jsonl["2"].alignments == ()
    assert find_changes(wa["1"], jsonl["1"]) == ()


@pytest.mark.parametrize("text", ["[]", "{", '{"id": 1}', '{"id": 1, "sent1": 2}'])
def test_lines_that_are_no_answers(tmp_path, text):
    (tmp_path / "a.jsonl").write_text(text + "\n")
    with pytest.raises(DataError, match=r"a\.jsonl:1: (this is not an answer|.*JSON)"):
        read_answered(tmp_path / "a.jsonl")


def test_intervals_are_those_of_runs_that_are_measured_again(monkeypatch):
    """Each resample is measured by the scorer itself, where a pair drawn twice is two."""
    resamples, count = 25, 12
    monkeypatch.setattr(comparison, "RESAMPLES", resamples)
    rng = random.Random(7)
    labels = ("EQUI", "SIMI", "SPE1")

    def run():
        runs = {}
        for number in map(str, range(count)):
            second = ",".join("12"[: rng.randint(1, 2)])
            line = f"1,2~{second} {rng.choice(labels)} {rng.randint(1, 5)}"
            lines = f"{line}; 3~{rng.randint(2, 3)} EQUI 5"
            runs[number] = answered(lines, identifier=number)
        return runs

    gold, old, new = run(), run(), run()
    found = comparison.compare_runs(evaluate(gold, old), evaluate(gold, new), gold)
    generator = np.random.default_rng(comparison.SEED)
    gains = []
    for _ in range(resamples):
        drawn = list(enumerate(generator.integers(count, size=count)))
        right, before, after = (
            {str(place): some[str(number)] for place, number in drawn} for some in (gold, old, new)
        )
        scores = [evaluate(right, some).overall.named() for some in (before, after)]
        gains.append([two.f1 - one.f1 for (_, one), (_, two) in zip(*scores, strict=True)])
    for (low, high, p), measure in zip(found.gain.intervals, np.transpose(gains), strict=True):
        assert (low, high) == pytest.approx(tuple(np.quantile(measure, (0.025, 0.975))))
        assert p == pytest.approx((1 + sum(gain <= 1e-12 for gain in measure)) / (1 + resamples))
    by = [one.gain.measures()[-1][3] for one in found.changed]
    assert by == sorted(by, reverse=True)


@pytest.fixture
def edited(tmp_path):
    """A copy of the shipped rules, and what edits one of its files."""
    copy_rules(tmp_path / "mine")

    def edit(name, change):
        path = tmp_path / "mine" / name
        path.write_text(change(path.read_text("utf-8")), encoding="utf-8")
        return tmp_path / "mine"

    return edit


def run(rules, *texts, profile="headlines"):
    """What rules change, and how they differ from those that are shipped."""
    old = shared_system(profile)
    pairs = [make_pair(*sides, str(number)) for number, sides in enumerate(texts, start=1)]
    with load_shared(profile, rules=[rules]) as new:
        both = {one.new.pair.id: one for one in run_both(old, new, pairs)}
        runs = ({key: getattr(one, run) for key, one in both.items()} for run in ("old", "new"))
        causes = {key: one.causes for key, one in both.items() if one.causes}
        return compare(*runs, None, causes), find_edits(old.rules, new.rules)


@pytest.mark.long
def test_the_same_rules_change_nothing(edited):
    found, (edits, weights) = run(edited("words/similarity.lp", str.strip), POWER, EQUAL)
    assert (found.count, found.changed, edits) == (2, (), ())
    assert (weights.added, weights.removed, weights.changed) == (0, 0, 0)


@pytest.mark.long
@cases(
    "file | name | rule | pair | kind",
    (
        *("words/similarity.lp", "power_is_electricity", SYNONYM),
        *((POWER[0], "Regulator recalls paint"), "align"),
    ),
    (
        *("chunking/boundaries.lp", "cut", "must_split(1,3) :- token(1,3,_)."),
        *(("the very old dog barks", "the old dog barks"), "boundary"),
    ),
    # It keeps another from firing.
    (
        *("labels/contradiction.lp", "never_equal"),
        *("forbidden_label(X,Y,equi) :- proposed(X,Y).", EQUAL, "label"),
    ),
    (
        *("labels/quantities.lp", "costly", "weight(different_numbers,score,-100)."),
        *(("12 killed in bus", "10 killed in bus"), "score"),
    ),
)
def test_an_added_rule_is_responsible(edited, file, name, rule, pair, kind):
    folder = edited(file, lambda text: f'{text}\n%@rule {name}: "{name}"\n{rule}\n')
    found, (edits, weights) = run(folder, pair)
    assert [(str(edit.kind), edit.new.name) for edit in edits] == [("added", name)]
    assert (weights.added, weights.removed, weights.changed) == (name == "costly", 0, 0)
    (changed,) = found.changed
    assert kind in [change.kind for change in changed.changes]
    for change, causes in zip(changed.changes, changed.causes, strict=True):
        if change.kind == kind:
            assert (name, "new") in [(cause.rule, cause.only) for cause in causes]
            assert all(one.by for cause in causes for one in cause.moved)


@pytest.mark.slow
def test_a_removed_rule_is_responsible(edited):
    name, whole = "propose_linked_chunks", r"(?s)%@rule propose_linked_chunks:.*?(?=%@rule)"
    folder = edited("baseline/links.lp", lambda text: re.sub(whole, "", text))
    found, (edits, _) = run(folder, EQUAL, profile="baseline")
    assert [(str(edit.kind), edit.old.name) for edit in edits] == [("removed", name)]
    (pair,) = found.changed
    causes = {(cause.rule, cause.only) for one in pair.causes for cause in one}
    assert causes == {(name, "old")}


@pytest.mark.slow
def test_changed_weights_and_corrections_are_told_with_their_values(edited, tmp_path):
    def heavy(text):
        return re.sub(r"(?m)^weight\(any_pair,align,.*$", "weight(any_pair,align,-900).", text)

    correction = tmp_path / "mine.lp"
    correction.write_text("correction(any_pair,align,-600).\n")
    for rules, counts, only, text in (
        (edited("weights/english.lp", heavy), (0, 0, 1), "both", r"weight\(.*\): .* -> -900"),
        (correction, (1, 0, 0), "new", r"correction\(any_pair,align\): none -> -600"),
    ):
        found, (edits, weights) = run(rules, POWER)
        assert edits == ()
        assert (weights.added, weights.removed, weights.changed) == counts
        (pair,) = found.changed
        (cause,) = {cause for one in pair.causes for cause in one}
        assert (cause.only, cause.moved[0].decision) == (only, "align")
        assert re.fullmatch(text, cause.text)
        assert (cause.line, cause.moved[0].by) == (1, -600) or only == "both"


@pytest.mark.long
def test_the_command_on_rules_and_on_their_outputs(good, edited, tmp_path):
    pair = ("Regulator recalls Opels", "Regulator recalls Vauxhalls")
    added = '%@rule opel: "an Opel"\n' + SYNONYM.replace("nurofen", "opels")
    added = added.replace("paint", "vauxhalls")
    folder = edited("words/similarity.lp", lambda text: f"{text}\n{added}\n")
    options = ("--profile", "headlines", "--cache", "none", "-q")
    for name, rules in (("old", ()), ("new", ("--rules", folder))):
        for suffix in (".wa", ".jsonl"):
            good("solve", *options, *rules, *pair, "-o", tmp_path / (name + suffix))
    by_rules = json.loads(good("diff", "shipped", folder, *options, *pair, "--json"))
    for suffix in (".wa", ".jsonl"):
        files = [tmp_path / (name + suffix) for name in ("old", "new")]
        by_output = json.loads(good("diff", *files, "--json", "--gold", tmp_path / "old.wa"))
        first, second = (
            [
                (change["old"], change["new"])
                for each in told["changed"]
                for change in each["changes"]
                if change["decision"] not in ("rating", "explanation")
            ]
            for told in (by_rules, by_output)
        )
        assert first == second != []
        # Gold is the old answer here: whatever changes is a loss.
        assert by_output["measures"]["Typ+Sco"]["old"] == 1
        assert by_output["measures"]["Typ+Sco"]["by"] < 0
    told = good("diff", *files, "--gold", tmp_path / "old.wa")
    assert "1 of 1 pairs have changed" in told
    assert "Lost: 1 pair" in told


@pytest.mark.long
def test_a_constraint_and_a_preference_are_responsible(tmp_path):
    rules = tmp_path / "mine.lp"
    rules.write_text(
        '%@rule far: "so far apart nothing is aligned"\n'
        ":- aligned(run(C,_),run(D,_)), |C-D| > 0.\n"
        '%@rule dislike: "rather not the same"\n'
        ":~ label(run(2,2),run(2,2),equi). [5000@3]\n"
        '%@rule never: "nothing is opposed"\n:- label(_,_,oppo).\n'
    )
    moved = ("Storm hits coast", "On Monday , storm hits coast")
    found, _ = run(rules, ("Storm hits coast", "Storm strikes coast"), moved)
    first, second = found.changed
    causes = dict(zip((change.kind for change in first.changes), first.causes, strict=True))
    assert [(one.rule, one.only, one.line) for one in causes["label"]] == [("dislike", "new", 4)]
    assert {one.rule for each in second.causes for one in each} == {"far"}


@pytest.mark.slow
def test_ratings_and_explanations_are_compared(good, tmp_path):
    (tmp_path / "words.tsv").write_text("power = electricity\n")
    pair = ("power fails in the city", "electricity fails in the city")
    call = ("diff", "shipped", "words.tsv", *pair)
    assert "0 of 1 pairs have changed" in good(*call)
    text = good(*call, "--wholes")
    assert re.search(r"^  rating     :  4\.\d+ -> 4\.75\d$", text, re.M)
    assert "\n  explanation  Both say " in text
    assert "\n  ->           They say the same in other words." in text
    (changed,) = json.loads(good(*call, "--wholes", "--json"))["changed"]
    assert [one["decision"] for one in changed["changes"]] == ["rating", "explanation"]
