"""What is said about pairs is what somebody read; users can change it; many are told together."""

import re
from dataclasses import replace

import pytest

import ists_asp
from ists_asp.errors import RuleError, UnsatisfiableError
from ists_asp.explain import load_templates
from ists_asp.resources import rules_dir
from ists_asp.rules import Purpose, list_profiles, load_program
from ists_asp.rules.catalogue import copy_rules
from tests.explain.reviewed import (
    DATA,
    EACH,
    SETS,
    explain_all,
    explained_pairs,
    explained_set,
    make_answer,
    read_cases,
    read_table,
)
from tests.sharing import load_shared
from tests.sharing import shared_system as system

CASES = tuple(read_cases())
SPANISH = read_table("spanish.tsv")
TRAIN = read_table("train.tsv")
TRUTH = {name: rest for name, *rest in read_table("truth.tsv")}


@pytest.fixture(scope="module")
def explained():
    """The explanations of the cases by their place, and of each class of falsehoods by its name."""
    answers = {name: (case[0], make_answer(*case[1:4])) for name, case in TRUTH.items()}
    return explain_all(system, {**dict(enumerate((c.profile, c.answer) for c in CASES)), **answers})


def test_there_are_enough_pairs_and_kinds(explained):
    assert (len(CASES), len(SPANISH), len(TRUTH)) >= (30, 20, 92)
    assert [sum(name == own for name, *_ in TRAIN) for own in SETS] == [EACH] * len(SETS)
    assert len({own.kind for case in explained.values() for own in case.statements}) >= 15


@pytest.mark.parametrize("place", range(len(CASES)), ids=lambda n: CASES[n].sent1[:40])
def test_the_answer_is_explained_as_reviewed(explained, place):
    assert CASES[place].text
    assert explained[place].text == CASES[place].text


@pytest.mark.slow
def test_spanish_pairs_are_explained_as_reviewed():
    assert explained_pairs(system("es"), SPANISH) == [text for *_, text in SPANISH]


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(
    not DATA.is_dir(), reason=f"the train data of SemEval-2016 Task 2 is not in {DATA}"
)
@pytest.mark.parametrize("name", SETS)
def test_pairs_of_the_train_sets_are_explained_as_reviewed(name):
    reviewed = {identifier: text for own, identifier, text in TRAIN if own == name}
    assert explained_set(system(name), name) == reviewed


@pytest.mark.parametrize("name", TRUTH)
def test_what_is_said_is_so(explained, name):
    said, unsaid = (words.split("|") if words else [] for words in TRUTH[name][4:])
    text = explained[name].text
    assert [words for words in said if words not in text] == [], text
    assert [words for words in unsaid if words in text] == [], text


@pytest.mark.parametrize("place", range(len(CASES)), ids=lambda n: CASES[n].sent1[:40])
def test_every_statement_is_traced_to_alignments_and_a_rule(explained, place):
    explanation = explained[place]
    assert explanation.statements
    for statement in explanation.statements:
        assert set(statement.alignments) <= set(explanation.answer.alignments)
        assert statement.alignments or statement.kind in ("nothing", "unmatched")
        assert statement.reason.name == f"say_{statement.kind}"
        assert statement.reason.file.startswith("lp_rules/explanation/")
        assert statement.text[-1] in ".!?"
    ranks = [statement.sentence for statement in explanation.statements]
    assert ranks == sorted(ranks)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(CASES)), ids=lambda n: CASES[n].sent1[:40])
def test_no_line_that_differs_is_left_out(explained, place):
    statements = (own for own in explained[place].statements if not own.kind.startswith("both"))
    told = {line for statement in statements for line in statement.alignments}
    paired = {line for line in CASES[place].answer.alignments if line.tokens1 and line.tokens2}
    assert {line for line in paired if line.label != "EQUI" or line.tags} <= told


@pytest.mark.slow
def test_found_and_given_chunks_are_explained_alike():
    headlines = system("headlines")
    sent1 = "[ 12 ] [ killed ] [ in bus accident ]"
    sent2 = "[ 10 ] [ killed ] [ in road accident ]"
    given = make_answer(sent1, sent2, "1-1 SIMI 3, 2-2 EQUI 5, 3-3 SIMI 4")
    found = headlines.solve(*(s.replace("[ ", "").replace(" ]", "") for s in (sent1, sent2)))
    assert found.chunks1 == given.chunks1
    assert [line.label for line in found.alignments] == [line.label for line in given.alignments]
    assert headlines.explain(found).text == headlines.explain(given).text


TEXT = "".join(
    file.read_text("utf-8") for file in sorted((rules_dir() / "explanation").glob("*.lp"))
)
TEMPLATES = load_templates("en")


