"""The rules for explanations fit the templates, and users can change both."""

import re
from dataclasses import replace

import pytest

from ists_asp.errors import DataError, RuleError, UnsatisfiableError
from ists_asp.explain import load_templates
from ists_asp.io.text import make_sentence
from ists_asp.io.wa import given_answer
from ists_asp.model import Alignment, Label, Pair
from ists_asp.resources import rules_dir
from ists_asp.rules import Purpose, list_profiles, load_program
from ists_asp.rules.catalogue import copy_rules
from tests.explain.reviewed import make_answer
from tests.sharing import load_shared

TEXT = "".join(
    file.read_text("utf-8") for file in sorted((rules_dir() / "explanation").glob("*.lp"))
)
TEMPLATES = load_templates("en")


def test_each_kind_of_statement_has_a_rule_and_a_text():
    (table,) = re.findall(r"^_clause_of\((.*?)\)\.", TEXT, re.MULTILINE | re.DOTALL)
    entries = re.findall(r"(\w+),\d+,\d+,(\w+)", table)
    (sides,) = re.findall(r"^_clause_order\((.*?)\)\.", TEXT, re.MULTILINE | re.DOTALL)
    entries += re.findall(r"(\w+),\d+,\d+,(\w+)", sides)
    kinds = {kind for kind, _ in entries}
    feedback = (rules_dir() / "feedback" / "statements.lp").read_text("utf-8")
    clauses = {clause for _, clause in entries}
    others = {
        key
        for key in {*TEMPLATES.statements, *TEMPLATES.clauses}
        if re.search(rf"\b{key}\b", feedback)
    }
    others |= {"points", "points_left"}
    assert kinds | {"more_differences"} == set(TEMPLATES.statements) - (others - kinds)
    assert clauses == {
        key
        for key in TEMPLATES.clauses
        if not key.startswith("more_") and key not in others - clauses
    }
    assert {f"say_{kind}" for kind in kinds} <= set(re.findall(r"%@rule (\w+):", TEXT))


@pytest.mark.parametrize("profile", list_profiles())
def test_each_profile_can_explain(profile):
    assert load_program(profile, purpose=Purpose.EXPLANATION)[1].warnings == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "change", "error", "message"),
    [
        (
            "profiles/baseline.toml",
            lambda text: text.partition("[explanation]")[0],
            RuleError,
            r"the table \[explanation\] is missing",
        ),
        (
            "explanation/whole.lp",
            lambda text: text.replace("%@rule say_identical:", "%@rule identical:"),
            RuleError,
            "expected %@rule say_identical",
        ),
        (
            "explanation/whole.lp",
            lambda text: f'{text}\n%@rule never: "never"\n:- token(1,1,_).\n',
            UnsatisfiableError,
            "admit no answer set",
        ),
    ],
)
def test_rules_that_cannot_explain_say_so(tmp_path, file, change, error, message):
    copy_rules(tmp_path / "mine")
    path = tmp_path / "mine" / file
    path.write_text(change(path.read_text("utf-8")), "utf-8")
    with (
        load_shared("baseline", rules=[tmp_path / "mine"]) as mine,
        pytest.raises(error, match=message) as caught,
    ):
        mine.explain(make_answer("[ a cat ]", "[ a cat ]", "1-1 EQUI 5"))
    assert "\n" not in str(caught.value)


def test_given_alignments_are_of_tokens_that_there_are():
    pair = Pair("7", make_sentence(["a"]), make_sentence(["b"]))
    with pytest.raises(DataError, match="pair 7: token 2 of sentence 1, which has 1 tokens"):
        given_answer(pair, [Alignment((2,), (1,), Label.EQUI, 5.0)])
    pair = Pair("1", make_sentence(["a", "b", "c", "d"]), make_sentence(["x"]))
    answer = given_answer(pair, [Alignment((1, 3), (1,), Label.EQUI, 5.0)])
    # Their chunks are runs of tokens.
    assert [chunk.tokens for chunk in answer.chunks1] == [(1,), (2,), (3,), (4,)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sides", "lines", "said", "unsaid"),
    [
        (
            ("[ a battery ] [ is wired ] [ to a bulb ]", "[ lamp and wire ]"),
            "1,3-1 SIMI 3",
            "Where the first says “a battery … to a bulb”, the second says “lamp and wire”",
            "Both",
        ),
        (
            ("[ Dogs ] [ chase ] [ cats ] [ daily ]", "[ Cats ] [ chase ] [ dogs ]"),
            "1-3 EQUI 5, 2-2 EQUI 5, 3-1 EQUI 5",
            "The roles are swapped: first “dogs chase cats daily”, then “cats chase dogs”.",
            "Both",
        ),
        # An unmatched negation is never dropped from a clause.
        (
            ("[ The bulb ] [ is ] [ never ] [ lit ]", "[ The bulb ] [ is ] [ lit ]"),
            "1-1 EQUI 5, 2-2 EQUI 5, 4-3 EQUI 5",
            "Only the first denies something: “never lit” against “lit”.",
            "same",
        ),
    ],
)
def test_what_is_said_of_split_sides_roles_and_negations(system, sides, lines, said, unsaid):
    text = system("default").explain(make_answer(*sides, lines)).text
    assert said in text
    assert unsaid not in text


@pytest.mark.slow
def test_the_same_answer_gives_the_same_text_and_survives(system):
    answer = make_answer("[ a cat ]", "[ a dog ]", "1-1 SIMI 3")
    found = [system("images").explain(answer) for _ in range(2)]
    said = "Where the first says “a cat”, the second says “a dog”."
    assert {explanation.text for explanation in found} == {said}
    assert found[0].answer == answer
    assert replace(found[0].statements[0].alignments[0], score=3.0) == answer.alignments[0]
