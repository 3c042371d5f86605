"""Exceptions switch off the instances of a rule that meet a condition, and no others."""

import pytest
from clingo import Control

from ists_asp.errors import RuleError

RUNS = """
%@rule runs: "{X} runs"
runs(X) :- animal(X), legs(X,N), N > 1.
%@rule cost: "{X} costs"
:~ runs(X). [1@1,X]
animal((otter;eel;bird)). legs(otter,4). legs(bird,2). legs(eel,0).
fast(X) :- runs(X).
"""


def optimum(rules):
    """What runs in the best answer set, and its cost."""
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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('%@rule a: "a"\na(1).\n%@except a "b"\n:- b.', "x.lp:4: a is a fact"),
        ('%@except a "b"\na(1) :- b.', "x.lp:1:1: a rule with a head below %@except"),
        (
            '%@rule a: "a"\na(X) :- a(Y), X = Y+1, Y < 9.\na(1).\n%@except a "b"\n:- X > 4.',
            "x.lp:5: a rests on itself, and the condition says no more of X",
        ),
        ('%@except a "b"\n', "x.lp:1:1: no rule follows"),
        ("%@except a\n:- b.", 'x.lp:1:1: malformed directive; expected %@except name "why"'),
        ('%@except a "{Z}"\n:- b(X).', "x.lp:1:1: the rule has no variable {Z}"),
    ],
)
def test_a_faulty_exception(load, text, words):
    with pytest.raises(RuleError) as caught:
        load(f"{text}\n")
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
