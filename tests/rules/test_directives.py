import pytest

from ists_asp.errors import RuleError
from ists_asp.rules import NamedRule, find_rules, load_rules

from .conftest import write


def test_a_directive_names_the_next_rule(load):
    rules = load(
        "% About killing.\n"
        '%@rule extra: "{A} adds “{W}” to {{its}} \\"part\\""\n'
        "% a remark between\n\n"
        "  spe1(A,W) :- chunk(A),  % in the rule\n"
        "     adds(A,W).\n"
        "other.\n"
    )
    assert rules.rules[1] == NamedRule(
        "extra",
        '{A} adds “{W}” to {{its}} "part"',
        "x.lp",
        5,
        3,
        "spe1(A,W) :- chunk(A),  % in the rule\n     adds(A,W).",
    )
    assert rules.rules[2] == NamedRule("x.lp:7", None, "x.lp", 7, 1, "other.")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('%@rule r: "one\n% and two\n%   and three"', "one and two and three"),
        ('  %@rule r: "a \\"b\n  % c\\""', 'a "b c"'),
        ('%@rule r: "whole"\n% "a remark"', "whole"),
    ],
)
def test_a_sentence_may_run_on_in_the_comments_below(load, text, sentence):
    assert load(f"{text}\na(1).\n").rules[1].sentence == sentence


def test_all_elements_of_an_objective_share_its_name(load):
    rules = load('%@rule gain: "weight"\n#maximize { 1,x : a;\n 2,y : b }.\n{ a; b }.\n')
    assert [rule.name for rule in rules.rules[1:]] == ["gain", "gain", "x.lp:4"]


def test_weak_constraints_and_first_lines_can_be_named(load):
    rules = load('%@rule cost: "{W} for {A}"\n:~ a(A,W), not b. [W@2,A]\n')
    assert rules.rules[1].name == "cost"
    assert rules.rules[1].text == ":~ a(A,W), not b. [W@2,A]"


def test_clingos_own_comments_are_no_directives(load):
    rules = load('%*! a(X)\n%@rule b: "b"\n*%\n% @rule c\n%%@rule d\n%\na(1).\n')
    assert [(rule.name, rule.sentence) for rule in rules.rules[1:]] == [("x.lp:7", None)]


@pytest.mark.parametrize(
    ("rule", "variable"),
    [
        *(("a(X) :- b(X).", "X"), ("{ a(X) : b(X) } :- c.", "X"), ("a(X) ; c(X) :- b(X).", "X")),
        *(("a :- N = #count { X : b(X) }.", "N"), ("a :- not b(X), c(X).", "X"), (":- b(X).", "X")),
    ],
)
def test_variables_that_a_sentence_may_name(load, rule, variable):
    assert load(f'%@rule r: "{{{variable}}}"\n{rule}\n').rules[1].name == "r"


LACKING = [
    *(("a(X) :- b(X).", "{Y}"), ("a(X) :- b(X).", "{x}"), ("a(X) :- b(X).", "{}")),
    *(("a(X) :- b(X).", "{X.real}"), ("a(X) :- b(X).", "{X!r}"), ("a(X) :- b(X).", "{X:>3}")),
    *(("a :- b(_).", "{_}"), ("a :- 1 { b(X) } 2.", "{X}"), ("a :- b(X) : c(X).", "{X}")),
    *(("a :- #sum { X : b(X) } > 2.", "{X}"), ("a.", "{X}")),
]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        *((f'\n%@rule r: "{name}"\n{rule}', 2, "has no variable") for rule, name in LACKING),
        # Sentences that do not end.
        ('%@rule r: "one\n\n% and two"\na(1).', 1, "malformed directive"),
        ('%@rule r: "one\na(1).\n% and two"', 1, "malformed directive"),
        ('%@rule r: "one\na(1). % and two"', 1, "malformed directive"),
        ('%@rule r: "one\n%@rule s: "two"\na(1).', 1, "malformed directive"),
        ('%@rule r: "one\n%* and two" *%\na(1).', 1, "malformed directive"),
        ('%@rule r: "' + "\n% ".join(["a" * 100] * 11) + '"\na(1).', 1, "characters"),
        ('%@rul a: "a"\na.', 1, "unknown directive %@rul"),
        ('%@rule A: "a"\na.', 1, "malformed directive"),
        ('%@rule a "a"\na.', 1, "malformed directive"),
        ("%@rule a: a\na.", 1, "malformed directive"),
        ('%@rule a: "a" b\na.', 1, "malformed directive"),
        ('%@rule: "a"\na.', 1, "malformed directive"),
        ('%@rule a: "{X"\na(X) :- b(X).', 1, "unpaired curly bracket"),
        ('a.\n%@rule a: "a"\n', 2, "no rule follows"),
        ('%@rule a: "a"\n#show a/1.\na.', 1, "no rule follows"),
        ('%@rule a: "a"\n%@rule b: "b"\na.', 2, "two names"),
        ('a. %@rule a: "a"\nb.', 1, "shares its line"),
        ('a :- b,\n%@rule a: "a"\n  c.\n', 2, "inside a rule"),
        ('a. b.\n%@rule a: "a"\nb.\n%@rule a: "b"\nc.', 5, "taken by the rule at x.lp:3"),
    ],
)
def test_faulty_directives(load, text, line, words):
    with pytest.raises(RuleError) as caught:
        load(text + "\n")
    assert caught.value.where.startswith(f"x.lp:{line}:")
    assert words in str(caught.value)


def test_names_are_unique_across_files(tmp_path):
    root = write(tmp_path, {"a.lp": '%@rule n: "n"\na.', "b.lp": '%@rule n: "n"\nb.'})
    with pytest.raises(RuleError, match=r"b\.lp:2:1: the rule name n is taken by .*a\.lp:2"):
        load_rules(find_rules(root))
