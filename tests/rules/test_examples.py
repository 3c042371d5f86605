"""Examples above rules: read, judged both ways round, run by ``rules test``; the shipped ones."""

import json

import pytest

from ists_asp.errors import RuleError, UsageError
from ists_asp.io.text import make_sentence
from ists_asp.model import Alignment, Answer, Chunk, Label, Pair, Tag
from ists_asp.resources import rules_dir
from ists_asp.rules import find_rules, load_rules, read_overlay
from ists_asp.rules.catalogue import find_examples
from ists_asp.rules.examples import read_example
from ists_asp.rules.source import table_rules

PAIR = '"the red bus stops now" | "a bus stops": '
DIRECTED = """\
%@rule cats_are_related: "a cat is related to whatever it is compared with"
%@example "a cat sleeps" | "a dog sleeps": "a cat" ~ "a dog" REL
forbidden_label(X,Y,L) :- viable(X,Y), span_token(1,X,I), word(1,I,"cat"), label_type(L), L != rel.
"""


@pytest.fixture(scope="module")
def answer():
    """[the red bus] [stops] [now] with [a bus] [stops]."""
    one, two = (make_sentence(text.split()) for text in ("the red bus stops now", "a bus stops"))
    lines = (
        Alignment((1, 2, 3), (1, 2), Label.SPE1, 4.0, frozenset({Tag.FACT})),
        Alignment((4,), (3,), Label.EQUI, 5.0),
        Alignment((5,), (), Label.NOALI, None),
    )
    chunks = (Chunk(1, 3), Chunk(4, 4), Chunk(5, 5)), (Chunk(1, 2), Chunk(3, 3))
    return Answer(Pair("1", one, two), *chunks, lines, (), True)


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        *(('"the red bus" ~ "a bus" SPE1', True), ('"the red bus" ~ "a bus" SPE2', False)),
        *(('"the red bus" ~ "a bus" SPE1_FACT', True), ('"the red bus" ~ "a bus" SPE1_POL', False)),
        *(('"the red bus" ~ "a bus" SPE1 4', True), ('"the red bus" ~ "a bus" SPE1 3', False)),
        *(('"stops" ~ "stops" 5', True), ('"stops" ~ "stops" 4', False)),
        *(('"the red bus" ~ "a bus" aligned', True), ('"red bus" ~ "a bus" aligned', False)),
        *(('"the red bus" ~ "a bus" not EQUI', True), ('"stops" ~ "stops" not EQUI', False)),
        # What is denied is denied of all sides that have some of the words.
        *(('"red" ~ "bus" not SPE1', False), ('"red" ~ "bus" not aligned', False)),
        *(('"stops" ~ "a bus" not aligned', True), ('"now" not aligned', True)),
        *(('"the red bus" not aligned', False), ('"stops" not aligned', False)),
        *(('1: "the red bus"', True), ('1: "red bus"', False), ('2: "a bus"', True)),
        *(('chunk "now"', True), ('chunk "stops"', True), ('chunk "bus"', False)),
        *(('says "The Second"', True), ('says "third"', False), ('not says "second"', False)),
        *(("rating > 2.5", True), ("rating >= 3", True), ("rating < 3", False)),
        *(("rating <= 3.0", True), ("rating<2", False)),
    ],
)
def test_what_claims_hold_of_an_answer(answer, claim, holds):
    example = read_example(PAIR + claim)
    assert example.claim.holds(answer, "Only the first adds; so does the second.", 3.0) == holds


def test_a_claim_is_mirrored_with_its_sentences():
    claim = read_example(PAIR + '"the red bus" ~ "a bus" not SPE1_FACT 3').claim
    mirrored = claim.mirrored("first", "second")
    assert (mirrored.words, mirrored.label) == (("a bus", "the red bus"), "SPE2_FACT")
    assert (mirrored.denied, mirrored.score) == (True, "3")
    assert mirrored.mirrored("first", "second") == claim
    said = read_example(PAIR + 'says "The first adds “red”; the second"').claim
    assert said.mirrored("first", "second").value == "the second adds “red”; the first"
    assert read_example(PAIR + '1: "stops"').claim.mirrored("a", "b").words == ("", "stops")


