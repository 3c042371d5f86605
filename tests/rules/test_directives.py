"""Directives name rules, make exceptions to them, and give them examples."""

import json

import pytest
from clingo import Control

from ists_asp.errors import RuleError, UsageError
from ists_asp.io.store import Store
from ists_asp.io.text import make_sentence
from ists_asp.model import Answer, Chunk, Pair
from ists_asp.resources import rules_dir
from ists_asp.rules import NamedRule, find_rules, load_rules, parsing, read_overlay
from ists_asp.rules.catalogue import find_examples
from ists_asp.rules.examples import read_example
from ists_asp.rules.source import table_rules
from tests.sharing import alignments, cases, refused

from .conftest import write

VARIABLES = [
    *(("a(X) :- b(X).", "X"), ("{ a(X) : b(X) } :- c.", "X"), ("a(X) ; c(X) :- b(X).", "X")),
    *(("a :- N = #count { X : b(X) }.", "N"), ("a :- not b(X), c(X).", "X"), (":- b(X).", "X")),
]
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
RUNS = """
%@rule runs: "{X} runs"
runs(X) :- animal(X), legs(X,N), N > 1.
%@rule cost: "{X} costs"
:~ runs(X). [1@1,X]
animal((otter;eel;bird)). legs(otter,4). legs(bird,2). legs(eel,0).
fast(X) :- runs(X).
"""
OTTER = ("An otter swims", "A weasel swims")
PAIR = '"the red bus stops now" | "a bus stops": '
EXAMPLE = '"a cat sleeps" | "a dog sleeps": "a cat" ~ "a dog" 4'
DIRECTED = f"""\
%@rule cats_score_4: "a cat scores 4 with whatever it is compared with"
%@example {EXAMPLE}
forbidden_score(X,Y,(1;2;3)) :- viable(X,Y), span_token(1,X,I), word(1,I,"cat").
"""
NO_EXAMPLES = (
    '"a" : "a" ~ "b" EQUI',
    '"a" | "b"',
    '"" | "b": rating > 3',
    'two words "a" | "b": 3',
)
NO_CLAIMS = (
    *('"stops" ~ "stops" EQUAL', "rating = 3", '"stops" ~ "stops"', '"now" aligned'),
    *('"stops" ~ "stops" NOALI', '3: "now"', 'point "a bus"'),
)
NO_WORDS = ('"stop" ~ "stops" EQUI', '2: "now"', 'chunk "train"', 'point "now" found')


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


@cases(
    "text | named",
    # A sentence may run on in the comments below.
    ('%@rule r: "one\n% and two\n%   and three"\na(1).', [("r", "one and two and three")]),
    ('  %@rule r: "a \\"b\n  % c\\""\na(1).', [("r", 'a "b c"')]),
    ('%@rule r: "whole"\n% "a remark"\na(1).', [("r", "whole")]),
    # All elements of an objective share its name.
    ('%@rule g: "w"\n#maximize { 1,x : a;\n 2,y : b }.\nc.', [("g", "w")] * 2 + [("x.lp:4", None)]),
    ('%@rule cost: "{W} for {A}"\n:~ a(A,W), not b. [W@2,A]', [("cost", "{W} for {A}")]),
    # clingo's own comments are no directives.
    ('%*! a(X)\n%@rule b: "b"\n*%\n% @rule c\n%%@rule d\n%\na(1).', [("x.lp:7", None)]),
    *((f'%@rule r: "{{{x}}}"\n{rule}', [("r", f"{{{x}}}")]) for rule, x in VARIABLES),
)
def test_names_and_sentences(load, text, named):
    assert [(rule.name, rule.sentence) for rule in load(f"{text}\n").rules[1:]] == named


@cases(
    "text | line | words",
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
)
def test_faulty_directives(load, text, line, words):
    with pytest.raises(RuleError) as caught:
        load(text + "\n")
    assert caught.value.where.startswith(f"x.lp:{line}:")
    assert words in str(caught.value)


def optimum(rules):
    control, found = Control(), []
    control.add("".join(f"{node}\n" for node in rules.statements))
    control.ground()
    control.solve(on_model=lambda model: found.append((model.symbols(shown=True), model.cost)))
    symbols, cost = found[-1]
    return sorted(map(str, symbols)), sum(cost)


