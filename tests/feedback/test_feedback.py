"""Verdicts, what is said of an answer, points, groups: the real rules on small examples."""

import pytest

from ists_asp.explain import load_templates
from ists_asp.explain.feedback import Attempt, Submission, groups
from ists_asp.rules import Purpose
from tests.sharing import shared_system


def judged(answers, profile="answers-students", language="en", question="Why?"):
    """The feedback on answers, each with its references."""
    submissions = [
        Submission(str(number), question, answer, references)
        for number, (answer, *references) in enumerate(answers, 1)
    ]
    submissions = [Submission(o.id, o.question, o.answer, tuple(o.references)) for o in submissions]
    system = shared_system(profile)
    return list(system.judge_many(submissions, load_templates(language)))


def why(system, submission):
    """The reasons for the verdict on an answer, and for those on its points."""
    traces = system.trace_verdicts(submission, load_templates("en"))
    return "\n".join(trace.why("verdict(_)").text() for trace in traces)


PLAIN = [
    ("there is a closed path", "There is a closed path", "correct", "all_said"),
    ("bulbs a and c are wired within the same closed path", "A and C are in the same path",
     "correct", "nothing_missing"),
    ("i dont know", "There is a short circuit", "no_answer", "ignorance"),
    ("", "There is a short circuit", "no_answer", "nothing_said"),
    ("there is no closed path", "There is a closed path", "contradictory", "denied"),
    ("the terminals are in the same state", "the terminals are in different states",
     "contradictory", "opposite_said"),
]  # fmt: skip


@pytest.mark.slow
def test_plain_rules_decide_by_themselves():
    found = judged([(answer, reference) for answer, reference, _, _ in PLAIN])
    assert [(one.verdict, one.rule) for one in found] == [tuple(case[2:]) for case in PLAIN]


@pytest.mark.slow
def test_what_is_said_stands_in_both_texts():
    one, two, three = judged(
        [
            ("there is a gap", "There is a gap in the circuit"),
            ("the terminals are in the same state", "the terminals are in different states"),
            ("idk", "There is a gap"),
        ]
    )
    assert one.columns["right"] == ("“a gap”",)
    assert one.columns["missing"] == ("“in the circuit”",)
    assert "“in the circuit”" in one.text or "“there is a gap in the circuit”" in one.text
    assert two.columns["contradicts"] == ("you say “same”, but the model answer says “different”",)
    assert two.text.startswith("You say “same”, but the model answer says “different”.")
    assert three.text == "You do not answer the question; the model answer says “there is a gap”."
    for each in (one, two, three):
        assert each.text.count(". ") <= 1


@pytest.mark.slow
def test_words_of_the_question_are_neither_right_nor_missing():
    answer = ("it is broken", "The red bulb is broken")
    (asked,) = judged([answer], question="What happened to the red bulb?")
    (unasked,) = judged([answer])
    assert asked.columns["missing"] == ()
    assert unasked.columns["missing"] == ("“the red bulb”",)


@pytest.mark.slow
def test_nothing_is_called_shared_where_only_one_denies_it():
    (one,) = judged(
        [("bulb a is contained in a closed path with the battery",
          "Switch Y and bulb A are not in the same closed path")]
    )  # fmt: skip
    assert one.columns["right"] == ()


def test_the_best_of_several_references_counts():
    (one,) = judged([("there is a gap", "The battery is empty", "There is a gap")])
    assert (one.reference, one.verdict) == ("There is a gap", "correct")
    assert one.rating == 5


def test_points_are_found_or_not():
    reference = "A plant needs water; it needs light\nit needs air"
    attempt = Attempt(Submission("1", "", "A plant needs water", (reference,)), reference)
    assert attempt.points == ["A plant needs water", "it needs light", "it needs air"]
    (one,) = judged([("A plant needs water", reference)], "default")
    assert (one.found, len(one.parts), one.verdict) == (1, 3, "incomplete")
    assert one.columns["right"] == ("“A plant needs water”",)
    assert one.columns["missing"] == ("“it needs light”", "“it needs air”")
    assert one.text.startswith("Of the 3 points of the model answer, your answer probably has 1.")


@pytest.mark.slow
def test_groups_have_the_same_links():
    reference = "There is a gap in the path"
    found = judged(
        [("there is a gap", reference), ("idk", reference), ("There is a gap", reference)]
    )
    assert groups(found) == [1, 2, 1]
    assert groups([*found, None])[-1] is None


