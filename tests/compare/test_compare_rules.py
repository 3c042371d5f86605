"""Two sets of rules on the same pairs: what changes, and which rules are responsible."""

import json

import pytest

from ists_asp.compare import compare, find_edits, run_both
from ists_asp.io.text import make_sentence
from ists_asp.model import Pair
from ists_asp.resources import rules_dir
from ists_asp.rules.catalogue import copy_rules
from tests.sharing import load_shared, shared_system

POWER = ("Regulator recalls Nurofen", "Regulator recalls ibuprofen")
SAME = ("the dog barks", "the dog barks")
SYNONYM = (
    '\n%@rule power_is_electricity: "power is electricity"\n'
    'alike(I,J,synonym,95) :- word(1,I,"nurofen"), word(2,J,"ibuprofen").\n'
)


def make(*texts):
    return [
        Pair(str(number), *(make_sentence(text.split()) for text in pair))
        for number, pair in enumerate(texts, start=1)
    ]


@pytest.fixture(scope="module")
def shipped():
    return shared_system("headlines")


@pytest.fixture
def edited(tmp_path):
    """A copy of the shipped rules, and what edits one of its files."""
    copy_rules(tmp_path / "mine")

    def edit(name, change):
        path = tmp_path / "mine" / name
        path.write_text(change(path.read_text("utf-8")), encoding="utf-8")
        return tmp_path / "mine"

    return edit


def run(old, folder, *texts):
    with load_shared("headlines", rules=[folder]) as new:
        both = {one.new.pair.id: one for one in run_both(old, new, make(*texts))}
        edits = find_edits(old.rules, new.rules)
        before = {identifier: one.old for identifier, one in both.items()}
        after = {identifier: one.new for identifier, one in both.items()}
        causes = {identifier: one.causes for identifier, one in both.items() if one.causes}
        return compare(before, after, None, causes), edits


@pytest.mark.slow
@pytest.mark.long
def test_the_same_rules_change_nothing(shipped, edited):
    found, (edits, weights) = run(shipped, edited("words/similarity.lp", str.strip), POWER, SAME)
    assert (found.count, found.changed) == (2, ())
    assert edits == ()
    assert (weights.added, weights.removed, weights.changed) == (0, 0, 0)


@pytest.mark.slow
@pytest.mark.long
def test_an_added_rule_is_responsible_through_all_that_rests_on_it(shipped, edited):
    folder = edited("words/similarity.lp", lambda text: text + SYNONYM)
    found, (edits, _) = run(shipped, folder, SAME, POWER)
    assert [(str(edit.kind), edit.new.name) for edit in edits] == [
        ("added", "power_is_electricity")
    ]
    (pair,) = found.changed
    assert pair.pair.id == "2"
    change = next(one for one in pair.changes if one.kind == "label")
    causes = pair.causes[pair.changes.index(change)]
    assert [(cause.rule, cause.only) for cause in causes] == [("power_is_electricity", "new")]
    assert causes[0].text == "power is electricity"
    assert causes[0].moved
    assert all(one.by for one in causes[0].moved)


def test_a_removed_rule_is_responsible(shipped, edited):
    name = "same_lemma"
    text = (rules_dir() / "words/similarity.lp").read_text("utf-8")
    start = text.index(f"%@rule {name}:")
    end = text.index("%@rule", start + 1)
    folder = edited("words/similarity.lp", lambda text: text[:start] + text[end:])
    found, (edits, _) = run(shipped, folder, ("two dogs bark loudly", "one dog barked"))
    assert [(str(edit.kind), edit.old.name) for edit in edits] == [("removed", name)]
    (pair,) = found.changed
    causes = {(cause.rule, cause.only) for one in pair.causes for cause in one}
    assert causes == {(name, "old")}


@pytest.mark.slow
def test_a_changed_weight_is_told_with_its_values(shipped, edited):
    def heavy(text):
        lines = text.splitlines(keepends=True)
        return "".join(
            "weight(any_pair,align,-900).\n" if line.startswith("weight(any_pair,align,") else line
            for line in lines
        )

    found, (edits, weights) = run(shipped, edited("weights/headlines.lp", heavy), POWER)
    assert edits == ()
    assert (weights.added, weights.removed, weights.changed) == (0, 0, 1)
    (pair,) = found.changed
    causes = {cause for one in pair.causes for cause in one}
    assert {cause.only for cause in causes} == {"both"}
    (cause,) = causes
    assert cause.text.startswith("weight(any_pair,align): ")
    assert cause.text.endswith(" -> -900")
    assert cause.moved[0].decision == "align"


@pytest.mark.slow
@pytest.mark.long
def test_a_weight_that_moves_a_score_is_told_by_its_name(shipped, edited):
    weight = '\n%@rule costly: "costs a point"\nweight(different_numbers,score,-100).\n'
    folder = edited("labels/quantities.lp", lambda text: text + weight)
    found, (edits, weights) = run(shipped, folder, ("12 killed in bus", "10 killed in bus"))
    assert [edit.new.name for edit in edits] == ["costly"]
    assert (weights.added, weights.removed, weights.changed) == (1, 0, 0)
    (pair,) = found.changed
    ((cause,),) = pair.causes
    assert (cause.rule, cause.only) == ("costly", "new")
    assert cause.text == "weight(different_numbers,score): none -> -100"
    assert [(one.decision, one.by) for one in cause.moved] == [("score", -100)]


