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

from .conftest import write


def refuse(*_, **__):
    raise AssertionError("worked out again")


def parts(program):
    return (tuple(map(id, program.statements)), program.facts, program.tables, program.derived)


@pytest.fixture(autouse=True)
def _forgetful(monkeypatch):
    """Nothing is known of files; what other tests have parsed comes back afterwards."""
    monkeypatch.setattr(parsing_module, "_parsed_files", {})


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cache")


def shipped(store, purpose=Purpose.ANSWER):
    parsing_module._parsed_files.clear()
    name = "headlines" if purpose is Purpose.RATING else "baseline"
    return load_program(name, purpose=purpose, store=store)[1]


@pytest.fixture
def mine(tmp_path, store):
    """Load a rule text, as a process does that has read no file yet if it is to forget."""

    def load(text, name="mine.lp", *, forget=True):
        if forget:
            parsing_module._parsed_files.clear()
        return load_rules(find_rules(write(tmp_path / "a", {name: text})), store=store)

    return load


def facts(rules, arguments=(), messages=None):
    program = prepared(rules, arguments, messages or Messages(), Shapes())
    return sorted(map(str, program.facts))


@pytest.mark.parametrize(
    "purpose", [Purpose.ANSWER, pytest.param(Purpose.RATING, marks=pytest.mark.slow)]
)
def test_a_rule_set_is_the_same_from_the_store(store, purpose, monkeypatch):
    fresh = shipped(None, purpose)
    shipped(store, purpose)
    monkeypatch.setattr(parsing_module, "name_rules", refuse)
    stored = shipped(store, purpose)
    assert stored == fresh
    places = [[str(node.location) for node in rules.statements] for rules in (stored, fresh)]
    assert places[0] == places[1]


@pytest.mark.slow
def test_a_program_is_the_same_from_the_store(store, monkeypatch):
    rules = shipped(store)
    for tables in (True, False):
        messages = Messages(rules.names)
        fresh = prepare(rules.statements, (), messages, Shapes(), tables=tables)
        assert parts(prepared(rules, (), messages, Shapes(), tables=tables)) == parts(fresh)
        with monkeypatch.context() as patch:
            patch.setattr(grounder, "prepare", refuse)
            assert parts(prepared(rules, (), messages, Shapes(), tables=tables)) == parts(fresh)


@pytest.mark.slow
def test_weights_phrases_and_lists_are_the_same(store):
    for _ in range(2):
        rules, plain = shipped(store), shipped(None)
        assert rule_weights(rules) == rule_weights(plain)
        assert phrases(rules) == phrases(plain)
        assert list_rules("headlines", store=store) == list_rules("headlines")


def test_another_constant_or_text_makes_another_program_and_a_copy_has_no_memory(mine):
    rules = mine("#const n=1. p(1..n). q :- p(3).")
    assert facts(rules) == ["p(1)"]
    assert facts(rules, ("-c", "n=3")) == ["p(1)", "p(2)", "p(3)", "q"]
    assert facts(mine("p(2).", forget=False)) == ["p(2)"]
    rules = mine("p(1). p(2).")
    assert facts(rules) == ["p(1)", "p(2)"]
    less = replace(rules, statements=rules.statements[:-1], rules=rules.rules[:-1])
    assert less.memo == Memo()
    assert facts(less) == ["p(1)"]


def test_warnings_are_told_each_time_and_a_damaged_store_is_renewed(mine, store):
    for _ in range(2):
        rules = mine('p("a"). q(X+1) :- p(X).')
        messages = Messages(rules.names)
        facts(rules, messages=messages)
        (warning,) = messages.warnings
        assert warning.where == f"{rules.files[0].name}:1"
        assert "undefined" in warning.text
    rules = mine("p(1). q(X) :- p(X).")
    facts(rules)
    damage(store.path.parent)
    again = mine("p(1). q(X) :- p(X).")
    assert facts(again) == ["p(1)", "q(1)"]
    assert again == rules
