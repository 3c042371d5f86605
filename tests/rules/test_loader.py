"""Rule files: what is read of them, kept, and refused; those of strangers read nothing else."""

import json
import os
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from clingo import Control, MessageCode
from clingo.ast import ASTType, parse_string
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.errors import RuleError, UsageError
from ists_asp.io.store import Memo, Store
from ists_asp.rules import (
    Purpose,
    find_rules,
    load_profile,
    load_program,
    load_rules,
    loader,
    phrases,
    source,
)
from ists_asp.rules import parsing as parsing_module
from ists_asp.rules.catalogue import list_rules
from ists_asp.rules.loader import rule_files
from ists_asp.rules.parsing import Messages
from ists_asp.rules.programs import read_overlay
from ists_asp.rules.source import RuleSource, SourceText
from ists_asp.rules.weights import rule_weights
from ists_asp.solver import grounder
from ists_asp.solver.grounder import prepare, prepared
from ists_asp.solver.search import constant_arguments, ground
from ists_asp.solver.statements import Shapes
from tests.sharing import cases, damage, processor_seconds, refused

from .conftest import PROFILE, write

LEXEMES = ["a", ".", " ", "\n", '"', "\\", "%", "*", "%*", "*%", "n", "é"]
LEXEMES += ["#script (lua) ", "#end", "#include", '"b"']
HEADS = ("_p(X)", "{ _p(X) }", "r(X) ; _p(X)", "_p((X;1))", "-_p(X)")
PRIVATE = [f"_p(1,2).\nq(X) :- _p(X,_).\n\n{head} :- q(X).\n" for head in HEADS]
ADDED = 'correction(b,equi,1; word("x,y"),equi,1; word("x,y"),equi,2).'


def answer(rules, arguments=()):
    control = ground(rules.statements, (), arguments, lambda _code, _text: None)
    models = []
    control.solve(on_model=lambda model: models.append(sorted(map(str, model.symbols(shown=True)))))
    return models[-1]


def warnings(rules):
    messages = Messages(rules.names)
    for _ in range(2):
        ground(rules.statements, (), (), messages)
    return list(map(str, messages.warnings))


def test_one_rule_set_serves_many_controls(load):
    rules = load("p(1..n). #const n=2. q(X) :- p(X), X > 1. #show q/1.")
    for _ in range(3):
        assert answer(rules) == ["q(2)"]
    assert answer(rules, ["-c", "n=3"]) == ["q(2)", "q(3)"]


def test_a_file_has_path_name_and_checksum_and_its_statements_have_rules(load, tmp_path):
    text = "% a comment\na.\nb :- a,\n     not c.\n#maximize { 1,x : a; 2,y : b }.\n:~ a. [3@2,a]\n"
    rules = load(text)
    (file,) = rules.files
    assert (file.path, file.name) == ((tmp_path / "x.lp").resolve(), "x.lp")
    assert file.sha256 == sha256(text.encode()).hexdigest()
    assert len(rules.statements) == len(rules.rules)
    assert [(rule.name, rule.text) for rule in rules.rules[1:]] == [
        *(("x.lp:2", "a."), ("x.lp:3", "b :- a,\n     not c.")),
        *(("x.lp:5", ":~ a. [-1@0,x]"), ("x.lp:5", ":~ b. [-2@0,y]"), ("x.lp:6", ":~ a. [3@2,a]")),
    ]


def test_folders_are_searched_in_depth_and_names_are_as_typed(tmp_path, monkeypatch):
    write(tmp_path / "r", {"b.lp": "b.", "a/z.lp": "z.", "a/b.lp": "ab.", "note.txt": "-"})
    monkeypatch.chdir(tmp_path)
    for path, names in (("r", "r/a/b.lp r/a/z.lp r/b.lp"), ("r/b.lp", "r/b.lp")):
        assert [source.name for source in find_rules(Path(path))] == names.split()
    assert next(iter(find_rules(Path("r"), "x"))).name == "x/a/b.lp"
    words, pairs = "# mine\n\ncat = puss\n", "A cat\tTwo cats = cats\n"
    for name, text in (("r/w.tsv", words), ("r/tests.tsv", words), ("r/pairs.tsv", pairs)):
        Path(name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path / "r")
    assert [source.name for source in find_rules(Path())] == ["a/b.lp", "a/z.lp", "b.lp", "w.tsv"]
    assert [source.name for source in read_overlay([Path()]).tables] == ["w.tsv"]


