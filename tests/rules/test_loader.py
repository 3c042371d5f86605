from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest
from clingo import MessageCode
from clingo.ast import ASTType, parse_string
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.errors import RuleError
from ists_asp.io.store import Store
from ists_asp.rules import find_rules, load_rules
from ists_asp.rules.parsing import Messages
from ists_asp.rules.source import RuleSource, SourceText
from ists_asp.solver.search import ground

from .conftest import write


def answer(rules, arguments=()):
    control = ground(rules.statements, (), arguments, lambda _code, _text: None)
    found = []
    control.solve(on_model=lambda model: found.append(sorted(map(str, model.symbols(shown=True)))))
    return found[-1]


def refused(load, text):
    with pytest.raises(RuleError) as caught:
        load(text)
    return caught.value


def test_one_rule_set_serves_many_controls(load):
    rules = load("p(1..n). #const n=2. q(X) :- p(X), X > 1. #show q/1.")
    for _ in range(3):
        assert answer(rules) == ["q(2)"]
    assert answer(rules, ["-c", "n=3"]) == ["q(2)", "q(3)"]


def test_files_have_path_name_and_checksum(load, tmp_path):
    (file,) = load("p.\n").files
    assert file.path == (tmp_path / "x.lp").resolve()
    assert file.name == "x.lp"
    assert file.sha256 == sha256(b"p.\n").hexdigest()


def test_statements_and_rules_run_in_parallel(load):
    rules = load("% a comment\na.\nb :- a,\n     not c.\n#maximize { 1,x : a; 2,y : b }.\n")
    assert len(rules.statements) == len(rules.rules) == 5
    assert [rule.text for rule in rules.rules[1:]] == [
        *("a.", "b :- a,\n     not c.", ":~ a. [-1@0,x]", ":~ b. [-2@0,y]")
    ]
    assert [rule.name for rule in rules.rules[1:]] == ["x.lp:2", "x.lp:3", "x.lp:5", "x.lp:5"]


def test_a_folder_is_searched_in_depth_in_order(tmp_path):
    root = write(tmp_path / "r", {"b.lp": "b.", "a/z.lp": "z.", "a/b.lp": "ab.", "note.txt": "-"})
    names = [source.name for source in find_rules(root, "r")]
    assert names == ["r/a/b.lp", "r/a/z.lp", "r/b.lp"]


def test_names_are_as_typed(tmp_path, monkeypatch):
    write(tmp_path / "r", {"b.lp": "b."})
    monkeypatch.chdir(tmp_path)
    assert [source.name for source in find_rules(Path("r"))] == ["r/b.lp"]
    assert [source.name for source in find_rules(Path("r/b.lp"))] == ["r/b.lp"]
    monkeypatch.chdir(tmp_path / "r")
    assert [source.name for source in find_rules(Path())] == ["b.lp"]


@pytest.mark.parametrize(
    ("load_it", "words"),
    [
        (lambda folder: find_rules(folder / "empty"), "empty: the folder has no rule files"),
        (lambda folder: find_rules(folder / "a.lp"), r"a\.lp: there is no such rule file"),
        (
            lambda folder: load_rules([RuleSource(folder / "a.lp", "a.lp", folder, "")]),
            r"a\.lp: there is no such rule file",
        ),
        (lambda folder: load_rules([RuleSource(folder, "folder", folder, "")]), "cannot be read"),
        (lambda _folder: load_rules([]), "no rule files"),
    ],
)
def test_paths_without_rules(tmp_path, load_it, words):
    (tmp_path / "empty").mkdir()
    with pytest.raises(RuleError, match=words):
        load_it(tmp_path)


# Syntax errors


def test_a_syntax_error_has_place_and_caret(load):
    error = refused(load, 'a.\np :- q("é") r(X), s.\n')
    assert error.where == "x.lp:2:13"
    assert error.found == 'syntax error at "r"'
    assert error.excerpt == '    p :- q("é") r(X), s.\n                ^'


