"""Word tables: read line by line, symmetric, of words or lemmas, of several words."""

import re
import time

import pytest

from ists_asp.errors import RuleError
from ists_asp.io.text import make_sentence
from ists_asp.model import Pair
from ists_asp.rules import find_rules, load_rules, phrases, tables
from ists_asp.rules.source import table_rules
from tests.sharing import load_shared


def test_each_line_is_a_fact_on_the_same_line():
    text = "\ufeffPower = electricity\n\n# a vote\npass <> reject  # so\nHead  of state=President\n"
    assert table_rules(text, "w.tsv").split("\n") == [
        *('same_meaning("power","electricity").', "", "", 'opposite("pass","reject").'),
        *('same_meaning("head of state","president").', "", ""),
    ]


@pytest.mark.parametrize(
    "line", ["power", "a = b = c", "= b", "a <> ", "same = Same", "a\tb", "x" * 99]
)
def test_other_lines_are_refused_with_their_place(line):
    with pytest.raises(RuleError, match=r"^w\.tsv:2: .* is not an entry of a word table; expected"):
        table_rules(f"a = b\n{line}\n", "w.tsv")


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    table = tmp_path_factory.mktemp("words") / "mine.tsv"
    table.write_text("nurofen = ibuprofen\nhead of state = president\nonboard <> stowed\n")
    with load_shared("default", rules=table) as loaded:
        yield loaded


def label(system, one, two, tokens1, tokens2):
    answer = system.solve(one, two)
    return {(line.tokens1, line.tokens2): str(line.label) for line in answer.alignments}.get(
        (tokens1, tokens2)
    )


@pytest.mark.slow
def test_entries_work_in_either_sentence_and_by_their_lemmas(system):
    one, two = "The clinic orders Nurofen", "The clinic orders ibuprofen"
    assert label(system, one, two, (4,), (4,)) == "EQUI"
    assert label(system, two, one, (4,), (4,)) == "EQUI"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('same_meaning( "é ä","b";\n  "ñ" , "c d"; "x","y" ) .  same_meaning("ü","e").', 4),
        ('opposite("a","b";\n\n"cé",  "d"). same_meaning("f",\n"g").', 3),
        ('same_meaning("a", % a comment, "which" has "quotes"\n "b"; "c\\"d","e").', 2),
        ('same_meaning("a";"b","c"). opposite("a","b","c"). same_meaning(a,"b").', 1),
    ],
)
def test_entries_are_read_from_text_as_from_trees(text, count, tmp_path, monkeypatch):
    (tmp_path / "mine.lp").write_text(text)
    rules = load_rules(find_rules(tmp_path / "mine.lp"))
    found = list(tables.entries(rules))
    monkeypatch.setattr(tables, "_PLAIN", re.compile("(?!)"))
    assert found == list(tables.entries(rules))
    assert len({entry.place for entry in found}) == count


def test_entries_of_several_words_are_phrases(system):
    assert "head of state" in phrases(system.rules)
    pair = ["The", "head", "of", "state", "resigned"], ["The", "president", "resigned"]
    facts = [str(fact) for fact in next(system.facts([Pair("1", *map(make_sentence, pair))]))[1]]
    assert 'multiword(1,2,4,"head of state")' in facts


def test_shipped_opposites_and_denials():
    with load_shared("headlines") as loaded:
        for one, two in (
            ("Minister denies rumours", "Minister confirms rumours"),
            ("Parliament passes bill", "Parliament rejects bill"),
            ("Stocks surge", "Stocks plunge"),
            ("Man refuses to leave", "Man agrees to leave"),
        ):
            labels = {str(line.label) for line in loaded.solve(one, two).alignments}
            assert labels - {"EQUI"}, (one, two)


@pytest.mark.parametrize("line", ["a" + " " * 200_000 + "b", "=" * 200_000, "a " * 100_000])
def test_a_line_takes_no_more_time_than_it_is_long(line):
    began = time.process_time()
    with pytest.raises(RuleError, match="is not an entry of a word table"):
        table_rules(line, "w.tsv")
    assert time.process_time() - began < 1
