"""Where words stand in rules, where rules fire, and what they change or miss."""

import json
import re

import pytest

from ists_asp.resources import data_dir

PAIR = ("12 killed in bus accident in Pakistan", "10 killed in road accident in NW Pakistan")
MILK = ("Dairy recalls 500 litres of milk", "Dairy recalls 500 gallons of milk")
WHERE = ("rules", "where")
HEADLINES = ("--profile", "headlines", "--reader", "none")
UNITS = """\
%@rule units_differ: "{U} and {V} are different units"
forbidden_label(X,Y,(equi;spe1;spe2)) :- viable(X,Y), span_token(1,X,I), span_token(2,Y,J),
    word(1,I,U), word(2,J,V), _unit(U), _unit(V), U != V.
%@rule units: "units that are never the same"
_unit("litres";"gallons").
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
    text = good(*WHERE, "units_differ", *MILK, *rules, *HEADLINES, "--by", "label")
    assert text.splitlines() == [
        "Pair 1: litres and gallons are different units",
        "  1: Dairy recalls [500 litres] of milk",
        "  2: Dairy recalls [500 gallons] of milk",
        'Pair 1 without it: "500 litres" ~ "500 gallons" is labelled EQUI',
        'Pair 1 without it: "500 litres" ~ "500 gallons" scores 5',
        "    1  SIMI",
        "units_differ: fired for 1 link, changed 2 decisions",
    ]
    # A table does what rests on it does.
    table = good(*WHERE, "units", *MILK, *rules, *HEADLINES, "--by", "lemma")
    assert "    1  500 litre ~ 500 gallon\nunits: fired for 1 link, changed 2" in table


@pytest.mark.slow
def test_what_the_nearest_label_lacks_is_what_it_takes_to_change_it(good, written):
    def told(weight):
        rules = ("--rules", written(NUMBERS.format(weight)))
        return good(*WHERE, "numbers_oppose", *PAIR, *rules, *HEADLINES)

    by = int(re.search(r"changed none; the nearest label is short by (\d+)\n", told(150))[1])
    assert by > 100
    # Sums are rounded.
    assert re.search(r"changed none; the nearest label is short by [34567]\n", told(150 + by - 5))
    assert "changed none" not in told(150 + by + 5)


@pytest.mark.slow
def test_a_constraint_changes_answers_without_firing(good, written):
    rule = written('%@rule none: "no killed"\n:- aligned(X,_), span_token(1,X,2).\n')
    text = good(*WHERE, "none", *PAIR, "--rules", rule, *HEADLINES, "--by", "label")
    assert 'Pair 1 without it: "killed" is aligned with "killed"' in text
    assert text.splitlines()[-1] == "none: changed 3 decisions"


@pytest.mark.slow
def test_where_takes_files(good, sides):
    inputs = (*sides([PAIR, MILK]), *HEADLINES)
    (found,) = json.loads(good(*WHERE, "linked_by_words", *inputs, "--json"))["rules"]
    assert (found["name"], found["verdict"][:10]) == ("linked_by_words", "fired for ")
    assert [one["pair"] for one in found["pairs"]] == ["1", "2"]
    for one in found["pairs"]:
        assert one["fired"][0]["sentence"].startswith("words of both are")


@pytest.mark.slow
def test_diff_says_of_new_rules_that_they_fired_for_nothing_or_never(good, written):
    rules = written(NUMBERS.format(150) + ZEBRA + UNITS)
    text = good("diff", "shipped", rules, *PAIR, *HEADLINES)
    short = r"fired for 1 link, changed none; the nearest label is short by \d+"
    assert re.search(rf"\+ numbers_oppose \(mine.lp:2\): added; {short}\n", text)
    assert "+ zebra (mine.lp:6): added; never fired\n" in text
    # What changes are due to is told with these.
    text = good("diff", "shipped", rules, *MILK, *HEADLINES)
    assert "+ units_differ (mine.lp:8): added\n" in text
    assert "+ units (mine.lp:11): added\n" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "words", "numbers"),
    [
        ("why", ["bus", "road"], "3 4 5 <==> 3 4 5"),
        ("why", ['"bus" ~ "road"'], "3 4 5 <==> 3 4 5"),
        ("why-not", ['"bus" ~ "road" OPPO'], "3 4 5 <==> 3 4 5 // OPPO"),
        ("why", ["BUS", "road accident"], "3 4 5 <==> 3 4 5"),
        ("why", ["bus"], "1: 3 4 5"),
        ("why-not", ["killed", "killed", "SIMI", "4"], "2 <==> 2 // SIMI // 4"),
        ("why-not", ["NW", "NOALI"], "0 <==> 6 7 8"),
    ],
)
def test_a_question_by_words_is_the_one_by_token_numbers(good, sides, command, words, numbers):
    files = (*sides([MILK, PAIR]), "--id", "2", *HEADLINES)
    assert good(command, *files, *words) == good(command, *PAIR, numbers, *HEADLINES)


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
    assert good("rules", "test", rules) == "1 examples hold, 0 fail\n"
    text = good(*WHERE, "say_victims", "--rules", rules, *pair)
    assert "Pair 1 without it: " in text
    assert "mourns" not in text
    assert "fired for 1 place, changed 1 decision" in text
    text = good("diff", "shipped", rules, *pair)
    assert "->           Only the first mourns." in text
    assert "changed none" not in text