def test_paths_without_rules(tmp_path):
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "b.lp")
    for find, place, words in (
        (find_rules, tmp_path / "empty", "empty: the folder has no rule files"),
        (find_rules, tmp_path / "a.lp", r"a\.lp: there is no such rule file"),
        (find_rules, tmp_path / "b.lp", "no such rule file"),
        (load_rules, [RuleSource(tmp_path / "a.lp", "a.lp", tmp_path, "")], "no such rule"),
        (load_rules, [RuleSource(tmp_path, "folder", tmp_path, "")], "cannot be read"),
        (load_rules, [], "no rule files"),
    ):
        refused(RuleError, words, find, place)
    refused(RuleError, "this is not a plain file", source.read_plain, tmp_path / "b.lp", "b.lp", 10)


def test_a_syntax_error_has_place_and_caret(load):
    for text, place, excerpt in (
        ('a.\np :- q("é") r(X), s.\n', "2:13", '    p :- q("é") r(X), s.\n                ^'),
        ("\tp :-\tq r.\n", "1:9", "    \tp :-\tq r.\n    \t    \t  ^"),
    ):
        with pytest.raises(RuleError, match='syntax error at "r"') as caught:
            load(text)
        assert (caught.value.where, caught.value.excerpt) == (f"x.lp:{place}", excerpt)


@cases(Path(__file__).with_name("errors.txt"), ("p(.\n" * 50, "1:3", "more errors"))
def test_errors_in_plain_words(load, text, place, words):
    with pytest.raises(RuleError) as caught:
        load(text)
    assert caught.value.where == f"x.lp:{place}"
    told = str(caught.value)
    assert words in told
    assert "<IDENTIFIER>" not in told
    assert len(told) <= 2000


def test_scripts_and_calls_are_seen_where_clingo_sees_them_only(load, tmp_path):
    rules = load('% #script (lua)\n%* #script %* #include "x" *% é *%\na("#script % é").\n')
    assert answer(rules) == ['a("#script % é")']
    # A priority is no call.
    assert answer(load("p(1). f(2). :~ p(X). [X@2]  % @f(X)\n")) == ["f(2)", "p(1)"]
    write(tmp_path, {"a.lp": '#include "b.lp".', "b.lp": "#script (lua) #end."})
    refused(RuleError, r"b\.lp:1:1: #script is refused", load_rules, find_rules(tmp_path / "a.lp"))


def test_includes_are_relative_to_their_file_and_loaded_once(tmp_path, monkeypatch):
    files = {
        "main.lp": 'm. #include "sub/é.lp". n.',
        "sub/é.lp": '#include "b.lp".\n#include "../main.lp".\ne.',
        "sub/b.lp": '%@rule b: "b"\nright.',
        "b.lp": "wrong.",
    }
    root = write(tmp_path / "r", files)
    # clingo itself would take the file in the working directory.
    monkeypatch.chdir(root)
    main, own = find_rules(root / "main.lp", "main.lp"), find_rules(root / "sub/b.lp", "b.lp")
    rules = load_rules([*main, *own])
    assert answer(rules) == ["e", "m", "n", "right"]
    assert [file.path.name for file in rules.files] == ["main.lp", "é.lp", "b.lp"]


def test_places_behind_an_include_are_unchanged(tmp_path):
    root = write(tmp_path, {"a.lp": '#include "é.lp". p :- q.\n', "é.lp": "q :- z."})
    rules = load_rules(find_rules(root / "a.lp", "a.lp"))
    rule = rules.rules[-1]
    assert (rule.line, rule.column, rule.text) == (1, 18, "p :- q.")
    (warning,) = warnings(rules)
    assert warning.startswith("é.lp:1: atom does not occur in any rule head: z;")


def test_warnings_name_their_places_once(load):
    rules = load('a(1).\na("x").\nb(Y) :- a(X), Y = X + 1.\nc :- misspelt(1).\n')
    assert warnings(rules) == [
        "x.lp:4: atom does not occur in any rule head: misspelt(1); see ists-asp rules check",
        "x.lp:3: operation undefined: (X+1)",
    ]
    messages = Messages()
    messages(MessageCode.Other, "something\n  odd\n")
    messages(MessageCode.RuntimeError, "bad")
    assert (list(map(str, messages.warnings)), messages.errors) == (["something odd"], ["bad"])


