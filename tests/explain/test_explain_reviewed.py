"""What is said about pairs is what somebody read, and what it says is so."""

import re
from functools import cached_property

import pytest

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

CASES = tuple(read_cases())
SPANISH = read_table("spanish.tsv")
TRAIN = read_table("train.tsv")
TRUTH = {name: rest for name, *rest in read_table("truth.tsv")}


class _Explained:
    def __init__(self, system):
        self._system = system

    @cached_property
    def cases(self):
        """The explanations of the cases, by their place."""
        return explain_all(self._system, dict(enumerate((c.profile, c.answer) for c in CASES)))

    @cached_property
    def truth(self):
        """The explanation of each class of falsehoods, by its name."""
        answers = {name: (case[0], make_answer(*case[1:4])) for name, case in TRUTH.items()}
        return explain_all(self._system, answers)


@pytest.fixture(scope="module")
def explained(system):
    return _Explained(system)


def test_there_are_enough_pairs():
    assert (len(CASES), len(SPANISH), len(TRUTH)) >= (30, 20, 92)
    assert [sum(name == own for name, *_ in TRAIN) for own in SETS] == [EACH] * len(SETS)


@pytest.mark.parametrize("place", range(len(CASES)), ids=lambda n: CASES[n].sent1[:40])
def test_the_answer_is_explained_as_reviewed(explained, place):
    assert CASES[place].text
    assert explained.cases[place].text == CASES[place].text


@pytest.mark.slow
def test_spanish_pairs_are_explained_as_reviewed(system):
    assert explained_pairs(system("es"), SPANISH) == [text for *_, text in SPANISH]


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(
    not DATA.is_dir(), reason=f"the train data of SemEval-2016 Task 2 is not in {DATA}"
)
@pytest.mark.parametrize("name", SETS)
def test_pairs_of_the_train_sets_are_explained_as_reviewed(system, name):
    reviewed = {identifier: text for own, identifier, text in TRAIN if own == name}
    assert explained_set(system(name), name) == reviewed


@pytest.mark.parametrize("name", TRUTH)
def test_what_is_said_is_so(explained, name):
    said, unsaid = (words.split("|") if words else [] for words in TRUTH[name][4:])
    text = explained.truth[name].text
    assert [words for words in said if words not in text] == [], text
    assert [words for words in unsaid if words in text] == [], text


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(CASES)), ids=lambda n: CASES[n].sent1[:40])
def test_every_statement_is_traced_to_alignments_and_a_rule(explained, place):
    explanation = explained.cases[place]
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
    told = {
        line
        for statement in explained.cases[place].statements
        for line in statement.alignments
        if not statement.kind.startswith("both")
    }
    differing = {
        line
        for line in CASES[place].answer.alignments
        if line.tokens1 and line.tokens2 and (line.label != "EQUI" or line.tags)
    }
    assert differing <= told


@pytest.mark.slow
def test_enough_kinds_are_covered(explained):
    assert len({one.kind for case in explained.cases.values() for one in case.statements}) >= 15


def test_the_example_of_the_task_end_to_end(system):
    headlines = system("headlines")
    answer = headlines.solve(
        "12 killed in bus accident in Pakistan", "10 killed in road accident in NW Pakistan"
    )
    text = headlines.explain(answer).text
    assert text.startswith("They differ in the number (“12 killed” against “10 killed”). ")
    assert "bus" in text
    assert "the second adds “road” and “NW”" in text
    assert headlines.warnings == ()


@pytest.mark.slow
def test_found_and_given_chunks_are_explained_alike(system):
    headlines = system("headlines")
    sent1 = "[ 12 ] [ killed ] [ in bus accident ]"
    sent2 = "[ 10 ] [ killed ] [ in road accident ]"
    given = make_answer(sent1, sent2, "1-1 SIMI 3, 2-2 EQUI 5, 3-3 SIMI 4")
    found = headlines.solve(*(s.replace("[ ", "").replace(" ]", "") for s in (sent1, sent2)))
    assert found.chunks1 == given.chunks1
    assert [line.label for line in found.alignments] == [line.label for line in given.alignments]
    assert headlines.explain(found).text == headlines.explain(given).text


def test_of_a_sentence_of_marks_only_the_other_is_told(system):
    text = system("default").explain(make_answer("[ ... ]", "[ A cat ] [ . ]", "")).text
    assert text == "Only the second says “a cat”."


def test_what_is_long_is_told_in_few_words(system):
    ones = ["Chile", "Peru", "Kenya", "Spain", "France", "Italy", "Japan", "China", "India"]
    others = ["Cuba", "Ghana", "Nepal", "Oman", "Qatar", "Sudan", "Togo", "Yemen", "Malta"]
    sent1, sent2 = (
        " ".join(f"[ near the old town of {name} ]" for name in names) for names in (ones, others)
    )
    lines = ", ".join(f"{i}-{i} SIMI 3" for i in range(1, 10))
    text = system("default").explain(make_answer(sent1, sent2, lines)).text
    assert re.search(r" and \w+ more differences?\.$", text, re.IGNORECASE), text
    assert len(text.split()) <= 60
