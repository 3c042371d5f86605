"""Directives name rules, and make exceptions to them."""

import pytest
from clingo import Control

from ists_asp.errors import RuleError
from ists_asp.rules import NamedRule
from tests.tables import cases


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
    extra, other = rules.rules[1:]
    assert extra == NamedRule("extra", sentence, "x.lp", 5, 3, text)
    assert other == NamedRule("x.lp:7", None, "x.lp", 7, 1, "other.")


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
    *(("a(X) :- b(X).", "{X.real}"), ("a(X) :- b(X).", "{X!r}")),
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
        ('%@rule a: "{X:>3}"\na(X) :- b(X).', 1, "'>3' behind a variable is no divisor"),
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


RUNS = """
%@rule runs: "{X} runs"
runs(X) :- animal(X), legs(X,N), N > 1.
%@rule cost: "{X} costs"
:~ runs(X). [1@1,X]
animal((otter;eel;bird)). legs(otter,4). legs(bird,2). legs(eel,0).
fast(X) :- runs(X).
"""


def optimum(rules):
    control, found = Control(), []
    control.add("".join(f"{node}\n" for node in rules.statements))
    control.ground()
    control.solve(on_model=lambda model: found.append((model.symbols(shown=True), model.cost)))
    symbols, cost = found[-1]
    return sorted(map(str, symbols)), sum(cost)


@pytest.mark.parametrize(
    ("exceptions", "runs", "cost"),
    [
        ("", "bird otter", 2),
        ('%@except runs "a bird flies"\n:- animal(X), X = bird.', "otter", 1),
        # What the condition leaves open, the rule says; other variables are its own.
        ('%@except runs "two legs"\n:- N < 3.', "otter", 1),
        ('%@except runs "some eel"\n:- animal(Y), Y = eel.', "", 0),
        ('%@except runs "{X} is none"\n:- animal(X), not legs(X,_).', "bird otter", 2),
        ('%@except runs "a"\n:- X = bird.\n%@except runs: "b"\n:- X = otter.', "", 0),
        ('%@except cost "otters run for nothing"\n:- runs(X), X = otter.', "bird otter", 1),
        # A rule of another program: here there is nothing to except.
        ('%@except swims "a"\n:- animal(X).', "bird otter", 2),
    ],
)
def test_an_exception_switches_off_its_instances(load, exceptions, runs, cost):
    rules = load(f"#show. #show X : runs(X).{RUNS}{exceptions}\n")
    assert optimum(rules) == (runs.split(), cost)
    written = [rule for rule in rules.rules if rule.excepts]
    assert [rule.sentence for rule in written] == [
        line.split('"')[1] for line in exceptions.splitlines() if line.startswith("%@")
    ]


@cases(r"""
text | words
%@rule a: "a"\na(1).\n%@except a "b"\n:- b. | x.lp:4: a is a fact
%@except a "b"\na(1) :- b.      | x.lp:1:1: a rule with a head below %@except
%@rule a: "a"\na(X) :- a(Y), X = Y+1, Y < 9.\na(1).\n%@except a "b"\n:- X > 4.
    x.lp:5: a rests on itself, and the condition says no more of X
%@except a "b"                  | x.lp:1:1: no rule follows
%@except a\n:- b.               | x.lp:1:1: malformed directive; expected %@except name "why"
%@except a "{Z}"\n:- b(X).      | x.lp:1:1: the rule has no variable {Z}
""")
def test_a_faulty_exception(load, text, words):
    with pytest.raises(RuleError) as caught:
        load(text.replace(r"\n", "\n") + "\n")
    assert str(caught.value).startswith(words)


OTTER = ("An otter swims", "A weasel swims")


@pytest.mark.slow
def test_commands_know_exceptions(good, bad, tmp_path):
    (tmp_path / "mine.lp").write_text(
        '%@rule alike_here: "alike in this text"\n'
        "licensed(X,Y,equi,alike_here) :- viable(X,Y).\n"
        "forbidden_label(X,Y,L) :- licensed(X,Y,equi,alike_here), label_type(L), L != equi.\n"
        '%@except alike_here "no otter is a weasel"\n'
        ':- span_token(1,X,I), lemma(1,I,"otter").\n'
    )
    own = "--rules", "mine.lp"
    assert "EQUI" not in good("solve", *own, *OTTER, "--format", "text").splitlines()[2]
    assert "no otter is a weasel" in good(
        "why-not", *own, *OTTER, "licensed(run(1,1),run(1,1),equi,alike_here)"
    )
    told = good("rules", "where", "mine.lp:5", *own, *OTTER)
    assert "mine.lp:5: fired for 1 place" in told
    assert "not excepted(alike_here," in good("facts", "--bundle", *own, *OTTER)
    (tmp_path / "mine.lp").write_text('%@except alike_her "none"\n:- span_token(1,X,I).\n')
    assert "no rule is called alike_her" in bad(1, "solve", *own, *OTTER)