@pytest.mark.parametrize(
    ("example", "told"),
    [
        *(('"a" : "a" ~ "b" EQUI', "malformed example"), ('"a" | "b"', "malformed example")),
        *(('"" | "b": rating > 3', "malformed example"), ('two words "a" | "b": 3', "malformed")),
        *(
            (PAIR + '"stops" ~ "stops" EQUAL', "is not a claim"),
            (PAIR + "rating = 3", "is not a claim"),
        ),
        *(
            (PAIR + '"stops" ~ "stops"', "is not a claim"),
            (PAIR + '"now" aligned', "is not a claim"),
        ),
        *(
            (PAIR + '"stops" ~ "stops" NOALI', "is not a claim"),
            (PAIR + '3: "now"', "is not a claim"),
        ),
        *((PAIR + '"stop" ~ "stops" EQUI', "as they stand"), (PAIR + '2: "now"', "as they stand")),
        (PAIR + 'chunk "train"', "words as they stand in their sentence"),
    ],
)
def test_a_malformed_example_is_an_error_with_its_place(tmp_path, example, told):
    file = tmp_path / "x.lp"
    file.write_text(f'a.\n%@example {example}\n%@rule b: "b"\nb.\n')
    with pytest.raises(RuleError, match=r"expected ") as caught:
        load_rules(find_rules(file, "x.lp"))
    assert caught.value.where == "x.lp:2:1"
    assert told in str(caught.value)


def test_examples_need_a_rule_below(tmp_path):
    file = tmp_path / "x.lp"
    file.write_text(f"a.\n%@example {PAIR}rating > 1\n")
    with pytest.raises(RuleError, match="no rule follows this directive"):
        load_rules(find_rules(file))


def test_any_number_of_examples_stand_above_a_rule_and_run_on(tmp_path):
    file = tmp_path / "x.lp"
    file.write_text(
        f'%@example {PAIR}rating > 1\n%@rule b: "b"\n% a remark\n'
        '%@example es "the red bus stops now" |\n%  "a \\"bus\\" stops":\n%  rating > 2\n'
        "% another remark\nb.\nc.\n"
    )
    _, named, other = load_rules(find_rules(file)).rules
    assert [line for line, _ in named.examples] == [1, 4]
    assert other.examples == ()
    one, two = find_examples([file], None)
    assert (one.where, one.rule, one.profile) == (f"{file}:1", "b", None)
    assert (two.profile, two.sentences[1]) == ("es", 'a "bus" stops')


def test_examples_are_kept_with_the_names_of_rules(tmp_path):
    from ists_asp.io.store import Store
    from ists_asp.rules import parsing

    file = tmp_path / "x.lp"
    file.write_text(f'%@example {PAIR}rating > 1\n%@rule b: "b"\nb.\n')
    for _ in range(2):
        parsing._known.clear()
        rules = load_rules(find_rules(file), store=Store(tmp_path)).rules
        assert rules[1].examples == ((1, PAIR + "rating > 1"),)


def test_word_tables_have_examples_in_a_column_of_their_own(tmp_path):
    text = f'Opels = Vauxhalls\t{PAIR}rating > 1\npass <>\treject\t{PAIR}chunk "now" \n5" =\t6"\n'
    facts = table_rules(text, "w.tsv").split("\n")
    assert facts[0].startswith('same_meaning("opels","vauxhalls"). %@example "the red bus')
    assert facts[1].startswith('opposite("pass","reject"). %@example ')
    assert facts[2] == 'same_meaning("5\\"","6\\"").'
    file = tmp_path / "w.tsv"
    file.write_text(text)
    assert [one.where for one in find_examples([file], None)] == [f"{file}:1", f"{file}:2"]
    with pytest.raises(RuleError, match=r"^w\.tsv:2: .*not a claim"):
        table_rules(f"a = b\nc = d\t{PAIR}nothing\n", "w.tsv")