@given(st.lists(st.sampled_from(LEXEMES), max_size=14).map("".join))
def test_no_script_or_include_gets_past_the_scanner_and_clingo_never_panics(text):
    source = SourceText("x", text)
    try:
        text = source.without(source.includes())
    except RuleError:
        return
    nodes, messages = [], Messages()
    with suppress(RuntimeError):
        parse_string(text, nodes.append, logger=messages)
    assert all(node.ast_type != ASTType.Script for node in nodes)
    assert not [error for error in messages.errors if "could not be opened" in error]


@pytest.mark.parametrize("text", PRIVATE)
def test_private_predicates_and_names_of_rules_are_a_files_own(tmp_path, text):
    more = f'%@rule n: "n"\nb :- _p(2,1).\n{text}'
    write(tmp_path, {"a.lp": '_p(1).\n_p(2).\n%@rule n: "n"\na :- _p(1).', "b.lp": more})
    rules = load_rules(find_rules(tmp_path))
    own = [(rule.name, rule.text, str(node)) for node, rule in rules.both if rule.file[-4] == "b"]
    assert own[1] == ("n'", "b :- _p'(2,1).", "b :- _p'(2,1).")
    assert all(each.count("_p'(") == 1 and "_p(" not in each for each in own[-1][1:])


@cases(
    "second | name | place",
    ("weight(a,(align;equi),6).", r"weight\(a,align,…\)", r"a\.lp:1\. Write correction\(a,al"),
    (ADDED, r"correction\(word\(\"x,y\"\),equi,…\)", r"b\.lp:2\. Add them up in one"),
    ("correction(c,equi,1).", r"correction\(c,equi,…\)", r"a\.lp:2\. Add"),
)
@pytest.mark.parametrize("stored", [False, True])
def test_two_weights_of_one_name_and_class_are_refused(tmp_path, second, name, place, stored):
    store = Store(tmp_path / "store") if stored else None
    weights = "weight(a,align,5; a,rel,5).\ncorrection(a,align,5; c,equi,2)."
    write(tmp_path, {"a.lp": weights, "b.lp": "p(1).\nweight(a,spe,1).\n"})
    for _ in range(2):
        assert len(load_rules(find_rules(tmp_path), store=store).rules) > 3
    write(tmp_path, {"b.lp": f"p(1).\n{second}\nweight(a,spe,X) :- p(X).\n"})
    with pytest.raises(RuleError, match=rf"b\.lp:2:1: {name} is also given at .*{place}"):
        load_rules(find_rules(tmp_path), store=store)


def refuses(path, words):
    for read in (load_rules, rule_files):
        with pytest.raises(RuleError, match=words) as caught:
            read(find_rules(path))
        assert max(map(len, str(caught.value).splitlines())) < 300


def test_links_stay_in_their_folder(tmp_path):
    write(tmp_path, {"secret": "password.", "out/b.lp": "b.", "r/a.lp": "a."})
    (tmp_path / "r/c.lp").symlink_to("a.lp")
    (tmp_path / "r/sub").symlink_to(tmp_path / "out")
    assert [found.path.name for found in find_rules(tmp_path / "r")] == ["a.lp", "c.lp"]
    assert len(load_rules(find_rules(tmp_path / "r")).files) == 1
    (tmp_path / "r/b.lp").symlink_to(tmp_path / "secret")
    refuses(tmp_path / "r", r"b\.lp: this link leads out of the rule folder")
    write(tmp_path, {"r\udcff/a.lp": "a."})
    refuses(tmp_path / "r\udcff", r"a\.lp: the path of this file is not UTF-8")


def test_files_are_not_read_without_end_and_neither_are_many(tmp_path, monkeypatch):
    write(tmp_path / "many", {f"{number}.lp": "a.\n" for number in range(10)})
    monkeypatch.setattr(loader, "MOST_FILES", 5)
    refuses(tmp_path / "many", "or 5 files of rules")
    monkeypatch.setattr(loader, "MOST_FILES", 1000)
    monkeypatch.setattr(loader, "MOST", 20)
    refuses(tmp_path / "many", "more than 0 MB")
    monkeypatch.setattr(source, "LARGEST", 100)
    refuses(write(tmp_path, {"a.lp": "a.\n" * 100}) / "a.lp", "the file has more than")