def test_tabs_keep_the_caret_in_place(load):
    assert refused(load, "\tp :-\tq r.\n").excerpt.split("\n")[1] == "    \t    \t  ^"


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        (b'a.\nb("caf\xe9").\n', "x.lp:2", "byte 0xe9 is not UTF-8. Save the file as UTF-8"),
        ("a.\n% \0\nb.", "x.lp:2", "null character"),
        ("p :- q r.\nok.\ns(.\nt.\n", "x.lp:1:8", "x.lp:3:3"),
        ("p :- q r.\nok.\ns(.\nt :- 0.5.\n", "x.lp:1:8", "x.lp:4:6"),
        ("p :- q\nr.\n", "x.lp:2:1", "rule above ends with a full stop"),
        ("p :- V > 0.5, q(V).\n", "x.lp:1:10", "Numbers are integers"),
        ("p.\nq :- r\n", "x.lp:2:7", "the file ends in the middle of a rule"),
        ("p(a.\n", "x.lp:1:4", "expected ) or ;"),
        ("#foo p.\n", "x.lp:1:1", '"#foo"'),
        ('p("abc).\n', "x.lp:1:3", "no end on its line"),
        (r'p("a\qb").', "x.lp:1:3", "no end on its line, or an escape"),
        ("a.\n%* b\nc.\n", "x.lp:2:1", "block comment has no end"),
        ("%* % *%\nc.\n", "x.lp:1:1", "hides the rest of its line"),
        ("a :- é.\n", "x.lp:1:6", '"é" stands outside strings'),
        ("a :- b(“x”).\n", "x.lp:1:8", "between double quotes"),
        ("\ufeffa.\n", "x.lp:1:1", "byte order mark"),
        ("p(.\n" * 50, "x.lp:1:3", "syntax error"),
        ("#script (lua) print(1) #end.", "x.lp:1:1", "#script is refused"),
        ("a. #script(python)\n#end.", "x.lp:1:4", "#script is refused"),
        ("a.\n  #edge (1,2) : a.\n", "x.lp:2:3", "#edge is refused"),
        ("a.\np(@ % call\n f(0)) :- a.\n", "x.lp:2:3", "@f is refused"),
        ("a.\np(@%**%f(0)) :- a.\n", "x.lp:2:3", "@f is refused"),
        ("a.\np(@f) :- a.\n", "x.lp:2:3", "@f is refused"),
        ("a(X) :- b(Y),\n  X = 1 + @f(Y).\nb(1).", "x.lp:2:11", "@f is refused"),
        ("#include <incmode>.", "x.lp:1:1", "names no rule file"),
        ("#include x.", "x.lp:1:1", "names no rule file"),
        ('#include "x"', "x.lp:1:1", "names no rule file"),
    ],
)
def test_errors_in_plain_words(load, text, where, words):
    error = refused(load, text)
    assert error.where == where
    assert words in str(error)
    assert "<IDENTIFIER>" not in str(error)


# Scripts and includes


def test_the_function_of_a_priority_is_no_call(load):
    load("p(1). f(2). :~ p(X). [X@2]  % @f(X)\n")


def test_scripts_are_seen_where_clingo_sees_them_only(load):
    rules = load('% #script (lua)\n%* #script %* #include "x" *% é *%\na("#script % é").\n')
    assert answer(rules) == ['a("#script % é")']


def test_a_script_in_an_included_file_is_refused(tmp_path):
    write(tmp_path, {"a.lp": '#include "b.lp".', "b.lp": "#script (lua) #end."})
    with pytest.raises(RuleError, match=r"b\.lp:1:1: #script is refused"):
        load_rules(find_rules(tmp_path / "a.lp"))


def test_includes_are_relative_to_their_file(tmp_path, monkeypatch):
    root = write(
        tmp_path / "r",
        {
            "main.lp": 'm. #include "sub/é.lp". n.',
            "sub/é.lp": '#include "b.lp".\n#include "../main.lp".\ne.',
            "sub/b.lp": "right.",
            "b.lp": "wrong.",
        },
    )
    # clingo itself would take the file in the working directory.
    monkeypatch.chdir(root)
    rules = load_rules([next(s for s in find_rules(root, "r") if s.name == "r/main.lp")])
    assert answer(rules) == ["e", "m", "n", "right"]
    assert [file.name for file in rules.files] == ["r/main.lp", "r/sub/é.lp", "r/sub/b.lp"]


