"""Where words stand in rules, where rules fire, and what they change or miss."""

import json
import re

import pytest

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


@pytest.fixture
def written(tmp_path):
    def write(text, name="mine.lp"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return write


def test_words_are_found_in_names_documentation_sentences_tables_and_conditions(good, written):
    text = good("rules", "find", "opposite", "--profile", "headlines")
    groups = [line for line in text.splitlines() if not line.startswith(" ")]
    assert groups[:2] == ["names of rules", "predicates"]
    assert groups[-2:] == ["words and facts", "conditions"]
    assert "  asp/input.lp:317  %*! opposite(Words,OtherWords)\n" in text
    assert text.count("\n") <= 42
    assert "more, see --all" in text
    assert len(good("rules", "find", "opposite", "--all").splitlines()) > 60
    both = good("rules", "find", "Accept", "reject")
    assert re.fullmatch(r"words and facts\n  lp_rules/english/opposites.lp:\d+  .*\n", both)
    table = written("Opels = Vauxhalls\n", "words.tsv")
    found = json.loads(good("rules", "find", "vauxhalls", "--rules", table, "--json"))
    assert [(one["file"], one["line"]) for one in found] == [("words.tsv", 1)]


def test_names_come_first_and_what_is_nowhere_is_one_line(good, bad):
    found = json.loads(good("rules", "find", "adds_modifier", "--profile", "headlines", "--json"))
    (weighed, *_) = (one for one in found if one["group"] == "evidence and weights")
    assert weighed["rank"] == 0
    assert good("rules", "find", "same_lemma").splitlines()[1].count("%@rule same_lemma:") == 1
    message = bad(2, "rules", "find", "xyzzy", "plugh")
    assert message == "profile default: no line of a rule has 'xyzzy plugh'"


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

    first = told(150)
    by = int(re.search(r"changed none; the nearest label is short by (\d+)\n", first)[1])
    assert by > 100
    # Sums are rounded.
    assert re.search(r"changed none; the nearest label is short by [34567]\n", told(150 + by - 5))
    assert "changed none" not in told(150 + by + 5)


@pytest.mark.slow
def test_evidence_stands_for_the_rules_that_find_it_and_what_never_fires_says_what_it_lacks(good):
    text = good(*WHERE, "adds_number", *PAIR, *HEADLINES)
    assert "Pair 1: side 1 has a number the other lacks\n  1: [12] killed in bus" in text
    text = good(*WHERE, "antonyms", *PAIR, *HEADLINES)
    assert text.startswith("antonyms: never fired\nwould follow from: a word of one side is the")
    assert "missing: _tie(_,_,antonym,_,_)" in text
    # The head of this one has arithmetic.
    assert "\n└─ missing: related(_,_,cohyponym,_,_,_)\n" in good(*WHERE, "same_kind", *PAIR)


@pytest.mark.slow
def test_a_constraint_changes_answers_without_firing(good, written):
    rule = written('%@rule none: "no killed"\n:- aligned(X,_), span_token(1,X,2).\n')
    text = good(*WHERE, "none", *PAIR, "--rules", rule, *HEADLINES, "--by", "label")
    assert 'Pair 1 without it: "killed" is aligned with "killed"' in text
    assert text.splitlines()[-1] == "none: changed 3 decisions"


@pytest.mark.slow
def test_where_takes_files_and_refuses_what_decides_no_answers(good, bad, files):
    first, second = files([PAIR, MILK])
    inputs = ("--sent1", first, "--sent2", second, *HEADLINES)
    (found,) = json.loads(good(*WHERE, "linked_by_words", *inputs, "--json"))["rules"]
    assert [one["pair"] for one in found["pairs"]] == ["1", "2"]
    assert all(
        one["fired"][0]["sentence"].startswith("words of both are") for one in found["pairs"]
    )
    assert found["name"] == "linked_by_words"
    assert found["verdict"].startswith("fired for ")
    message = bad(2, *WHERE, "shown_with_than", *inputs)
    assert message == "the rule 'shown_with_than' decides no answers, it is for the explanation"
    message = bad(2, *WHERE, "same_lemmma", *inputs)
    assert (
        message == "profile headlines: there is no rule 'same_lemmma'. Did you mean 'same_lemma'?"
    )


@pytest.mark.slow
def test_diff_says_of_new_rules_that_they_fired_for_nothing_or_never(good, written):
    never = (
        '%@rule zebra: "a zebra"\nforbidden_label(X,Y,oppo) :- viable(X,Y), word(1,_,"zebra").\n'
    )
    rules = written(NUMBERS.format(150) + never + UNITS)
    text = good("diff", "shipped", rules, *PAIR, *HEADLINES)
    assert re.search(
        r"\+ numbers_oppose \(mine.lp:2\): added; fired for 1 link, changed none; "
        r"the nearest label is short by \d+\n",
        text,
    )
    assert "+ zebra (mine.lp:6): added; never fired\n" in text
    # What changes are due to is told with these.
    text = good("diff", "shipped", rules, *MILK, *HEADLINES)
    assert "+ units_differ (mine.lp:8): added\n" in text
    assert "+ units (mine.lp:11): added\n" in text


@pytest.mark.slow
def test_a_question_by_words_is_the_one_by_token_numbers(good, bad, files):
    def why(*asked, command="why"):
        return good(command, *PAIR, *asked, *HEADLINES)

    assert why("bus", "road") == why("3 4 5 <==> 3 4 5")
    assert why("BUS", "road accident") == why("3 4 5 <==> 3 4 5")
    assert why("bus") == why("1: 3 4 5")
    asked = ("killed", "killed", "SIMI", "4")
    assert why(*asked, command="why-not") == why("2 <==> 2 // SIMI // 4", command="why-not")
    assert why("NW", "NOALI", command="why-not") == why("0 <==> 6 7 8", command="why-not")
    first, second = files([PAIR, MILK])
    found = good(
        "why", "--sent1", first, "--sent2", second, "--id", "2", *HEADLINES, "milk", "milk"
    )
    assert found.startswith('"of milk" is aligned with "of milk"')
    message = bad(2, "why", *PAIR, "in", "in", *HEADLINES)
    assert message.startswith(
        "decision 'in in': 'in' stands in 2 chunks, 1: 3-5 (in bus accident), "
        "1: 6-7 (in Pakistan). Ask by token numbers"
    )
    message = bad(2, "why", *PAIR, "bus", "train", *HEADLINES)
    assert message.startswith("decision 'bus train': there is no 'train' in sentence 2; expected")
    assert "3 words; expected one or two" in bad(2, "why", *PAIR, "a", "b", "c", *HEADLINES)


@pytest.mark.slow
def test_why_not_tells_all_that_stands_in_the_way_with_what_it_lacks(good, written):
    text = good("why-not", *PAIR, "12", "10", "EQUI", *HEADLINES)
    assert "─ forbidden: something sets the sides apart  [never_the_same lp_rules/" in text
    assert re.search(r"└─ short by \d+\n   ├─ \"12\" ~ \"10\" is labelled SIMI\n", text)
    text = good("why-not", *PAIR, "bus", "road", "OPPO", "2", *HEADLINES)
    assert '├─ missing: licensed("in bus accident","in road accident",oppo,_)\n' in text
    assert re.search(r"├─ short by \d+\n", text)
    assert 'in the way of "in bus accident" (3-5) ~ "in road accident" (3-5) // OPPO // 2\n' in text
    text = good("why-not", *PAIR, "6 7 <==> 3 4 5 // EQUI", *HEADLINES)
    assert re.search(r"└─ short by \d+ per token\n", text)
    assert '"in bus accident" is aligned with "in road accident"\n' in text
    rules = (
        '%@rule one: "first"\n:- aligned(X,_), span_token(1,X,2).\n'
        '%@rule two: "second"\n:- aligned(_,Y), span_token(2,Y,2).\n'
    )
    text = good("why-not", *PAIR, "killed", "killed", *HEADLINES, "--rules", written(rules))
    assert "constraints forbid it\n├─ first  [one mine.lp:2]\n└─ second  [two mine.lp:4]\n" in text
