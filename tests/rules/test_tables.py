"""Word tables, line by line; the weights that belong to rules."""

import re
from pathlib import Path

import pytest

from ists_asp.errors import RuleError
from ists_asp.rules import load_program, phrases, tables
from ists_asp.rules.source import table_rules
from ists_asp.rules.weights import rule_weights
from tests.sharing import cases, load_shared, make_pair, processor_seconds, shared_system


def test_each_line_is_a_fact_on_the_same_line():
    text = "\ufeffPower = electricity\n\n# a vote\npass <> reject  # so\nHead  of state=President\n"
    assert table_rules(text, "w.tsv").split("\n") == [
        *('same_meaning("power","electricity").', "", "", 'opposite("pass","reject").'),
        *('same_meaning("head of state","president").', "", ""),
    ]


@cases(
    "line",
    *("power", "a = b = c", "= b", "a <> ", "same = Same", "a\tb", "x" * 99),
    # No line takes more time than it is long.
    *("a" + " " * 200_000 + "b", "=" * 200_000, "a " * 100_000),
)
def test_other_lines_are_refused_with_their_place(line):

    def refuse():
        with pytest.raises(RuleError, match=r"^w\.tsv:2: .* is not an entry of a word table; exp"):
            table_rules(f"a = b\n{line}\n", "w.tsv")

    assert processor_seconds(refuse) < 1


@cases(
    "text | count",
    ('same_meaning( "é ä","b";\n  "ñ" , "c d"; "x","y" ) .  same_meaning("ü","e").', 4),
    ('opposite("a","b";\n\n"cé",  "d"). same_meaning("f",\n"g").', 3),
    ('same_meaning("a", % a comment, "which" has "quotes"\n "b"; "c\\"d","e").', 2),
    ('same_meaning("a";"b","c"). opposite("a","b","c"). same_meaning(a,"b").', 1),
)
def test_entries_are_read_from_text_as_from_trees(load, text, count, monkeypatch):
    rules = load(text)
    entries = list(tables.entries(rules))
    monkeypatch.setattr(tables, "_PLAIN", re.compile("(?!)"))
    assert entries == list(tables.entries(rules))
    assert len({entry.place for entry in entries}) == count


def labels(system, *pair):
    alignments = system.solve(*pair).alignments
    return {(line.tokens1, line.tokens2, str(line.label)) for line in alignments}


@pytest.mark.slow
def test_entries_work_in_either_sentence_by_their_lemmas_and_as_phrases(tmp_path):
    table = tmp_path / "mine.tsv"
    table.write_text("nurofen = ibuprofen\nhead of state = president\n")
    with load_shared("default", rules=table) as system:
        pair = "The clinic orders Nurofen", "The clinic orders ibuprofen"
        assert ((4,), (4,), "EQUI") in labels(system, *pair)
        assert ((4,), (4,), "EQUI") in labels(system, *pair[::-1])
        assert "head of state" in phrases(system.rules)
        sides = ("The head of state resigned", "The president resigned")
        pair = make_pair(*sides)
        ((_, facts),) = system.facts([pair])
        assert 'multiword(1,2,4,"head of state")' in map(str, facts)


@cases("""
one                     | two
Minister denies rumours | Minister confirms rumours
Parliament passes bill  | Parliament rejects bill
Stocks surge            | Stocks plunge
Man refuses to leave    | Man agrees to leave
""")
def test_shipped_opposites_and_denials(one, two):
    assert {label for *_, label in labels(shared_system("headlines"), one, two)} - {"EQUI"}


# Rules with the weights that are theirs, and below them the facts that they are found by.
BLOCKS = Path(__file__).with_name("weights.txt").read_text("utf-8")


@pytest.mark.parametrize("constants", [(), (("limit", "8"),)], ids=["plain", "constant"])
@pytest.mark.parametrize("block", BLOCKS.strip().split("\n\n"))
def test_a_rule_has_the_weights_of_the_evidence_that_it_finds(load, block, constants):
    limit = int(dict(constants).get("limit", 3))
    _, *lines = block.replace("LIMIT", str(limit)).replace("MORE", str(limit + 1)).splitlines()
    rules = [tuple(map(str.strip, line.split("->"))) for line in lines if "->" in line]
    facts = [line for line in lines if "->" not in line]
    named = [f'%@rule r{number}: "x"\n{rule}' for number, (rule, _) in enumerate(rules)]
    weights = rule_weights(load("\n".join([*named, *facts])), constants)
    assert {
        name: [f"{weight.evidence},{weight.decision},{weight.value}" for weight in own]
        for name, own in weights.items()
    } == {f"r{number}": expected.split() for number, (_, expected) in enumerate(rules)}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["default", "headlines", "images", "answers-students"])
def test_every_weight_of_the_shipped_profiles_has_a_rule(name):
    profile, loaded = load_program(name)
    weighed = {
        tuple(entry.rsplit(",", 2)[:2])
        for node in loaded.statements
        for fact in ("weight(", "correction(")
        if str(node).startswith(fact) and not str(node).startswith(f"{fact}label(")
        for entry in re.split(r';(?=[^"]*(?:"[^"]*"[^"]*)*$)', str(node.head)[len(fact) : -1])
    }
    of_rules = rule_weights(loaded, profile.constants).values()
    assert {(weight.evidence, weight.decision) for own in of_rules for weight in own} == weighed
    assert len(weighed) > 250
