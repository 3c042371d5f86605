import pytest

from ists_asp.errors import RuleError
from ists_asp.rules import NamedRule


def test_a_directive_names_the_next_rule(load):
    rules = load(
        "% About killing.\n"
        '%@rule extra: "{A} adds “{W}” to {{its}} \\"part\\""\n'
        "% a remark between\n\n"
        "  spe1(A,W) :- chunk(A),  % in the rule\n"
        "     adds(A,W).\n"
        "other.\n"
    )
    text = "spe1(A,W) :- chunk(A),  % in the rule\n     adds(A,W)."
    sentence = '{A} adds “{W}” to {{its}} "part"'
    assert list(rules.rules[1:]) == [
        NamedRule("extra", sentence, "x.lp", 5, 3, text),
        NamedRule("x.lp:7", None, "x.lp", 7, 1, "other."),
    ]


VARIABLES = [
    *(("a(X) :- b(X).", "X"), ("{ a(X) : b(X) } :- c.", "X"), ("a(X) ; c(X) :- b(X).", "X")),
    *(("a :- N = #count { X : b(X) }.", "N"), ("a :- not b(X), c(X).", "X"), (":- b(X).", "X")),
]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        # A sentence may run on in the comments below.
        ('%@rule r: "one\n% and two\n%   and three"\na(1).', [("r", "one and two and three")]),
        ('  %@rule r: "a \\"b\n  % c\\""\na(1).', [("r", 'a "b c"')]),
        ('%@rule r: "whole"\n% "a remark"\na(1).', [("r", "whole")]),
        # All elements of an objective share its name.
        (
            '%@rule g: "w"\n#maximize { 1,x : a;\n 2,y : b }.\nc.',
            [("g", "w")] * 2 + [("x.lp:4", None)],
        ),
        ('%@rule cost: "{W} for {A}"\n:~ a(A,W), not b. [W@2,A]', [("cost", "{W} for {A}")]),
        # clingo's own comments are no directives.
        ('%*! a(X)\n%@rule b: "b"\n*%\n% @rule c\n%%@rule d\n%\na(1).', [("x.lp:7", None)]),
        *((f'%@rule r: "{{{x}}}"\n{rule}', [("r", f"{{{x}}}")]) for rule, x in VARIABLES),
    ],
)
def test_names_and_sentences(load, text, named):
    assert [(rule.name, rule.sentence) for rule in load(f"{text}\n").rules[1:]] == named


LACKING = [
    *(("a(X) :- b(X).", "{Y}"), ("a(X) :- b(X).", "{x}"), ("a(X) :- b(X).", "{}")),
    *(("a(X) :- b(X).", "{X.real}"), ("a(X) :- b(X).", "{X!r}"), ("a(X) :- b(X).", "{X:>3}")),
    *(("a :- b(_).", "{_}"), ("a :- 1 { b(X) } 2.", "{X}"), ("a :- b(X) : c(X).", "{X}")),
    *(("a :- #sum { X : b(X) } > 2.", "{X}"), ("a.", "{X}")),
]
MALFORMED = [
    # Sentences that do not end.
    *('%@rule r: "one\n\n% and two"', '%@rule r: "one\na(1).\n% and two"'),
    *('%@rule r: "one\na(1). % and two"', '%@rule r: "one\n%@rule s: "two"'),
    *('%@rule r: "one\n%* and two" *%', '%@rule A: "a"', '%@rule a "a"', "%@rule a: a"),
    *('%@rule a: "a" b', '%@rule: "a"'),
]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        *((f'\n%@rule r: "{name}"\n{rule}', 2, "has no variable") for rule, name in LACKING),
        *((f"{text}\na(1).", 1, "malformed directive") for text in MALFORMED),
        ('%@rule r: "' + "\n% ".join(["a" * 100] * 11) + '"\na(1).', 1, "characters"),
        ('%@rul a: "a"\na.', 1, "unknown directive %@rul"),
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