def test_each_kind_of_statement_has_a_rule_and_a_text():
    tables = re.findall(r"^_clause_(?:of|order)\((.*?)\)\.", TEXT, re.MULTILINE | re.DOTALL)
    assert len(tables) == 2
    entries = [entry for table in tables for entry in re.findall(r"(\w+),\d+,\d+,(\w+)", table)]
    kinds, clauses = map(set, zip(*entries, strict=True))
    feedback = (rules_dir() / "feedback" / "statements.lp").read_text("utf-8")
    keys = {*TEMPLATES.statements, *TEMPLATES.clauses}
    others = {key for key in keys if re.search(rf"\b{key}\b", feedback)}
    others |= {key for key in TEMPLATES.clauses if key.startswith("more_")}
    assert kinds | {"more_differences"} == {*TEMPLATES.statements} - (others - kinds)
    assert clauses == {*TEMPLATES.clauses} - (others - clauses)
    assert {f"say_{kind}" for kind in kinds} <= set(re.findall(r"%@rule (\w+):", TEXT))


@pytest.mark.parametrize("profile", list_profiles())
def test_each_profile_can_explain(profile):
    assert load_program(profile, purpose=Purpose.EXPLANATION)[1].warnings == ()


NEVER = '%@rule never: "never"\n:- token(1,1,_).\n%@rule say_identical:'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("profiles/baseline.toml", r"(?s)\[explanation\].*", "", r"\[explanation\] is missing"),
        ("explanation/whole.lp", "%@rule say_identical:", "%@rule identical:", "say_identical"),
        ("explanation/whole.lp", "%@rule say_identical:", NEVER, "admit no answer set"),
    ],
)
def test_rules_that_cannot_explain_say_so(tmp_path, file, old, new, message):
    copy_rules(tmp_path / "mine")
    path = tmp_path / "mine" / file
    path.write_text(re.sub(old, new, path.read_text("utf-8"), count=1), "utf-8")
    with (
        load_shared("baseline", rules=[tmp_path / "mine"]) as mine,
        pytest.raises((RuleError, UnsatisfiableError), match=message) as caught,
    ):
        mine.explain(make_answer("[ a cat ]", "[ a cat ]", "1-1 EQUI 5"))
    assert "\n" not in str(caught.value)


PAIRS = (
    ("12 killed in bus accident", "10 killed in road accident"),
    ("a cat sits", "two cats sit"),
)


@pytest.fixture
def annotated(monkeypatch):
    """The numbers of sentences that are to be annotated, each time."""
    headlines = system("headlines")
    original, calls = headlines._tagged, []

    def annotate(sentences):
        if sentences:
            calls.append(len(sentences))
        return original(sentences)

    monkeypatch.setattr(headlines, "_tagged", annotate)
    return calls


@pytest.mark.slow
def test_an_answer_is_explained_with_the_annotation_that_it_has(annotated):
    headlines = system("headlines")
    answers = [headlines.solve(*pair) for pair in PAIRS]
    assert annotated == [2, 2]
    found = list(headlines.explain_many(answers))
    assert annotated == [2, 2]
    assert [one.answer for one in found] == answers
    assert [one.text for one in found] == [headlines.explain(answer).text for answer in answers]


@pytest.mark.slow
def test_given_answers_are_annotated_together(annotated):
    answers = [
        make_answer("[ Police ] [ stop ]", "[ Army ] [ stops ]", "2-2 EQUI 5"),
        make_answer("[ a cat ]", "[ a dog ]", "1-1 SIMI 2"),
    ]
    texts = [one.text for one in system("headlines").explain_many(answers)]
    assert annotated == [4]
    assert texts == [system("headlines").explain(answer).text for answer in answers]


def test_only_the_sentence_that_lacks_words_is_annotated(annotated):
    headlines = system("headlines")
    (pair,) = headlines.annotate([headlines.solve("a cat", "a dog").pair])
    bare = tuple(replace(token, words=()) for token in pair.sent2.tokens)
    half = replace(pair, sent2=replace(pair.sent2, tokens=bare))
    assert list(headlines.annotate([half])) == [pair]
    assert annotated == [2, 1]


@pytest.mark.slow
def test_an_explanation_is_kept_and_says_the_same(tmp_path):
    told = []
    for _ in range(2):
        with ists_asp.load("headlines", cache=tmp_path) as headlines:
            told.append([headlines.explain(headlines.solve(*pair)).to_dict() for pair in PAIRS])
            solver = headlines.program(Purpose.EXPLANATION).__dict__.get("solver")
    assert told[0] == told[1]
    assert solver is None
