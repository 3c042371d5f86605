"""Examples above rules: read, judged both ways round, run by ``rules test``; the shipped ones."""

import json

import pytest

from ists_asp.errors import RuleError, UsageError
from ists_asp.io.store import Store
from ists_asp.io.text import make_sentence
from ists_asp.model import Answer, Chunk, Pair
from ists_asp.resources import rules_dir
from ists_asp.rules import find_rules, load_rules, parsing, read_overlay
from ists_asp.rules.catalogue import find_examples
from ists_asp.rules.examples import read_example
from ists_asp.rules.source import table_rules
from tests.sharing import alignments
from tests.tables import rows

from .conftest import write

PAIR = '"the red bus stops now" | "a bus stops": '
EXAMPLE = '"a cat sleeps" | "a dog sleeps": "a cat" ~ "a dog" REL'
DIRECTED = f"""\
%@rule cats_are_related: "a cat is related to whatever it is compared with"
%@example {EXAMPLE}
forbidden_label(X,Y,L) :- viable(X,Y), span_token(1,X,I), word(1,I,"cat"), label_type(L), L != rel.
"""


@pytest.fixture(scope="module")
def answer():
    sides = (make_sentence(text.split()) for text in ("the red bus stops now", "a bus stops"))
    lines = alignments("1,2,3~1,2 SPE1_FACT 4; 4~3 EQUI 5; 5~ NOALI")
    chunks = (Chunk(1, 3), Chunk(4, 4), Chunk(5, 5)), (Chunk(1, 2), Chunk(3, 3))
    return Answer(Pair("1", *sides), *chunks, lines, (), True)


# Each with one that does not hold; what is denied is denied of all sides that have some of the
# words.
CLAIMS = """
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
"""


@pytest.mark.parametrize("claims", rows(CLAIMS))
def test_what_claims_hold_of_an_answer(answer, claims):
    text = "Only the first adds; so does the second."
    read = [read_example(PAIR + claim).claim for claim in claims]
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


MALFORMED = ('"a" : "a" ~ "b" EQUI', '"a" | "b"', '"" | "b": rating > 3', 'two words "a" | "b": 3')
NO_CLAIMS = (
    *('"stops" ~ "stops" EQUAL', "rating = 3", '"stops" ~ "stops"', '"now" aligned'),
    *('"stops" ~ "stops" NOALI', '3: "now"'),
)
NO_WORDS = ('"stop" ~ "stops" EQUI', '2: "now"', 'chunk "train"')


@pytest.mark.parametrize(
    ("example", "words"),
    [
        *((example, "malformed example") for example in MALFORMED),
        *((PAIR + claim, "is not a claim") for claim in NO_CLAIMS),
        *((PAIR + claim, "as they stand in their sentence") for claim in NO_WORDS),
    ],
)
def test_a_malformed_example_is_an_error_with_its_place(load, example, words):
    with pytest.raises(RuleError, match=r"expected ") as caught:
        load(f'a.\n%@example {example}\n%@rule b: "b"\nb.\n')
    assert (caught.value.where, words in str(caught.value)) == ("x.lp:2:1", True)
    with pytest.raises(RuleError, match="no rule follows this directive"):
        load(f"a.\n%@example {PAIR}rating > 1\n")


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
    assert [one.where for one in find_examples([file], None)] == [f"{file}:1", f"{file}:2"]
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
    with pytest.raises(UsageError, match=r"not tests\.tsv"):
        read_overlay([file])
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
    assert any("// REL" in line for line in rest)
    assert rest[-1] == "0 examples hold, 1 fail"
    (record,) = json.loads(run("rules", "test", "mine.lp", "--json").stdout)
    (failure,) = record["failures"]
    assert (record["where"], record["rule"]) == ("mine.lp:2", "cats_are_related")
    assert failure["swapped"] is True
    assert failure["why"][0].startswith('"a dog" (1-2) ~ "a cat" (1-2) // REL')


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
    command = ("rules", "show", "cats_are_related", "--rules", "mine.lp")
    assert f"\n%@example {EXAMPLE}\n%@rule cats_are_related: " in good(*command)
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
