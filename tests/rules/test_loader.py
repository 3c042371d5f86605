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
    models = []
    control.solve(on_model=lambda model: models.append(sorted(map(str, model.symbols(shown=True)))))
    return models[-1]


def warnings(rules):
    """What clingo says of the places of rules, grounded twice."""
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
    monkeypatch.chdir(tmp_path / "r")
    assert [source.name for source in find_rules(Path())] == ["a/b.lp", "a/z.lp", "b.lp"]


@pytest.mark.parametrize(
    ("load_it", "words"),
    [
        (lambda root: find_rules(root / "empty"), "empty: the folder has no rule files"),
        (lambda root: find_rules(root / "a.lp"), r"a\.lp: there is no such rule file"),
        (lambda root: load_rules([RuleSource(root / "a.lp", "a.lp", root, "")]), "no such rule"),
        (lambda root: load_rules([RuleSource(root, "folder", root, "")]), "cannot be read"),
        (lambda _root: load_rules([]), "no rule files"),
    ],
)
def test_paths_without_rules(tmp_path, load_it, words):
    (tmp_path / "empty").mkdir()
    with pytest.raises(RuleError, match=words):
        load_it(tmp_path)


# Syntax errors


@pytest.mark.parametrize(
    ("text", "place", "excerpt"),
    [
        ('a.\np :- q("é") r(X), s.\n', "2:13", '    p :- q("é") r(X), s.\n                ^'),
        ("\tp :-\tq r.\n", "1:9", "    \tp :-\tq r.\n    \t    \t  ^"),
    ],
)
def test_a_syntax_error_has_place_and_caret(load, text, place, excerpt):
    with pytest.raises(RuleError) as caught:
        load(text)
    assert (caught.value.where, caught.value.excerpt) == (f"x.lp:{place}", excerpt)
    assert caught.value.found == 'syntax error at "r"'


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (b'a.\nb("caf\xe9").\n', "2", "byte 0xe9 is not UTF-8. Save the file as UTF-8"),
        ("a.\n% \0\nb.", "2", "null character"),
        ("p :- q r.\nok.\ns(.\nt.\n", "1:8", "x.lp:3:3"),
        ("p :- q r.\nok.\ns(.\nt :- 0.5.\n", "1:8", "x.lp:4:6"),
        ("p :- q\nr.\n", "2:1", "rule above ends with a full stop"),
        ("p :- V > 0.5, q(V).\n", "1:10", "Numbers are integers"),
        ("p.\nq :- r\n", "2:7", "the file ends in the middle of a rule"),
        ("p(a.\n", "1:4", "expected ) or ;"),
        ("#foo p.\n", "1:1", '"#foo"'),
        ('p("abc).\n', "1:3", "no end on its line"),
        (r'p("a\qb").', "1:3", r"does not know the escape \q"),
        ('p("a).\np("\\d").\np("\\e").', "1:3", r"x.lp:3:3: clingo does not know the escape \e"),
        ("a.\n%* b\nc.\n", "2:1", "block comment has no end"),
        ("%* % *%\nc.\n", "1:1", "hides the rest of its line"),
        ("a :- é.\n", "1:6", '"é" stands outside strings'),
        ("a :- b(“x”).\n", "1:8", "between double quotes"),
        ("\ufeffa.\n", "1:1", "byte order mark"),
        ("p(.\n" * 50, "1:3", "syntax error"),
        ("#script (lua) print(1) #end.", "1:1", "#script is refused"),
        ("a. #script(python)\n#end.", "1:4", "#script is refused"),
        ("a.\n  #edge (1,2) : a.\n", "2:3", "#edge is refused"),
        ("#const run=5. #const equi=simi.", "1:15", "#const equi is refused: it would replace"),
        ("a.\n evidence(p,x,#sup) :- a.", "2:2", "#sup is no number in evidence"),
        ("weight(x,simi,#inf).", "1:1", "#inf is no number in weight"),
        ("a.\np(@ % call\n f(0)) :- a.\n", "2:3", "@f is refused"),
        ("a.\np(@%**%f(0)) :- a.\n", "2:3", "@f is refused"),
        ("a.\np(@f) :- a.\n", "2:3", "@f is refused"),
        ("a(X) :- b(Y),\n  X = 1 + @f(Y).\nb(1).", "2:11", "@f is refused"),
        *((text, "1:1", "names no rule file") for text in ("#include <incmode>.", "#include x.")),
        ('#include "x"', "1:1", "names no rule file"),
    ],
)
def test_errors_in_plain_words(load, text, place, words):
    with pytest.raises(RuleError) as caught:
        load(text)
    assert caught.value.where == f"x.lp:{place}"
    assert words in str(caught.value)
    assert "<IDENTIFIER>" not in str(caught.value)


# Scripts and includes


def test_scripts_and_calls_are_seen_where_clingo_sees_them_only(load, tmp_path):
    rules = load('% #script (lua)\n%* #script %* #include "x" *% é *%\na("#script % é").\n')
    assert answer(rules) == ['a("#script % é")']
    # A priority is no call.
    assert answer(load("p(1). f(2). :~ p(X). [X@2]  % @f(X)\n")) == ["f(2)", "p(1)"]
    write(tmp_path, {"a.lp": '#include "b.lp".', "b.lp": "#script (lua) #end."})
    with pytest.raises(RuleError, match=r"b\.lp:1:1: #script is refused"):
        load_rules(find_rules(tmp_path / "a.lp"))


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


# Warnings


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


# Names of several files


HEADS = ("_p(X)", "{ _p(X) }", "r(X) ; _p(X)", "_p((X;1))", "-_p(X)")
PRIVATE = [f"_p(1,2).\nq(X) :- _p(X,_).\n\n{head} :- q(X).\n" for head in HEADS]


@pytest.mark.parametrize("text", PRIVATE)
def test_private_predicates_and_names_of_rules_are_a_files_own(tmp_path, text):
    more = f'%@rule n: "n"\nb :- _p(2,1).\n{text}'
    write(tmp_path, {"a.lp": '_p(1).\n_p(2).\n%@rule n: "n"\na :- _p(1).', "b.lp": more})
    rules = load_rules(find_rules(tmp_path))
    own = [(rule.name, rule.text, str(node)) for node, rule in rules.both if rule.file[-4] == "b"]
    assert own[1] == ("n'", "b :- _p'(2,1).", "b :- _p'(2,1).")
    assert all(each.count("_p'(") == 1 and "_p(" not in each for each in own[-1][1:])


ADDED = 'correction(b,equi,1; word("x,y"),equi,1; word("x,y"),equi,2).'


@pytest.mark.parametrize(
    ("second", "name", "place"),
    [
        ("weight(a,(align;equi),6).", r"weight\(a,align,…\)", r"a\.lp:1\. Write correction\(a,al"),
        (ADDED, r"correction\(word\(\"x,y\"\),equi,…\)", r"b\.lp:2\. Add them up in one"),
        ("correction(c,equi,1).", r"correction\(c,equi,…\)", r"a\.lp:2\. Add"),
    ],
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