@pytest.mark.slow
@pytest.mark.long
def test_a_chunk_that_a_rule_cuts(shipped, edited):
    cut = '\n%@rule cut: "cut"\nmust_split(1,3) :- token(1,3,_).\n'
    folder = edited("chunking/boundaries.lp", lambda text: text + cut)
    found, _ = run(shipped, folder, ("the very old dog barks", "the old dog barks"))
    (pair,) = found.changed
    first = pair.changes[0]
    assert (first.kind, first.tokens1, first.old, first.new) == ("boundary", (3,), None, "begins")
    assert [cause.rule for cause in pair.causes[0]] == ["cut"]
    assert pair.causes[1:]
    assert not any(pair.causes[1:])


@pytest.mark.slow
@pytest.mark.long
def test_a_rule_that_now_keeps_another_from_firing(shipped, edited):
    folder = edited(
        "labels/contradiction.lp",
        lambda text: (
            text
            + '\n%@rule never_equal: "{X} and {Y} are never equal"\n'
            + "forbidden_label(X,Y,equi) :- proposed(X,Y).\n"
        ),
    )
    found, _ = run(shipped, folder, SAME)
    (pair,) = found.changed
    labels = [one for one in pair.changes if one.kind == "label"]
    assert labels
    assert {one.old for one in labels} == {"EQUI"}
    for one in labels:
        causes = pair.causes[pair.changes.index(one)]
        assert ("never_equal", "new") in [(cause.rule, cause.only) for cause in causes]


@pytest.mark.slow
@pytest.mark.long
def test_the_command_on_rules_and_on_their_outputs(edited, tmp_path, monkeypatch):
    from click.testing import CliRunner

    from ists_asp.cli.app import main

    folder = edited("words/similarity.lp", lambda text: text + SYNONYM)
    sentence1, sentence2 = POWER

    def ask(*args, code=0):
        result = CliRunner().invoke(main, [str(arg) for arg in args], catch_exceptions=False)
        assert result.exit_code == code, result.stderr
        return result

    options = ("--profile", "headlines", "--cache", "none", "-q")
    for name, rules in (("old", ()), ("new", ("--rules", folder))):
        for suffix in (".wa", ".jsonl"):
            ask("solve", *options, *rules, sentence1, sentence2, "-o", tmp_path / (name + suffix))
    by_rules = json.loads(
        ask("diff", "shipped", folder, *options, sentence1, sentence2, "--json").stdout
    )
    for suffix in (".wa", ".jsonl"):
        files = [tmp_path / (name + suffix) for name in ("old", "new")]
        by_output = json.loads(ask("diff", *files, "--json", "--gold", tmp_path / "old.wa").stdout)
        for one, two in zip(by_rules["changed"], by_output["changed"], strict=True):
            assert [(change["old"], change["new"]) for change in one["changes"]] == [
                (change["old"], change["new"]) for change in two["changes"]
            ]
        # Gold is the old answer here: whatever changes is a loss.
        assert by_output["measures"]["Typ+Sco"]["old"] == 1
        assert by_output["measures"]["Typ+Sco"]["by"] < 0
    told = ask("diff", *files, "--gold", tmp_path / "old.wa").stdout
    assert "1 of 1 pairs have changed" in told
    assert "Lost: 1 pair" in told


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (("a.wa", "rules"), 2, "a.wa is an output, the other is not"),
        (("a.wa", "b.wa", "one", "two"), 2, "two outputs need no sentences"),
        (("a", "b"), 2, "there are no pairs to decide by these rules"),
        (("a", "b", "one", "two", "--rules", "c"), 2, "--rules does not go with OLD and NEW"),
        (("a.wa", "b.wa"), 1, "a.wa: "),
    ],
)
def test_arguments_that_do_not_go_together(args, code, words, tmp_path, monkeypatch):
    from click.testing import CliRunner

    from ists_asp.cli.app import main

    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["diff", *args], catch_exceptions=False)
    assert result.exit_code == code
    assert result.stderr.startswith("error: ")
    assert words in result.stderr


@pytest.mark.slow
@pytest.mark.long
def test_a_constraint_and_a_preference_are_responsible(shipped, tmp_path):
    rules = tmp_path / "mine.lp"
    rules.write_text(
        '%@rule far: "so far apart nothing is aligned"\n'
        ":- aligned(run(C,_),run(D,_)), |C-D| > 0.\n"
        '%@rule dislike: "rather not the same"\n'
        ":~ label(run(2,2),run(2,2),equi). [5000@3]\n"
        '%@rule never: "nothing is opposed"\n:- label(_,_,oppo).\n'
    )
    moved = ("Storm hits coast", "On Monday , storm hits coast")
    found, _ = run(shipped, rules, ("Storm hits coast", "Storm strikes coast"), moved)
    first, second = found.changed
    causes = dict(zip((change.kind for change in first.changes), first.causes, strict=True))
    assert [(one.rule, one.only, one.line) for one in causes["label"]] == [("dislike", "new", 4)]
    assert {one.rule for each in second.causes for one in each} == {"far"}
