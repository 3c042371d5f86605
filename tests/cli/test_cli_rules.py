"""Rules: copied, edited, listed, checked; where they fire, and what they are worth."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from ists_asp.engine import Setup, System
from ists_asp.evaluate.files import read_references
from ists_asp.evaluate.scorer import Reference, evaluate
from ists_asp.resources import data_dir
from ists_asp.trace.effects import look, places, triable, worth
from tests.sharing import cases, shared_folder, shared_system

PAIR = ("a black cat sleeps", "a black cat sleeps")
HEADLINES = (*PAIR, "--profile", "headlines")
LONG = ("default", "headlines")
BUS = ("12 killed in bus accident in Pakistan", "10 killed in road accident in NW Pakistan")
MILK = ("Dairy recalls 500 pints of milk", "Dairy recalls 500 quarts of milk")
WHERE = ("rules", "where")
NO_READER = ("--profile", "headlines", "--reader", "none")
UNITS = """\
%@rule units_differ: "{U} and {V} are different units"
forbidden_label(X,Y,(equi;spe1;spe2)) :- viable(X,Y), span_token(1,X,I), span_token(2,Y,J),
    word(1,I,U), word(2,J,V), _unit(U), _unit(V), U != V.
%@rule units: "units that are never the same"
_unit("pints";"quarts").
"""
NUMBERS = """\
%@rule numbers_oppose: "numbers oppose one another"
evidence(link(X,Y),numbers_oppose,100) :- evidence(side(1,X,Y),adds_number,_).
%@rule numbers_weight: "what that weighs"
weight(numbers_oppose,rel,{}).
"""
ZEBRA = """\
%@rule zebra: "a zebra"
forbidden_label(X,Y,oppo) :- viable(X,Y), word(1,_,"zebra").
"""
STATEMENT = """\
%@rule say_victims: "only sentence {S} speaks of victims"
%@example headlines "12 killed in a bus" | "A bus in Pakistan": says "only the first mourns"
statement(victims(S),victims) :- word(S,_,"killed"), other(S,R), not word(R,_,"killed").
%@rule told: "in the third sentence"
told_at(victims(S),3,5,each,0) :- statement(victims(S),victims).
%@rule side: "the sentence that has victims"
choice(victims(S),side,T) :- statement(victims(S),victims), slot_of(S,T).
"""


@pytest.mark.slow
def test_copied_and_edited_rules_change_the_answer(good, run, written, tmp_path):
    options = ("solve", *HEADLINES)
    before = good(*options)
    assert "EQUI" in before
    result = run("rules", "copy", "my")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "run with --rules my" in result.stderr
    assert good(*options, "--rules", "my") == before
    # A weight is left behind where a rule was removed.
    written("% nothing\n", "my/labels/names.lp")
    assert "EQUI" in good(*options, "--rules", "my")
    edited = min((tmp_path / "my/labels").glob("*.lp"))
    with edited.open("a") as file:
        file.write("forbidden_label(X,Y,equi) :- viable(X,Y).\n")
    assert "EQUI" not in good(*options, "--rules", "my")
    assert good(*options) == before


@pytest.mark.slow
def test_unsatisfiable_rules_name_the_pair(run, bad, written, sides, tmp_path):
    pairs = sides([("a cat", "a dog"), ("bad luck", "a dog"), ("a cat", "a cat")])
    command = ("solve", *pairs, "--rules", written(':- token(_,_,"bad").\n'), "-o", "out.wa")
    message = bad(1, *command, "--fail-fast")
    assert message.startswith("pair 2: the rules admit no answer set, for these cannot all hold: ")
    assert not (tmp_path / "out.wa").exists()
    found = run(*command, "-q")
    assert found.exit_code == 3
    assert found.stderr.splitlines() == [
        "warning: pair 2: the rules admit no answer set, for these cannot all hold: mine.lp:1",
        "warning: no answer for 1 of 3 pairs: 2",
    ]
    assert (tmp_path / "out.wa").read_text().count("<sentence ") == 3


@pytest.mark.slow
def test_warnings_of_clingo_are_shown_once(run, written, sides, pairs):
    name = written("helper(S) :- tokne(S,_,_).\n")
    result = run("solve", *sides(pairs), "--rules", name, "-q", "--lax")
    assert result.exit_code == 0
    (told,) = (line for line in result.stderr.splitlines() if "tokne" in line)
    assert told.startswith("warning: mine.lp:1:14: ")


def heads(text):
    """The first line of each rule in a list, in words."""
    return [line.split() for line in text.splitlines() if not line.startswith("    ")]


@pytest.mark.slow
def test_rules_are_listed_with_place_use_and_sentence(good):
    text = good("rules", "list")
    assert re.search(
        r"^may_align +asp/align\.lp:\d+ +answer\n    \{X\} and \{Y\} may be aligned$", text, re.M
    )
    assert max(map(len, text.splitlines())) <= 100
    records = json.loads(good("rules", "list", "--json"))
    assert [[one["name"], f"{one['file']}:{one['line']}", one["use"]] for one in records] == (
        heads(text)
    )
    uses = {record["name"]: record["use"] for record in records}
    assert {*uses.values()} == {"answer", "explanation", "both", "rating"}
    assert (uses["token_in_chunk"], uses["one_label"]) == ("both", "answer")
    explaining = (one for one in records if one["file"].startswith("lp_rules/explanation/"))
    assert {record["use"] for record in explaining} == {"explanation"}


@pytest.mark.slow
def test_rules_are_listed_with_their_weights(good):
    call = ("rules", "list", "--profile", "headlines")
    records = {record["name"]: record for record in json.loads(good(*call, "--json"))}
    assert records["may_align"]["weights"] is None
    weights = records["heads_near"]["weights"]
    assert {weight["evidence"] for weight in weights} == {"heads_near"}
    told = [(weight["decision"], f"{weight['weight']:+}") for weight in weights]
    assert told == sorted(told, key=lambda one: -abs(int(one[1])))
    displayed = re.search(r"^heads_near .*\n.*\n +(.*?)(?: … .*)?$", good(*call), re.M)[1]
    assert ", ".join(map(" ".join, told)).startswith(displayed)
    text = good("rules", "show", "heads_near", "--profile", "headlines")
    rows = [line.split() for line in text.splitlines() if line.startswith("%  ")]
    assert rows == [["%", size, decision, "heads_near"] for decision, size in told]


def test_rules_of_a_user_are_listed(good, written):
    text = '%@rule mine: "token {I} is mine"\nmine(I) :- token(1,I,_).\n'
    own = ("--profile", "baseline", "--rules", written(text))
    assert ["mine", "mine.lp:2", "both"] in heads(good("rules", "list", *own))
    shown = good("rules", "show", "mine", *own)
    assert shown == f"% mine.lp:2 (answer and explanation)\n{text}"
    (record,) = json.loads(good("rules", "show", "mine", *own, "--json"))
    assert record == {
        **{"name": "mine", "sentence": "token {I} is mine", "file": "mine.lp", "line": 2},
        **{"use": "both", "text": "mine(I) :- token(1,I,_).", "weights": None, "examples": []},
    }


@pytest.mark.slow
def test_profiles(good, tmp_path):
    names = [line.split()[0] for line in good("profiles").splitlines()]
    assert {"default", "headlines", "images", "answers-students", "baseline"} <= set(names)
    assert [profile["name"] for profile in json.loads(good("profiles", "--json"))] == names
    good("rules", "copy", "my")
    (tmp_path / "my/profiles/default.toml").rename(tmp_path / "my/profiles/own.toml")
    assert "own" in good("profiles", "--rules", "my")
    assert "EQUI" in good("solve", *PAIR, "--profile", "own", "--rules", "my")


@pytest.mark.slow
@pytest.mark.parametrize(
    "profile", ["baseline", *(pytest.param(one, marks=pytest.mark.long) for one in LONG)]
)
def test_check_has_nothing_to_say_about_an_unedited_copy(good, profile):
    good("rules", "copy", "my")
    options = ("rules", "check", "my", "--no-sample", "--profile", profile)
    assert json.loads(good(*options, "--json")) == []
    assert good(*options) == "my: 0 errors, 0 warnings, 0 notes\n"
    assert good(*options, "-q") == ""
    assert good(*options, "--all-notes").endswith((" note\n", " notes\n"))


@pytest.mark.slow
def test_check_tells_notes_about_lines_that_were_changed(good, tmp_path):
    good("rules", "copy", "my")
    changed = tmp_path / "my" / "labels" / "heads.lp"
    mine = '%@rule mine: "m"\nevidence(link(X,Y),mine,100) :- viable(X,Y).\n'
    changed.write_text(changed.read_text() + mine)
    (found,) = json.loads(good("rules", "check", "my", "--no-sample", "--json"))
    assert (found["kind"], found["subject"]) == ("unweighed", "mine")


def test_words_are_found_in_tables_and_names_come_first(good, written):
    assert good("rules", "find", "opposite", "--profile", "headlines").count("\n") <= 42
    assert good("rules", "find", "opposite", "--all").count("\n") > 60
    table = written("Opels = Vauxhalls\n", "words.tsv")
    found = json.loads(good("rules", "find", "vauxhalls", "--rules", table, "--json"))
    assert [(line["file"], line["line"]) for line in found] == [("words.tsv", 1)]
    found = json.loads(good("rules", "find", "adds_modifier", "--profile", "headlines", "--json"))
    (weighed, *_) = (line for line in found if line["group"] == "evidence and weights")
    assert weighed["rank"] == 0


@pytest.mark.slow
def test_a_rule_shows_its_places_and_what_would_be_without_it(good, written):
    rules = ("--rules", written(UNITS))
    text = good(*WHERE, "units_differ", *MILK, *rules, *NO_READER, "--by", "label")
    assert text.splitlines() == [
        "Pair 1: pints and quarts are different units",
        "  1: Dairy recalls [500 pints] of milk",
        "  2: Dairy recalls [500 quarts] of milk",
        'Pair 1 without it: "500 pints" ~ "500 quarts" is labelled EQUI',
        'Pair 1 without it: "500 pints" ~ "500 quarts" scores 5',
        "    1  SIMI",
        "units_differ: fired for 1 link, changed 2 decisions",
    ]
    # A table does what rests on it does.
    table = good(*WHERE, "units", *MILK, *rules, *NO_READER, "--by", "lemma")
    assert "    1  500 pint ~ 500 quart\nunits: fired for 1 link, changed 2" in table


@pytest.mark.slow
def test_what_the_nearest_label_lacks_is_what_it_takes_to_change_it(good, written):
    def told(weight):
        rules = ("--rules", written(NUMBERS.format(weight)))
        return good(*WHERE, "numbers_oppose", *BUS, *rules, *NO_READER)

    by = int(re.search(r"changed none; the nearest label is short by (\d+)\n", told(150))[1])
    assert by > 100
    # Sums are rounded.
    assert re.search(r"changed none; the nearest label is short by [34567]\n", told(150 + by - 5))
    assert "changed none" not in told(150 + by + 5)


@pytest.mark.slow
def test_where_takes_files(good, sides):
    inputs = (*sides([BUS, MILK]), *NO_READER)
    (found,) = json.loads(good(*WHERE, "linked_by_words", *inputs, "--json"))["rules"]
    assert (found["name"], found["verdict"][:10]) == ("linked_by_words", "fired for ")
    assert [one["pair"] for one in found["pairs"]] == ["1", "2"]
    for one in found["pairs"]:
        assert one["fired"][0]["sentence"].startswith("words of both are")


@pytest.mark.slow
def test_diff_says_of_new_rules_that_they_fired_for_nothing_or_never(good, written):
    rules = written(NUMBERS.format(150) + ZEBRA + UNITS)
    text = good("diff", "shipped", rules, *BUS, *NO_READER)
    short = r"fired for 1 link, changed none; the nearest label is short by \d+"
    assert re.search(rf"\+ numbers_oppose \(mine.lp:2\): added; {short}\n", text)
    assert "+ zebra (mine.lp:6): added; never fired\n" in text
    # What changes are due to is told with these.
    text = good("diff", "shipped", rules, *MILK, *NO_READER)
    assert "+ units_differ (mine.lp:8): added\n" in text
    assert "+ units (mine.lp:11): added\n" in text


@pytest.mark.slow
@cases(
    "command | words | numbers",
    ("why", ["bus", "road"], "3 4 5 <==> 3 4 5"),
    ("why", ['"bus" ~ "road"'], "3 4 5 <==> 3 4 5"),
    ("why-not", ['"bus" ~ "road" OPPO'], "3 4 5 <==> 3 4 5 // OPPO"),
    ("why", ["BUS", "road accident"], "3 4 5 <==> 3 4 5"),
    ("why", ["bus"], "1: 3 4 5"),
    ("why-not", ["killed", "killed", "SIMI", "4"], "2 <==> 2 // SIMI // 4"),
    ("why-not", ["NW", "NOALI"], "0 <==> 6 7 8"),
)
def test_a_question_by_words_is_the_one_by_token_numbers(good, sides, command, words, numbers):
    files = (*sides([MILK, BUS]), "--id", "2", *NO_READER)
    assert good(command, *files, *words) == good(command, *BUS, numbers, *NO_READER)


@pytest.mark.slow
def test_statements_of_ones_own_with_their_words_are_tested_compared_and_found(
    good, written, tmp_path, monkeypatch
):
    words = (data_dir() / "templates/en.toml").read_text("utf-8")
    words = words.replace("[statements]\n", '[statements]\nvictims = "only {side} mourns"\n')
    rules = written(STATEMENT)
    (tmp_path / "my.toml").write_text(words, "utf-8")
    (tmp_path / "ists-asp.toml").write_text('templates = "my.toml"\nprofile = "headlines"\n')
    monkeypatch.chdir(tmp_path)
    pair = ("12 killed in a bus", "A bus in Pakistan")
    assert good("rules", "test", rules) == "1 example holds, 0 fail\n"
    text = good(*WHERE, "say_victims", "--rules", rules, *pair)
    assert "Pair 1 without it: " in text
    assert "mourns" not in text
    assert "fired for 1 place, changed 1 decision" in text
    text = good("diff", "shipped", rules, *pair, "--wholes")
    assert "->           Only the first mourns." in text
    assert "changed none" not in text


SAMPLE = Path(__file__).parents[2] / "data" / "samples" / "headlines"
# For alignments, made of others, and for labels as well.
FEATURES = ["any_pair", "nearest_to_each_other", "least_covered"]
PAIRS = 6
INPUT = ("--profile", "headlines", "--sent1", SAMPLE / "sent1.txt", "--sent2", SAMPLE / "sent2.txt")
GOLD = ("--gold", SAMPLE / "gold.wa")
MINE = """\
%@rule nothing: "nothing is aligned"
:- aligned(_,_).
%@rule never: "nothing is opposed to itself"
:- label(X,X,oppo).
"""


@pytest.fixture(scope="module")
def gold():
    return read_references(GOLD[1])


def looked(system, gold, names):
    solver = system.solver.switched(places(system.rules, names))
    pairs = [one.pair for one in list(gold.values())[:PAIRS]]
    groups = {name: [name] for name in names}
    traces = list(system.trace_annotated(system.annotate(pairs)))
    return list(look(traces, groups, lambda: solver, gold))


def without(system, name):
    """A system that never had a rule."""
    rules = system.rules
    kept = [
        (statement, rule)
        for statement, rule in zip(rules.statements, rules.rules, strict=True)
        if rule.name != name
    ]
    statements, others = zip(*kept, strict=True)
    return system.solver.with_rules(replace(rules, statements=statements, rules=others))


def scored(gold, answers):
    right = {one.pair.id: gold[one.pair.id] for one in answers}
    answered = {one.pair.id: Reference(one.pair, one.alignments) for one in answers}
    return evaluate(right, answered).overall


@pytest.mark.long
def test_a_rule_switched_off_is_as_good_as_one_deleted(gold):
    system = shared_system("headlines")
    found = looked(system, gold, FEATURES)
    known = list(system.facts_of(system.annotate(one.pair for one in found)))
    total = scored(gold, [next(iter(one)) for one in system.decide(pair for pair, _ in known)])
    for name in FEATURES:
        solutions = without(system, name).solve_all(known)
        less = scored(gold, [one.answers[0] for one in solutions])
        told = worth(name, found)
        for (measure, full), (_, rest) in zip(total.named(), less.named(), strict=True):
            assert told.f1[measure] == pytest.approx(full.f1 - rest.f1, abs=1e-6)
        assert told.changed > 0
        assert told.fires >= PAIRS


@pytest.mark.slow
def test_constraints_are_tried_like_rules_and_tables_are_told_apart(gold, tmp_path):
    rules = tmp_path / "mine.lp"
    rules.write_text(MINE + '%@rule words: "words"\nmy_word("a";"b").\n')
    with System(Setup("headlines", (rules,), cache=shared_folder(), lax=True)).load() as system:
        each, tables = triable(system.rules, system.solver.program)
        assert {"nothing", "never", "same_word"} <= {*each}
        assert "words" in tables
        assert not {*each} & {*tables}
        found = looked(system, gold, ["nothing", "never"])
    nothing, never = (worth(name, found) for name in ("nothing", "never"))
    assert (nothing.rule, nothing.changed, never.changed) == ("nothing", PAIRS, 0)
    # Gold has links, so that it is wrong of all chunks to be left over.
    assert nothing.f1["Ali"] < 0 < nothing.wrong


@pytest.mark.slow
def test_decisions_are_right_or_wrong_by_gold(gold):
    system = shared_system("headlines")
    (pair, *_) = (one.pair for one in gold.values())
    (trace,) = system.trace_annotated(system.annotate([pair]))
    rule = "propose_linked"
    solver = system.solver.switched(places(system.rules, [rule]))
    for lines, right in ((trace.answer.alignments, True), ((), False)):
        told = replace(gold[pair.id], pair=trace.answer.pair, alignments=tuple(lines))
        (looked,) = look([trace], {rule: [rule]}, lambda: solver, {pair.id: told})
        effect = looked.effects[rule]
        assert (effect.right > 0, effect.wrong > 0) == (right, not right)


@pytest.mark.long
def test_the_measures_are_those_of_evaluate_and_all_rules_are_ranked(good, tmp_path):
    answers = tmp_path / "out.wa"
    good("solve", *INPUT, "-o", answers, "-q")
    measured = json.loads(good("evaluate", GOLD[1], answers, "--json"))["overall"]
    f1 = ", ".join(f"{name} {one['f1']:.4f}" for name, one in measured.items())
    text = good(*WHERE, *FEATURES, "same_word", *INPUT, *GOLD)
    assert f"\n\nF1 with all rules over 10 pairs: {f1}\n\nrule " in text
    rows = [line.split() for line in text.rpartition("\nrule ")[2].splitlines()]
    assert rows[0] == ["fires", "changed", "right", "wrong", *measured]
    assert {row[0] for row in rows[1:]} == {*FEATURES, "same_word"}
    found = json.loads(good(*WHERE, "--all", *INPUT, *GOLD, "--json"))
    worths = {one["worth"]["rule"]: one["worth"] for one in found["rules"]}
    assert min(len(worths), len(found["tables"])) > 100
    ranks = [one["f1"]["Typ+Sco"] for one in worths.values()]
    assert ranks == sorted(ranks, reverse=True)
    # Alone or among others, a rule is worth the same.
    for name, _, *numbers in rows[1:]:
        told = [worths[name][key] for key in ("changed", "right", "wrong")]
        assert told == [int(number) for number in numbers[:3]]