def test_includes_of_other_places_are_refused(tmp_path, monkeypatch):
    write(tmp_path, {"o.lp": "a.", "here/b.lp": "wrong.", "r/a.lp": "a."})
    os.mkfifo(tmp_path / "r/pipe")
    (tmp_path / "r/round.lp").symlink_to("round.lp")
    # The working directory has no say.
    monkeypatch.chdir(tmp_path / "here")
    outside = ("/dev/zero", "/etc/passwd", "../../../etc/passwd", "../o.lp")
    missing = ("b.lp", "pipe", "a.lp/b.lp", "round.lp", "a" * 5000, "a/" * 2000 + "a.lp")
    for target in outside + missing:
        (tmp_path / "r/a.lp").write_text(f'#include "{target}".')
        words = "lies outside the rule folder" if target in outside else 'there is no file "'
        refuses(tmp_path / "r/a.lp", rf"a\.lp:1:1: .*{words}")


def test_includes_have_an_end_and_take_no_time(tmp_path):
    write(tmp_path, {f"{number}.lp": f'#include "{number + 1}.lp".' for number in range(200)})
    refuses(tmp_path / "0.lp", "files include one another 50 deep")
    write(tmp_path, {"a.lp": '#include "b.lp".\n' * 20_000, "b.lp": "b."})
    assert len(load_rules(find_rules(tmp_path / "a.lp")).files) == 2
    many = "".join(f'#include "{number * "./"}b.lp".\n' for number in range(1002))
    write(tmp_path, {"a.lp": many})
    refuses(tmp_path / "a.lp", r"a\.lp:1001:1: the file includes more than 1000 others")


@cases(
    "value",
    *("-2147483648/-1", "2**31", "1+1", "1..9", "f(@g)", "2147483648", "X", "f(X)", "a;b"),
    *("f(1,)", "f(1", "\x1b[31m", '"a\\tb"', "not", "1 2", "", "f(" * 90 + "1" + ")" * 90),
)
def test_clingo_evaluates_no_value_of_a_constant(shipped, tmp_path, value):
    refused(UsageError, r"^-c n: found ", constant_arguments, {"n": value})
    refused(UsageError, "is not a name of a constant", constant_arguments, {f"{value}=": "1"})
    write(tmp_path, {"profiles/a.toml": PROFILE.replace('"news"', json.dumps(value))})
    refused(RuleError, r"a\.toml: constants\.domain: found ", load_profile, "a", tmp_path)


@pytest.mark.parametrize(
    "value", ["4", "-2147483648", "news", 'f( a , (1,"é (") )', "-a", "#inf", "()", "_b'(1)"]
)
def test_terms_are_values_of_constants(value):
    control = Control(constant_arguments({"n": value}), logger=lambda *text: pytest.fail(str(text)))
    control.add("base", [], f"#const n = 0. p(n). :- not p({value}).")
    control.ground()
    assert len(control.symbolic_atoms) == 1


@pytest.mark.parametrize("length", [1000, 2_000_000])
def test_sentences_of_rules_are_sentences(tmp_path, length):
    write(tmp_path, {"a.lp": f'%@rule long: "{"y" * length}"\na.'})

    def refuse():
        with pytest.raises(RuleError, match=r"a\.lp:1:1: this directive has \d+ cha") as caught:
            load_rules(find_rules(tmp_path / "a.lp"))
        assert len(str(caught.value)) < 300

    assert processor_seconds(refuse) < 2


def test_many_rules_on_a_line_take_no_time(load):
    text = source.SourceText("a.lp", "é. " * 200_000)

    def look_up():
        for number in range(20_000):
            assert text.character(1, 4 * number + 1) == 3 * number + 1
            assert text.span((1, 4 * number + 1), (1, 4 * number + 4)) == "é."

    assert processor_seconds(look_up) < 2
    # Excerpts of long lines are short.
    with pytest.raises(RuleError) as caught:
        load("a :- " + "b, " * 5000 + "é, " + "b, " * 5000 + "b.")
    line, caret = str(caught.value.excerpt).splitlines()
    assert line[caret.index("^")] == "é"
    assert len(line) < 90


def refuse(*_, **__):
    raise AssertionError("worked out again")


def parts(program):
    return (tuple(map(id, program.statements)), program.facts, program.tables, program.derived)


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Nothing is known of files; what other tests have parsed comes back afterwards."""
    monkeypatch.setattr(parsing_module, "_parsed_files", {})
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
