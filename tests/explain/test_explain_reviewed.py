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
from tests.explain import reviewed
from tests.explain.reviewed import DATA, EACH, SETS, make_answer, read_table
from tests.sharing import load_shared
from tests.sharing import shared_system as system

CASES = tuple(reviewed.read_cases())
SPANISH = read_table("spanish.tsv")
TRAIN = read_table("train.tsv")
TRUTH = {name: rest for name, *rest in read_table("truth.tsv")}


@pytest.fixture(scope="module")
def explained():
    """The explanations of the cases by their place, and of each class of falsehoods by its name."""
    answers = {name: (case[0], make_answer(*case[1:4])) for name, case in TRUTH.items()}
    return reviewed.explain_all(
        system, {**dict(enumerate((c.profile, c.answer) for c in CASES)), **answers}
    )


def test_there_are_enough_pairs_and_kinds(explained):
    assert (len(CASES), len(SPANISH), len(TRUTH)) >= (30, 20, 92)
    assert [sum(name == own for name, *_ in TRAIN) for own in SETS] == [EACH] * len(SETS)
    assert len({own.kind for case in explained.values() for own in case.statements}) >= 15


each_case = pytest.mark.parametrize("place", range(len(CASES)), ids=lambda n: CASES[n].sent1[:40])


@pytest.mark.slow
def test_spanish_pairs_are_explained_as_reviewed():
    assert reviewed.explained_pairs(system("es"), SPANISH) == [text for *_, text in SPANISH]


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(
    not DATA.is_dir(), reason=f"the train data of SemEval-2016 Task 2 is not in {DATA}"
)
@pytest.mark.parametrize("name", SETS)
def test_pairs_of_the_train_sets_are_explained_as_reviewed(name):
    texts = {identifier: text for own, identifier, text in TRAIN if own == name}
    assert reviewed.explained_set(system(name), name) == texts


@pytest.mark.parametrize("name", TRUTH)
def test_what_is_said_is_so(explained, name):
    said, unsaid = (words.split("|") if words else [] for words in TRUTH[name][4:])
    text = explained[name].text
    assert [words for words in said if words not in text] == [], text
    assert [words for words in unsaid if words in text] == [], text


@each_case
def test_the_answer_is_explained_as_reviewed_by_alignments_and_rules(explained, place):
    explanation = explained[place]
    assert explanation.text == CASES[place].text != ""
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
@each_case
def test_no_line_that_differs_is_left_out(explained, place):
    statements = (own for own in explained[place].statements if not own.kind.startswith("both"))
    told = {line for statement in statements for line in statement.alignments}
    paired = {line for line in CASES[place].answer.alignments if line.tokens1 and line.tokens2}
    assert {line for line in paired if line.label != "EQUI" or line.tags} <= told


@pytest.mark.slow
def test_found_and_given_chunks_are_explained_alike():
    headlines = system("headlines")
    chunked = "[ 12 ] [ killed ] [ in bus accident ]", "[ 10 ] [ killed ] [ in road accident ]"
    given = make_answer(*chunked, "1-1 SIMI 3, 2-2 EQUI 5, 3-3 SIMI 4")
    found = headlines.solve(*(re.sub(r"\[ | \]", "", side) for side in chunked))
    assert found.chunks1 == given.chunks1
    assert [line.label for line in found.alignments] == [line.label for line in given.alignments]
    assert headlines.explain(found).text == headlines.explain(given).text


def test_each_kind_of_statement_has_a_rule_and_a_text():
    text, feedback = (
        "".join(file.read_text("utf-8") for file in sorted((rules_dir() / folder).glob("*.lp")))
        for folder in ("explanation", "feedback")
    )
    tables = re.findall(r"^_clause_(?:of|order)\((.*?)\)\.", text, re.MULTILINE | re.DOTALL)
    assert len(tables) == 2
    entries = [entry for table in tables for entry in re.findall(r"(\w+),\d+,\d+,(\w+)", table)]
    kinds, clauses = map(set, zip(*entries, strict=True))
    templates = load_templates("en")
    for told, texts in (
        (kinds | {"more_differences"}, templates.statements),
        (clauses, templates.clauses),
    ):
        # Those of feedback, and what begins a count of what is left out.
        rest = {key for key in {*texts} - told if not re.search(rf"\b{key}\b", feedback)}
        assert told <= {*texts}
        assert all(key.startswith("more_") and told == clauses for key in rest)
    assert {f"say_{kind}" for kind in kinds} <= set(re.findall(r"%@rule (\w+):", text))


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
    refused = pytest.raises((RuleError, UnsatisfiableError), match=message)
    with load_shared("baseline", rules=[tmp_path / "mine"]) as mine, refused as caught:
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
def test_answers_are_annotated_once_and_together(annotated):
    headlines = system("headlines")
    solved = [headlines.solve(*pair) for pair in PAIRS]
    given = [
        make_answer("[ Police ] [ stop ]", "[ Army ] [ stops ]", "2-2 EQUI 5"),
        make_answer("[ a cat ]", "[ a dog ]", "1-1 SIMI 2"),
    ]
    for answers, calls in ((solved, [2, 2]), (given, [2, 2, 4])):
        found = list(headlines.explain_many(answers))
        assert annotated == calls
        assert [one.answer.alignments for one in found] == [one.alignments for one in answers]
        texts = [headlines.explain(answer).text for answer in answers]
        assert [one.text for one in found] == texts
        annotated[:] = calls
    annotated.clear()
    # Only the sentence that lacks words.
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