@cases(
    "exceptions | runs | cost",
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


@pytest.fixture(scope="module")
def answer():
    sides = (make_sentence(text.split()) for text in ("the red bus stops now", "a bus stops"))
    lines = alignments("1,2,3~1,2 SPE1_FACT 4; 4~3 EQUI 5; 5~ NOALI")
    chunks = (Chunk(1, 3), Chunk(4, 4), Chunk(5, 5)), (Chunk(1, 2), Chunk(3, 3))
    return Answer(Pair("1", *sides), *chunks, lines, (), True)


# Each with one that does not hold; what is denied is denied of all sides that have some of the
# words.
@cases("""
right | wrong
"the red bus" ~ "a bus" SPE1      | "the red bus" ~ "a bus" SPE2
"the red bus" ~ "a bus" SPE1_FACT | "the red bus" ~ "a bus" SPE1_POL
"the red bus" ~ "a bus" SPE1 4    | "the red bus" ~ "a bus" SPE1 3
"stops" ~ "stops" 5               | "stops" ~ "stops" 4
"the red bus" ~ "a bus" aligned   | "red bus" ~ "a bus" aligned
"the red bus" ~ "a bus" not EQUI  | "stops" ~ "stops" not EQUI
"stops" ~ "a bus" not aligned     | "red" ~ "bus" not SPE1
"now" not aligned                 | "red" ~ "bus" not aligned
chunk "stops"                     | "the red bus" not aligned
chunk "now"                       | "stops" not aligned
1: "the red bus"                  | 1: "red bus"
2: "a bus"                        | chunk "bus"
says "The Second"                 | says "third"
rating > 2.5                      | not says "second"
rating <= 3.0                     | rating < 3
rating >= 3                       | rating<2
""")
def test_what_claims_hold_of_an_answer(answer, right, wrong):
    text = "Only the first adds; so does the second."
    read = [read_example(PAIR + claim).claim for claim in (right, wrong)]
    assert [claim.holds(answer, text, 3.0) for claim in read] == [True, False]


def test_a_claim_is_mirrored_with_its_sentences():
    claim = read_example(PAIR + '"the red bus" ~ "a bus" not SPE1_FACT 3').claim
    mirrored = claim.mirrored("first", "second")
    assert (mirrored.words, mirrored.label) == (("a bus", "the red bus"), "SPE2_FACT")
    assert (mirrored.denied, mirrored.score) == (True, "3")
    assert mirrored.mirrored("first", "second") == claim
    said = read_example(PAIR + 'says "The first adds “red”; the second"').claim
    assert said.mirrored("first", "second").value == "the second adds “red”; the first"
    assert read_example(PAIR + '1: "stops"').claim.mirrored("a", "b").words == ("", "stops")
    # A verdict may have a question.
    example = read_example('"in 1939" | "1945" | "When did it end?": verdict contradictory')
    assert (example.sentences, example.question) == (("in 1939", "1945"), "When did it end?")
    assert (example.claim.kind, example.claim.value) == ("verdict", "contradictory")
    # A point is one of the model answer.
    point = read_example(
        '"it melts" | "it melts; it boils" | "What?": point "it melts;" found'
    ).claim
    assert (point.kind, point.words, point.value) == ("point", ("", "it melts;"), "found")


@cases(
    "example | words",
    *((example, "malformed example") for example in NO_EXAMPLES),
    *((PAIR + claim, "is not a claim") for claim in NO_CLAIMS),
    *((PAIR + claim, "as they stand in their sentence") for claim in NO_WORDS),
)
def test_a_malformed_example_is_an_error_with_its_place(load, example, words):
    with pytest.raises(RuleError, match=r"expected ") as caught:
        load(f'a.\n%@example {example}\n%@rule b: "b"\nb.\n')
    assert (caught.value.where, words in str(caught.value)) == ("x.lp:2:1", True)
    refused(RuleError, "no rule follows this directive", load, f"a.\n%@example {PAIR}rating > 1\n")


def test_any_number_of_examples_stand_above_a_rule_run_on_and_are_kept(tmp_path, monkeypatch):
    text = (
        f'%@example {PAIR}rating > 1\n%@rule b: "b"\n% a remark\n'
        '%@example es "the red bus stops now" |\n%  "a \\"bus\\" stops":\n%  rating > 2\n'
        "% another remark\nb.\nc.\n"
    )
    file = write(tmp_path, {"x.lp": text}) / "x.lp"
    for _ in range(2):
        monkeypatch.setattr(parsing, "_parsed_files", {})
        _, named, other = load_rules(find_rules(file), store=Store(tmp_path / "cache")).rules
        assert [line for line, _ in named.examples] == [1, 4]
        assert named.examples[0] == (1, PAIR + "rating > 1")
        assert other.examples == ()
    one, two = find_examples([file], None)
    assert (one.where, one.rule, one.profile) == (f"{file}:1", "b", None)
    assert (two.profile, two.sentences[1]) == ("es", 'a "bus" stops')


def test_word_tables_have_examples_in_a_column_of_their_own(tmp_path):
    text = f'Opels = Vauxhalls\t{PAIR}rating > 1\npass <>\treject\t{PAIR}chunk "now" \n5" =\t6"\n'
    facts = table_rules(text, "w.tsv").split("\n")
    assert facts[0].startswith('same_meaning("opels","vauxhalls"). %@example "the red bus')
    assert facts[1].startswith('opposite("pass","reject"). %@example ')
    assert facts[2] == 'same_meaning("5\\"","6\\"").'
    file = write(tmp_path, {"w.tsv": text}) / "w.tsv"
    # Once, though the folder and its table are named.
    places = [one.where for one in find_examples([tmp_path, file], None)]
    assert places == [f"{file}:1", f"{file}:2"]
    with pytest.raises(RuleError, match=r"^w\.tsv:2: .*not a claim"):
        table_rules(f"a = b\nc = d\t{PAIR}nothing\n", "w.tsv")


def test_a_file_of_tests_is_no_word_table(tmp_path):
    text = 'A "red" bus\tA bus\trating > 1\n\n# a remark\nUn bus\tUn bus\t2: "bus"\tes\n'
    file = write(tmp_path, {"more/x.lp": "a.\n", "more/tests.tsv": text}) / "more/tests.tsv"
    one, two = find_examples([tmp_path], None)
    assert (one.sentences, one.where) == (('A "red" bus', "A bus"), f"{file}:1")
    assert (two.profile, two.where) == ("es", f"{file}:4")
    assert [example.where for example in find_examples([file], None)] == [one.where, two.where]
    assert len(read_overlay([tmp_path]).added) == 1
    refused(UsageError, r"not tests\.tsv", read_overlay, [file])
    file.write_text("A bus\tA bus\n")
    with pytest.raises(RuleError, match=r"tests\.tsv:1: 2 columns; expected sentence TAB"):
        list(find_examples([file], None))


@pytest.mark.slow
def test_a_claim_that_holds_in_one_order_only_fails(run, tmp_path):
    (tmp_path / "mine.lp").write_text(DIRECTED)
    result = run("rules", "test", "mine.lp")
    assert result.exit_code == 1
    head, fails, first, *rest = result.stdout.splitlines()
    assert head == f"mine.lp:2: {EXAMPLE}"
    assert "fails with the sentences swapped" in fails
    assert first == "      1: a dog sleeps"
    assert any("// 4" in line for line in rest)
    assert rest[-1] == "0 examples hold, 1 fail"
    (record,) = json.loads(run("rules", "test", "mine.lp", "--json").stdout)
    (failure,) = record["failures"]
    assert (record["where"], record["rule"]) == ("mine.lp:2", "cats_score_4")
    assert failure["swapped"] is True
    assert failure["why"][0].startswith('"a dog" (1-2) ~ "a cat" (1-2) // 4')


@pytest.mark.slow
def test_what_came_out_is_told_of_each_kind_of_claim(run, tmp_path):
    claims = ['says "the moon"', "rating > 4.9", 'chunk "a"', '"sleeps" ~ "sleeps" not EQUI']
    claims.append("verdict correct")
    every = (*claims, "rating > 0.1", "verdict contradictory")
    text = "".join(f"a cat sleeps\ta dog sleeps\t{claim}\n" for claim in every)
    (tmp_path / "tests.tsv").write_text(text)
    result = run("rules", "test", "tests.tsv", "--reader", "none")
    assert result.exit_code == 1
    assert result.stdout.endswith("2 examples hold, 5 fail\n")
    told = ["“a cat”", "    contradictory by exchanged_in_point", "[ a cat ] [ sleeps ]", *claims]
    assert all(words in result.stdout for words in (*told, '"sleeps" is aligned with "sleeps"'))
    quiet = run("rules", "test", "tests.tsv", "--reader", "none", "-q").stdout
    assert quiet + "2 examples hold, 5 fail\n" == result.stdout


def test_shown_rules_have_their_examples(good, bad, tmp_path):
    write(tmp_path, {"mine.lp": DIRECTED, "none.lp": "a.\n"})
    command = ("rules", "show", "cats_score_4", "--rules", "mine.lp")
    assert f"\n%@example {EXAMPLE}\n%@rule cats_score_4: " in good(*command)
    assert json.loads(good(*command, "--json"))[0]["examples"] == [EXAMPLE]
    assert bad(2, "rules", "test", "none.lp").startswith("none.lp: there are no examples; expected")


@pytest.mark.slow
def test_all_shipped_examples_hold_both_ways_round(run):
    """Each kind of rule has some, and Spanish ones name their profile."""
    examples = list(find_examples([rules_dir()], None))
    assert len(examples) >= 150
    assert {example.where.split("/")[1] for example in examples} >= {
        *("alignment", "chunking", "clauses", "comparison", "english", "explanation"),
        *("factuality", "labels", "merging", "spanish", "spanish-forms", "sts", "tagging", "words"),
    }
    assert all(example.profile == "es" for example in examples if "/spanish" in example.where)
    result = run("rules", "test")
    assert result.stdout == f"{len(examples)} examples hold, 0 fail\n", result.stderr
