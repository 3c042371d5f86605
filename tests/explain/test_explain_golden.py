"""What is said about given alignments; ``pairs.txt`` was read through pair by pair.

After a change of wording, ``golden.write_texts`` writes the file anew, to be read again.
"""

import pytest

from tests.explain.golden import explain_all, make_answer, read_cases

CASES = read_cases()


@pytest.fixture(scope="module")
def explained(system):
    """The explanation of each case, by its place."""
    cases = {place: (case.profile, case.answer) for place, case in enumerate(CASES)}
    return explain_all(system, cases)


@pytest.mark.parametrize("place", range(len(CASES)), ids=lambda n: CASES[n].sent1[:40])
def test_the_answer_is_explained_as_reviewed(explained, place):
    assert CASES[place].text
    assert explained[place].text == CASES[place].text


@pytest.mark.slow
def test_all_profiles_and_enough_kinds_are_covered(system):
    kinds = {
        statement.kind
        for case in CASES
        for statement in system(case.profile).explain(case.answer).statements
    }
    assert len(CASES) > 20
    assert len(kinds) > 20


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.sent1[:40])
def test_every_statement_is_traced_to_alignments_and_a_rule(system, case):
    explanation = system(case.profile).explain(case.answer)
    assert explanation.statements
    for statement in explanation.statements:
        assert set(statement.alignments) <= set(case.answer.alignments)
        assert statement.alignments or statement.kind in ("nothing", "unmatched")
        assert statement.reason.name == f"say_{statement.kind}"
        assert statement.reason.file.startswith("lp_rules/explanation/")
        assert statement.text[-1] in ".!?"
    assert [s.sentence for s in explanation.statements] == sorted(
        s.sentence for s in explanation.statements
    )


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.sent1[:40])
def test_no_line_that_differs_is_left_out(system, case):
    told = {
        line
        for statement in system(case.profile).explain(case.answer).statements
        for line in statement.alignments
        if not statement.kind.startswith(("both", "also"))
    }
    differing = {
        line
        for line in case.answer.alignments
        if line.tokens1 and line.tokens2 and (line.label != "EQUI" or line.tags)
    }
    assert differing <= told


def test_the_example_of_the_task_end_to_end(system):
    headlines = system("headlines")
    answer = headlines.solve(
        "12 killed in bus accident in Pakistan", "10 killed in road accident in NW Pakistan"
    )
    text = headlines.explain(answer).text
    assert text.startswith("Both are about people killed in an accident in Pakistan. ")
    assert "the number killed (12 against 10)" in text
    assert "bus accident" in text
    assert "road accident" in text
    assert "the second is more specific about the place: NW Pakistan" in text
    assert headlines.warnings == ()


def test_found_and_given_chunks_are_explained_alike(system):
    headlines = system("headlines")
    sent1 = "[ 12 ] [ killed ] [ in bus accident ]"
    sent2 = "[ 10 ] [ killed ] [ in road accident ]"
    given = make_answer(sent1, sent2, "1-1 SIMI 3, 2-2 EQUI 5, 3-3 SIMI 4")
    plain = [sent.replace("[ ", "").replace(" ]", "") for sent in (sent1, sent2)]
    found = headlines.solve(*plain)
    assert found.chunks1 == given.chunks1
    assert [line.label for line in found.alignments] == [line.label for line in given.alignments]
    assert headlines.explain(found).text == headlines.explain(given).text


def test_a_taken_counterpart_is_neither_the_same_nor_only_there(system):
    answer = make_answer("[ a cat ] [ a cat ]", "[ a cat ]", "1-1 EQUI 5")
    from dataclasses import replace

    from ists_asp.model import Label

    lines = tuple(
        line if line.tokens2 else replace(line, label=Label.ALIC) for line in answer.alignments
    )
    text = system("default").explain(replace(answer, alignments=lines)).text
    assert text == "Both are about a cat."
