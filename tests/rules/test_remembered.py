"""Rule sets with a memory: what is recalled is what would be worked out."""

from dataclasses import replace

import pytest

from ists_asp.io.store import Memo, Store
from ists_asp.rules import Purpose, find_rules, load_program, load_rules, phrases
from ists_asp.rules import parsing as parsing_module
from ists_asp.rules.catalogue import list_rules
from ists_asp.rules.parsing import Messages
from ists_asp.rules.weights import rule_weights
from ists_asp.solver import grounder
from ists_asp.solver.grounder import prepare, prepared
from ists_asp.solver.statements import Shapes
from tests.sharing import damage


def refuse(*_, **__):
    raise AssertionError("worked out again")


def parts(program):
    return (tuple(map(id, program.statements)), program.facts, program.tables, program.derived)


def sources(folder, text, name="mine.lp"):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return find_rules(folder)


@pytest.fixture(autouse=True)
def _forgetful(monkeypatch):
    """Nothing is known of files; what other tests have parsed comes back afterwards."""
    monkeypatch.setattr(parsing_module, "_known", {})


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cache")


def load(store, purpose=Purpose.ANSWER):
    parsing_module._known.clear()
    name = "headlines" if purpose is Purpose.RATING else "baseline"
    return load_program(name, purpose=purpose, store=store)[1]


@pytest.mark.parametrize(
    "purpose", [Purpose.ANSWER, pytest.param(Purpose.RATING, marks=pytest.mark.slow)]
)
def test_a_rule_set_is_the_same_from_the_store(store, purpose, monkeypatch):
    fresh = load(None, purpose)
    load(store, purpose)
    monkeypatch.setattr(parsing_module, "name_rules", refuse)
    kept = load(store, purpose)
    assert kept == fresh
    assert [str(node.location) for node in kept.statements] == [
        str(node.location) for node in fresh.statements
    ]


@pytest.mark.slow
def test_a_program_is_the_same_from_the_store(store, monkeypatch):
    rules = load(store)
    for tables in (True, False):
        messages = Messages(rules.names)
        fresh = prepare(rules.statements, (), messages, Shapes(), tables=tables)
        assert parts(prepared(rules, (), messages, Shapes(), tables=tables)) == parts(fresh)
        with monkeypatch.context() as patch:
            patch.setattr(grounder, "prepare", refuse)
            assert parts(prepared(rules, (), messages, Shapes(), tables=tables)) == parts(fresh)


def test_a_constant_makes_another_program(store, tmp_path):
    rules = load_rules(sources(tmp_path / "a", "#const n=1. p(1..n). q :- p(3)."), store=store)
    few = prepared(rules, (), Messages(), Shapes())
    many = prepared(rules, ("-c", "n=3"), Messages(), Shapes())
    assert sorted(map(str, few.facts)) == ["p(1)"]
    assert sorted(map(str, many.facts)) == ["p(1)", "p(2)", "p(3)", "q"]


@pytest.mark.slow
def test_weights_phrases_and_lists_are_the_same(store):
    for _ in range(2):
        rules = load(store)
        plain = load(None)
        assert rule_weights(rules) == rule_weights(plain)
        assert phrases(rules) == phrases(plain)
        assert list_rules("headlines", store=store) == list_rules("headlines")


def test_an_edit_is_seen(store, tmp_path):
    first = load_rules(sources(tmp_path / "a", "p(1)."), store=store)
    prepared(first, (), Messages(), Shapes())
    second = load_rules(sources(tmp_path / "a", "p(2)."), store=store)
    assert list(map(str, prepared(second, (), Messages(), Shapes()).facts)) == ["p(2)"]


def test_a_copy_with_other_statements_has_no_memory(store, tmp_path):
    rules = load_rules(sources(tmp_path / "a", "p(1). p(2)."), store=store)
    prepared(rules, (), Messages(), Shapes())
    less = replace(rules, statements=rules.statements[:-1], rules=rules.rules[:-1])
    assert less.remembered == Memo()
    assert list(map(str, prepared(less, (), Messages(), Shapes()).facts)) == ["p(1)"]


def test_warnings_are_told_each_time(store, tmp_path):
    folder = tmp_path / "a"
    for _ in range(2):
        parsing_module._known.clear()
        rules = load_rules(sources(folder, 'p("a"). q(X+1) :- p(X).'), store=store)
        messages = Messages(rules.names)
        prepared(rules, (), messages, Shapes())
        assert [(one.where, "undefined" in one.text) for one in messages.warnings] == [
            (f"{rules.files[0].name}:1", True)
        ]


def test_a_damaged_store_is_renewed(store, tmp_path):
    rules = load_rules(sources(tmp_path / "a", "p(1). q(X) :- p(X)."), store=store)
    prepared(rules, (), Messages(), Shapes())
    damage(store.path.parent)
    parsing_module._known.clear()
    again = load_rules(sources(tmp_path / "a", "p(1). q(X) :- p(X)."), store=store)
    assert sorted(map(str, prepared(again, (), Messages(), Shapes()).facts)) == ["p(1)", "q(1)"]
    assert again == rules


def test_names_that_clash_are_refused_from_the_store(store, tmp_path):
    from ists_asp.errors import RuleError

    folder = tmp_path / "a"
    sources(folder, "_p(1).", "one.lp")
    for _ in range(2):
        parsing_module._known.clear()
        with pytest.raises(RuleError, match="private predicate _p/1"):
            load_rules(sources(folder, "_p(2).", "two.lp"), store=store)