def test_a_file_of_tests_is_no_word_table(tmp_path):
    file = tmp_path / "more" / "tests.tsv"
    file.parent.mkdir()
    file.write_text('A "red" bus\tA bus\trating > 1\n\n# a remark\nUn bus\tUn bus\t2: "bus"\tes\n')
    (file.parent / "x.lp").write_text("a.\n")
    one, two = find_examples([tmp_path], None)
    assert (one.sentences, one.where) == (('A "red" bus', "A bus"), f"{file}:1")
    assert (two.profile, two.where) == ("es", f"{file}:4")
    assert [one.where for one in find_examples([file], None)] == [f"{file}:1", f"{file}:4"]
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
    head, *rest = result.stdout.splitlines()
    assert head == 'mine.lp:2: "a cat sleeps" | "a dog sleeps": "a cat" ~ "a dog" REL'
    assert rest[0] == "  fails with the sentences swapped:"
    assert rest[1] == "      1: a dog sleeps"
    assert any("// REL" in line for line in rest)
    assert rest[-1] == "0 examples hold, 1 fail"
    (record,) = json.loads(run("rules", "test", "mine.lp", "--json").stdout)
    assert (record["where"], record["rule"]) == ("mine.lp:2", "cats_are_related")
    (failure,) = record["failures"]
    assert failure["swapped"] is True
    assert failure["why"][0].startswith('"a dog" (1-2) ~ "a cat" (1-2) // REL')


@pytest.mark.slow
def test_what_came_out_is_told_of_each_kind_of_claim(run, tmp_path):
    pair = '"a cat sleeps" | "a dog sleeps": '
    claims = ['says "the moon"', "rating > 4.9", 'chunk "a"', '"sleeps" ~ "sleeps" not EQUI']
    rows = "".join(f"a cat sleeps\ta dog sleeps\t{claim}\n" for claim in claims)
    (tmp_path / "tests.tsv").write_text(f"{rows}a cat sleeps\ta dog sleeps\trating > 0.1\n")
    result = run("rules", "test", "tests.tsv", "--reader", "none")
    assert result.exit_code == 1
    assert result.stdout.endswith("1 examples hold, 4 fail\n")
    assert "“a cat”" in result.stdout
    assert "[ a cat ] [ sleeps ]" in result.stdout
    assert '"sleeps" is aligned with "sleeps"' in result.stdout
    assert all(pair + claim in result.stdout for claim in claims)
    quiet = run("rules", "test", "tests.tsv", "--reader", "none", "-q").stdout
    assert quiet + "1 examples hold, 4 fail\n" == result.stdout


def test_shown_rules_have_their_examples(good, tmp_path):
    (tmp_path / "mine.lp").write_text(DIRECTED)
    command = ("rules", "show", "cats_are_related", "--rules", "mine.lp")
    example = '"a cat sleeps" | "a dog sleeps": "a cat" ~ "a dog" REL'
    assert f"\n%@example {example}\n%@rule cats_are_related: " in good(*command)
    assert json.loads(good(*command, "--json"))[0]["examples"] == [example]


def test_files_without_examples_are_told(bad, tmp_path):
    (tmp_path / "mine.lp").write_text("a.\n")
    assert bad(2, "rules", "test", "mine.lp").startswith("mine.lp: there are no examples; expected")


@pytest.mark.slow
def test_all_shipped_examples_hold_both_ways_round(run):
    """Each kind of rule has some, and Spanish ones name their profile."""
    examples = list(find_examples([rules_dir()], None))
    folders = {one.where.split("/")[1] for one in examples}
    assert len(examples) >= 150
    assert folders >= {
        *("alignment", "chunking", "clauses", "comparison", "english", "explanation"),
        *("factuality", "labels", "merging", "spanish", "spanish-forms", "sts", "tagging", "words"),
    }
    assert all(one.profile == "es" for one in examples if "/spanish" in one.where)
    result = run("rules", "test")
    assert result.stdout == f"{len(examples)} examples hold, 0 fail\n", result.stderr