def test_a_file_is_loaded_once(tmp_path):
    root = write(tmp_path, {"a.lp": '#include "b.lp".', "b.lp": '%@rule b: "b"\nb.\n'})
    rules = load_rules([*find_rules(root), *find_rules(root / "b.lp")])
    assert len(rules.files) == 2


def test_places_behind_an_include_are_unchanged(tmp_path):
    root = write(tmp_path, {"a.lp": '#include "é.lp". p :- q.\n', "é.lp": "q :- z."})
    rules = load_rules(find_rules(root / "a.lp", "a.lp"))
    rule = rules.rules[-1]
    assert (rule.line, rule.column, rule.text) == (1, 18, "p :- q.")
    messages = Messages(rules.names)
    ground(rules.statements, (), (), messages)
    assert list(map(str, messages.warnings)) == [
        "é.lp:1: atom does not occur in any rule head: z; see ists-asp rules check"
    ]


# Warnings


def test_warnings_name_their_places_once(load):
    rules = load('a(1).\na("x").\nb(Y) :- a(X), Y = X + 1.\nc :- misspelt(1).\n')
    messages = Messages(rules.names)
    for _ in range(2):
        ground(rules.statements, (), (), messages)
    assert list(map(str, messages.warnings)) == [
        "x.lp:4: atom does not occur in any rule head: misspelt(1); see ists-asp rules check",
        "x.lp:3: operation undefined: (X+1)",
    ]


def test_a_place_less_warning_is_kept():
    messages = Messages()
    messages(MessageCode.Other, "something\n  odd\n")
    messages(MessageCode.RuntimeError, "bad")
    assert list(map(str, messages.warnings)) == ["something odd"]
    assert messages.errors == ["bad"]


# The scanner agrees with clingo

LEXEMES = ["a", ".", " ", "\n", '"', "\\", "%", "*", "%*", "*%", "n", "é"]
LEXEMES += ["#script (lua) ", "#end", "#include", '"b"']


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


@pytest.mark.parametrize("head", ["_p(X)", "{ _p(X) }", "r(X) ; _p(X)", "_p((X;1))", "-_p(X)"])
def test_a_private_predicate_belongs_to_one_file(tmp_path, head):
    (tmp_path / "a.lp").write_text("_p(1).\n_p(2).\n")
    (tmp_path / "b.lp").write_text(f"_p(1,2).\nq(X) :- _p(X,_).\n\n{head} :- q(X).\n")
    with pytest.raises(RuleError, match=r"b\.lp:4:1: the private predicate _p/1 .*a\.lp:1;"):
        load_rules(find_rules(tmp_path))


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (
            "weight(a,(align;equi),6).",
            r"weight\(a,align,…\) is also given at .*a\.lp:1\. Write "
            r"correction\(a,align,N\) to add N to that weight",
        ),
        (
            'correction(b,equi,1; word("x,y"),equi,1; word("x,y"),equi,2).',
            r"correction\(word\(\"x,y\"\),equi,…\) is also given at .*b\.lp:2\. Add them up in one",
        ),
        ("correction(c,equi,1).", r"correction\(c,equi,…\) is also given at .*a\.lp:2\. Add"),
    ],
)
@pytest.mark.parametrize("stored", [False, True])
def test_two_weights_or_corrections_of_one_name_and_class_are_refused(
    tmp_path, second, told, stored
):
    store = Store(tmp_path / "store") if stored else None
    (tmp_path / "a.lp").write_text("weight(a,align,5; a,rel,5).\ncorrection(a,align,5; c,equi,2).")
    (tmp_path / "b.lp").write_text("p(1).\nweight(a,spe,1).\n")
    for _ in range(2):
        assert len(load_rules(find_rules(tmp_path), store=store).rules) > 3
    (tmp_path / "b.lp").write_text(f"p(1).\n{second}\nweight(a,spe,X) :- p(X).\n")
    with pytest.raises(RuleError, match=rf"b\.lp:2:1: {told}"):
        load_rules(find_rules(tmp_path), store=store)