def test_spanish():
    one, two, three = judged(
        [
            ("La planta necesita agua", "La planta necesita agua"),
            ("no lo sé", "La planta necesita agua"),
            ("La planta no necesita agua", "La planta necesita agua"),
        ],
        "es",
        "es",
    )
    assert (one.verdict, one.text) == ("correct", "Dices lo que dice la respuesta modelo.")
    assert two.verdict == "no_answer"
    assert three.verdict == "contradictory"
    assert "no necesita" in three.text


@pytest.mark.slow
def test_why_names_the_rules():
    system = shared_system("answers-students")
    one = Submission("1", "Why?", "there is no closed path", ("There is a closed path",))
    told = why(system, one)
    assert "[denied lp_rules/feedback/plain.lp:" in told
    two = Submission("2", "Why?", "it was in an open circuit", ("There are no closed paths",))
    told = why(system, two)
    assert "[verdict_is_weighed asp/judge.lp:" in told


@pytest.mark.parametrize("language", ["en", "es"])
def test_templates_have_a_text_for_each_kind(language):
    templates = load_templates(language)
    for kind in ("right", "reworded", "missing", "extra", "contradicts", "agreed", "compare"):
        assert kind in templates.statements


@pytest.mark.slow
def test_rules_decide_what_points_come_to_and_why_names_them():
    reference = "A plant needs water; it needs light"
    cases = {"A plant needs water": "points_are_left", "i dont know": "no_point_answered"}
    cases["A plant needs water and it needs light"] = "every_point_found"
    found = judged([(answer, reference) for answer in cases], "default")
    assert [one.rule for one in found] == list(cases.values())
    assert [one.verdict for one in found] == ["incomplete", "no_answer", "correct"]
    assert [one.sure for one in found] == [min(part.sure for part in one.parts) for one in found]
    system = shared_system("default")
    told = why(system, Submission("1", "Why?", "A plant needs water", (reference,)))
    assert "[points_are_left lp_rules/feedback/points.lp:" in told
    # That of the whole, and one for each point.
    assert told.count("[verdict(") == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "reference", "column", "quotation"),
    [
        ("the bulb is in a closed path but the battery is not", "the battery is in an open path",
         "contradicts", "you say “closed”, but the model answer says “open”"),
        ("all of the bulbs are in different paths", "Bulb B is in a separate path",
         "right", "“the bulbs are in … paths”"),
        ("bulb a is contained in a path, and b and c are in one too",
         "there is a path containing A and a different path containing B and C",
         "right", "“is contained”"),
    ],
)  # fmt: skip
def test_what_only_looks_shared_or_opposed_is_not_quoted(answer, reference, column, quotation):
    (one,) = judged([(answer, reference)])
    assert quotation not in one.columns[column]


@pytest.mark.slow
@pytest.mark.parametrize("reference", ["there is an open path", "the battery is in an open path"])
def test_a_short_answer_is_no_contradiction_by_a_word_alone(reference):
    (one,) = judged([("because the circuit is open", reference)])
    assert one.verdict != "contradictory"
    (other,) = judged([("because the circuit is not open", "the path is open")])
    assert other.verdict == "contradictory"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "reference", "told"),
    [
        ("The resistance doesn't change", "The resistance changes",
         "you say “doesn't change”, but the model answer says “changes”"),
        ("The resistance doesnt change", "The resistance changes",
         "you say “doesnt change”, but the model answer says “changes”"),
        # No statement tells these: the subjects, which the question names, are others.
        ("the switch doesnt light", "in the circuit the bulb lights",
         "you say “the switch doesnt light”, but the model answer says "
         "“in the circuit the bulb lights”"),
    ],
)  # fmt: skip
def test_a_plain_contradiction_names_what_contradicts(answer, reference, told):
    question = "What does the switch do to the bulb in the circuit?"
    (one,) = judged([(answer, reference)], "default", question=question)
    assert (one.verdict, one.rule) == ("contradictory", "denied")
    assert one.columns["contradicts"] == (told,)
    assert one.text.startswith(told.replace("you", "You", 1))
    assert "“light”" not in one.columns["right"]


def test_many_answers_are_decided_together():
    assert shared_system("answers-students").program(Purpose.FEEDBACK).solver._batches is not None


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["default", "answers-students"])
def test_what_adds_nothing_and_opposes_nothing_is_no_contradiction(profile):
    long = "The bulb does not light because the circuit is open and no current flows through it"
    found = judged(
        [
            ("Because no current flows through the bulb; the circuit is broken", long),
            ("The circuit is open", long),
            ("yes", "yes, it is lit"),
        ],
        profile,
    )
    assert "contradictory" not in {one.verdict for one in found}
