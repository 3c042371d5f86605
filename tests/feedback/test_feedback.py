"""Verdicts, texts, points and groups: the real rules on small examples, and the command."""

import csv
import io
import pickle
from pathlib import Path

import pytest

from ists_asp.errors import AnswerError, DataError
from ists_asp.evaluate.ratings import suggest_marks
from ists_asp.explain import load_templates
from ists_asp.explain.feedback import Submission, groups, plain_text
from ists_asp.resources import data_dir, rules_dir
from ists_asp.rules import Purpose, find_rules, load_rules
from tests.sharing import cases, refused, rows, shared_system

CASES = Path(__file__).parents[3] / "shared" / "cases" / "feedback"
GAP = "There is a gap in the path"
STARTS = {
    "correct": ("Correct", "Probably correct"),
    "contradictory": ("Not yet", "This does not seem right yet"),
    "irrelevant": ("Not yet", "This does not seem right yet"),
    "incomplete": (
        "Right so far",
        "Part of it is right so far",
        "Still missing",
        "This does not seem complete yet",
    ),
    "no_answer": ("You have not answered yet",),
}
POINTS = "A plant needs water; it needs light\nit needs air"
MORE = [
    ("", "A plant needs water", POINTS),
    ("Why?", "there is a gap", "The battery is empty", "There is a gap"),
    *(("Why?", text, GAP) for text in (f"{GAP}.", "idk", GAP)),
]
ROWS = """id,question,answer,reference,teacher
1,Why?,there is a gap,There is a gap in the path,Ann
2,Why?,i dont know,There is a gap in the path,=Bob
"""
WIDE = "Alumno,Respuesta 1,Respuesta 2\nAna,there is a gap,-\nPromedio,1,\n"


def judged(given, profile="default", language="en"):
    """The feedback on questions and answers, each with its model answers."""
    submissions = [
        Submission(str(number), question, answer, references)
        for number, (question, answer, *references) in enumerate(given, 1)
    ]
    return list(shared_system(profile).judge_many(submissions, load_templates(language)))


RULES = """
all_said correct | Why? | there is a gap in the path | There is a gap in the path
nothing_missing correct | What is the capital? | i think it is ottawa | Ottawa
fact_said correct | Who was it? | Washington | George Washington
alternative_said correct | What can you use? | a thermometer | A thermometer or a barometer
same_yes_or_no correct | Is it flat? | no | No, it is a round planet
all_turned_round correct | Which is larger?
    The earth is smaller than the sun | The sun is larger than the earth
other_number_said contradictory | When did it end? | In 1939 | In 1945
other_unit_said contradictory | How high is it? | 8,849 km | 8,849 m
number_cut contradictory | How fast is light? | 300 km/s | 300 000 km/s
other_fact_said contradictory | What is the capital? | Toronto | Ottawa
other_yes_or_no contradictory | Is it flat? | Yes it is | No, it is round.
other_growth contradictory | How fast is it? | O(n) | O(log n)
member_exchanged contradictory | Which colours? | red, yellow and blue | Red, green and blue
roles_exchanged contradictory | Who won? | The duke beat the king | The king beat the duke
denied contradictory | What does DNA do?
    It doesnt store genetic information | It stores genetic information
denied_in_part contradictory | What does DNA do?
    It stores genetic information, but not in bacteria | It stores genetic information
opposite_said contradictory | Where does the sun rise? | in the west | in the east
points_are_exchanged contradictory | What do blood vessels do?
    Veins carry blood away and arteries carry it to the heart
    Veins carry blood to the heart; arteries carry it away
part_of_list_said incomplete | What does it need? | water | Water and light
no_number_said irrelevant | At what temperature does it boil? | when you heat it | 100 °C
question_repeated irrelevant | Why do leaves look green?
    leaves look green | Chlorophyll reflects that light
vague_is_irrelevant irrelevant | What does it need? | everything | Water and light
ignorance no_answer | What does DNA do? | I don"t know | It stores information
only_sounds no_answer | What does DNA do? | uh-huh | It stores information
nothing_said no_answer | What does DNA do? | :( | It stores information
"""
"""The rule that decides, its verdict, and what it decides."""
TEXTS = """
When? | in 1453 | The fort fell in 1454.
    Not yet. You say “1453”, but the model answer says “1454”.
What is the formula of water? | HO2 | H2O
    Not yet. You say “HO2”, but the model answer says “H2O”.
What do red blood cells do? | they carry oxygen
    Red blood cells carry oxygen from the lungs to the tissues.
    Right so far: “carry oxygen”. Still missing: “from the lungs to the tissues”.
What is the capital? | otawa | Ottawa | Correct: you say what the model answer says.
"""
RULES, TEXTS = rows(RULES), rows(TEXTS)


@pytest.fixture(scope="module")
def told():
    """The feedback on all of these: many together take a fraction of the time."""
    return judged([*(row[1:] for row in RULES), *(row[:3] for row in TEXTS), *MORE])


@pytest.mark.parametrize("place", range(len(RULES)), ids=lambda place: RULES[place][0])
def test_a_rule_decides_by_itself_in_a_short_text(told, place):
    feedback, (rule, verdict) = told[place], RULES[place][0].split()
    plain = [atom for atom in feedback.judged.shown.atoms if atom.startswith("plain(")]
    assert (feedback.verdict, rule in {str(atom.arguments[0]) for atom in plain}) == (verdict, True)
    assert feedback.text.startswith(STARTS[verdict]), feedback.text
    assert feedback.text.count(". ") <= 2
    least, most = {"correct": (2.5, 5), "incomplete": (1.25, 3.75)}.get(verdict, (0, 2.5))
    assert least <= feedback.rating <= most
    assert 0 < feedback.sure <= 100
    assert feedback.cell("check") == ("yes" if feedback.sure < 80 else "")


def test_texts(told):
    assert [feedback.text for feedback in told[len(RULES) :][: len(TEXTS)]] == [
        text for *_, text in TEXTS
    ]


def test_points_are_missing_the_best_reference_counts_and_groups_have_the_same_points(told):
    points, best, *same = told[-len(MORE) :]
    assert (points.verdict, points.cell("points")) == ("incomplete", "1 of 3")
    assert points.columns["missing"] == "“light”; “air”"
    assert (best.reference, best.verdict, best.rating) == ("There is a gap", "correct", 5)
    assert groups([*same, None]) == [1, 2, 1, None]


@pytest.mark.slow
def test_spanish():
    model = "La planta necesita agua"
    said, unsaid, denied = judged(
        [("", text, model) for text in (model, "no lo sé", "La planta no necesita agua")],
        "es",
        "es",
    )
    assert said.text == "Correcto: dices lo que dice la respuesta modelo."
    # A hint would give a short fact away.
    assert unsaid.text == "Aún no has respondido."
    assert denied.verdict == "contradictory"
    assert "«la planta no necesita agua»" in denied.text


@cases(
    "text | plain",
    ("<p>in&nbsp;1945</p>", "in 1945"),
    ("H<sub>2</sub>O", "H2O"),
    ("CH₄", "CH4"),
    ("a &lt; b<br>c", "a < b\nc"),
    ("x < y & z", "x < y & z"),
    ("the <p> tag", "the <p> tag"),
    ("The mal\u00advada\u200b bruja", "The malvada bruja"),
    ("itâ€™s a cafÃ© Â«barÂ»", "it’s a café «bar»"),
    ("SÃO PAULO, CAFÉ»", "SÃO PAULO, CAFÉ»"),
    ("5\u202f000 â", "5 000 â"),
    ('it doesn"t and won´t, can?t, isn‚t', "it doesn't and won't, can't, isn't"),
    ("don\x92t, don’’t, don ’ t, no\u200d", "don’t, don't, don't, no"),
    ('the 5" screen says "no"', 'the 5" screen says "no"'),
)
def test_texts_of_learning_platforms_are_read_as_text(text, plain):
    assert plain_text(text) == plain


@pytest.mark.parametrize(("model", "answer"), [("It adds", ""), ("=SUM(A1:A3)", "=SUM(A1:A3)")])
def test_a_formula_is_an_answer_only_where_the_model_answer_is_one(model, answer):
    assert Submission("1", "", "=SUM(A1:A3)", (model,)).beside(model) == (answer, model)


@pytest.mark.slow
def test_why_names_the_rule_of_the_machine_where_verdicts_are_weighed():
    (feedback,) = judged([("Why?", "it is a broken wire", GAP)])
    trace = shared_system("default").trace_verdict(feedback, load_templates("en"))
    assert "[verdict_is_weighed asp/judge.lp:" in trace.why("verdict(_)").text()


def test_many_answers_are_decided_together():
    assert shared_system("default").program(Purpose.FEEDBACK).solver._batches is not None


def test_each_rule_has_an_example():
    for source in find_rules(rules_dir() / "feedback", "feedback"):
        for rule in load_rules([source]).rules:
            assert rule.examples or not rule.sentence, f"{rule.file}: {rule.name}"


@pytest.fixture
def feedback(run, tmp_path):
    """Run the command on a table: the exit code, the rows of the output, and what is said."""

    def feedback(text, *options):
        (tmp_path / "answers.csv").write_text(text, encoding="utf-8")
        result = run("feedback", "answers.csv", *options)
        return result.exit_code, list(csv.DictReader(io.StringIO(result.stdout))), result.stderr

    return feedback


@pytest.mark.slow
def test_columns_of_the_user_come_first_and_unchanged_and_why_names_the_rule(
    feedback, good, tmp_path
):
    assert feedback(ROWS, "-q", "--group", "-o", "out.csv") == (0, [], "")
    told = good("feedback", "answers.csv", "--why", "2")
    assert "[ignorance lp_rules/feedback/plain.lp:" in told
    head, *_ = lines = (tmp_path / "out.csv").read_text("utf-8").splitlines()
    assert head == (
        "id,question,answer,reference,teacher,best_reference,rating,verdict,right,missing,"
        "contradicts,extra,feedback,sure,check,group"
    )
    one, two = csv.DictReader(lines)
    assert (one["teacher"], one["right"]) == ("Ann", "“a gap”")
    assert (two["teacher"], two["verdict"]) == ("=Bob", "no_answer")


@pytest.mark.slow
def test_references_are_another_table_a_quiz_or_one_text(feedback, tmp_path):
    (tmp_path / "key.csv").write_text("Q,solution\nWhy?,It rains\nWhy?,There is a gap\n")
    (tmp_path / "quiz.gift").write_text("Why? {=There is a gap =}\n\nWhen? {=It rains}\n")
    names = ("--question-col", "Q", "--answer-col", "text", "--reference-col", "solution")
    gap, rain = ("There is a gap", "correct"), ("It rains", "no_answer")
    for text, options, expected in (
        ("Q,text\nWhy?,there is a gap\n", ("key.csv", *names), [gap]),
        (WIDE, ("quiz.gift",), [gap, rain]),
        (WIDE, ("There is a gap", "--answer-col", "2"), [gap]),
    ):
        code, found, said = feedback(text, "--reader", "none", "-q", "--references", *options)
        assert [(row["best_reference"], row["verdict"]) for row in found] == expected, said
        assert ("one question is read" in said) == ("--answer-col" in options and text == WIDE)
        if options == ("quiz.gift",):
            assert (code, found[0]["Alumno"], found[0]["id"]) == (0, "Ana", "2.1")
            assert "row 3 has averages (Promedio); left out" in said


@cases(
    "text | options | told",
    ("question,answer\nWhy?,a gap\n", (), "no column is called reference"),
    ("answer,reference\na gap,\n", (), "no model answer"),
    ("answer,reference\na gap,;\n", (), "no model answer"),
    (ROWS, ("--marks-col", "teacher"), "column teacher: found 'Ann'"),
    (ROWS, ("--marks-col", "nothing"), "there is no column 'nothing'"),
    (ROWS, ("--why", "S5"), "there is no answer 'S5'; expected 1, 2"),
    (ROWS.replace("2,Why", "1,Why"), (), "the id 1 again"),
    # A student of several answers is no id.
    ("Student,answer,reference\nS1,a gap,a gap\nS1,b,c\n", ("--why", "S5"), "expected 2, 3"),
)
def test_faults_are_told_in_a_line(feedback, text, options, told):
    code, found, said = feedback(text, *options)
    assert (code in (1, 2), found) == (True, [])
    assert told in said


@pytest.mark.parametrize("title", ["Student", "Name", "Nr", "alumno", "Código"])
def test_students_are_ids_where_there_is_no_other(feedback, title):
    text = f"{title},answer,reference\nS1,a gap,a gap\nS2,b,c\n"
    code, _, said = feedback(text, "--why", "S5")
    assert (code, f"answers.csv: {title} is the id" in said) == (2, True)
    assert "expected S1, S2" in said


def test_each_faulty_row_is_told_or_skipped(feedback):
    marks = ["nan", "inf", "-inf", "1e308", "-1e999", "x"]
    lines = [f"{n},Q,a gap,a gap,{mark}\n" for n, mark in enumerate(marks)]
    lines += [f"8,Q,{'long ' * 501},a gap,1\n", "9,Q,a gap\n", "10,Q,,a gap,1\n"]
    text = "id,question,answer,reference,points\n" + "".join(lines)
    told = feedback(text, "--marks-col", "points")[2].splitlines()
    places = [line.partition("answers.csv")[2].partition(": ")[0] for line in told]
    assert places == [*(f":{n}, column points" for n in range(2, 8)), ":8, column answer", ":9"]
    _, _, skipped = feedback(text, "--skip-bad", "--why", "none")
    assert skipped.count("; left out") == 2
    assert "there is no answer 'none'; expected 0, 1, 2, 3, 4, 5, 10" in skipped


def test_marks_are_suggested_by_leaving_one_out():
    features = [[float(number % 2)] for number in range(24)]
    marks = [2.0 if number % 2 else 1.0 for number in range(20)] + [None] * 4
    scale = suggest_marks(features, marks)
    assert scale.suggested[20:] == (1.0, 2.0, 1.0, 2.0)
    assert (scale.kappa, scale.error, scale.marked) == (1.0, 0.0, 20)
    marks[0] = 2.0
    scale = suggest_marks(features, marks)
    # The mark itself does not count for its own suggestion.
    assert (scale.suggested[0], scale.error) == (1.0, pytest.approx(1 / 20))
    assert 0 < scale.kappa < 1
    refused(DataError, "9 answers have a mark", suggest_marks, features, [1.0] * 9 + [None] * 15)


@pytest.mark.slow
def test_marks_that_are_few_or_agree_too_little_are_not_suggested(feedback):
    head = "id,question,answer,reference,points\n"
    lines = [f"{n},Why?,there is a gap,There is a gap,{n % 3}\n" for n in range(12)]
    code, found, said = feedback(head + "".join(lines), "--marks-col", "points")
    assert (code, len(found), "suggested" in found[0]) == (0, 12, False)
    assert "no marks are suggested: they agree too little with yours" in said
    assert "12 answers: 12 correct; 0 to check" in said
    code, _, said = feedback(head + "".join(lines[:9]), "-q", "--marks-col", "points")
    assert (code, "9 answers have a mark; expected 10 or more" in said) == (1, True)


def test_the_help_says_first_what_it_is_not(good):
    lines = good("feedback", "--help").split("\n")
    assert "not a mark" in next(line for line in lines[1:] if line.strip())


@pytest.mark.slow
def test_answers_without_a_question_a_word_or_of_another_language(feedback):
    """What is in another language is left to the teacher."""
    spanish = "los glóbulos rojos llevan el oxígeno a los tejidos"
    text = (
        "id,answer,reference\n1,there is\0a gap,There is a gap\n2,?,It needs a battery\n3,...,no\n"
        "x,,\n"
    )
    code, found, said = feedback(f"{text}4,{spanish},They carry oxygen\n")
    verdicts = [row["verdict"] for row in found]
    assert (code, verdicts) == (0, ["correct", "no_answer", "no_answer", "", ""])
    assert "answers.csv:2: control character U+0000; read as a space" in said
    assert "answers.csv:5: no question and no answer; left out" in said
    assert (found[-1]["feedback"], found[-1]["check"]) == ("", "yes")
    assert "answers.csv:6: this looks like Spanish; expected English" in said
    assert "4 answers: 2 no_answer, 1 correct, 1 without a verdict; 1 to check\n" in said
    text = f"id,answer,reference\n4,{spanish},They carry oxygen\n"
    for check, counts in ("error", (1, 0, 1)), ("warn", (0, 1, 1)), ("off", (0, 1, 0)):
        code, found, said = feedback(text, "--language-check", check)
        judged = sum(bool(row["verdict"]) for row in found)
        assert (code, judged, said.count("looks like Spanish")) == counts


def test_an_error_about_an_answer_can_be_sent_by_a_worker():
    error = AnswerError("x", [], "one")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.expected, again.atoms) == (str(error), "one", ())


def _read(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


# The table, and the least share of right verdicts: the weights have seen the first, not the second.
TABLES = {
    data_dir() / "feedback" / "ten-subjects.csv": 0.85,
    Path(__file__).with_name("classes.csv"): 0.9,
}


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.stem)
def test_answers_have_the_verdict_of_a_teacher(table, language):
    rows = [row for row in _read(table) if row["language"] == language]
    profile = {"en": "default", "es": "es"}[language]
    given = [(row["question"], row["answer"], row["reference"]) for row in rows]
    verdicts = [feedback.verdict for feedback in judged(given, profile, language)]
    pairs = [(row["teacher"], verdict) for row, verdict in zip(rows, verdicts, strict=True)]
    assert sum(teacher == verdict for teacher, verdict in pairs) >= TABLES[table] * len(rows)
    wrong = ("contradictory", "irrelevant", "no_answer")
    assert sum(teacher in wrong and verdict == "correct" for teacher, verdict in pairs) <= (
        0.02 * len(rows)
    )
    assert pairs.count(("correct", "contradictory")) <= 0.02 * len(rows)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "es"])
def test_another_word_in_the_place_of_the_model_s_is_seldom_called_correct(language):
    table = _read(Path(__file__).with_name("replaced.csv"))
    rows = [row for row in table if row["language"] == language]
    profile = {"en": "default", "es": "es"}[language]
    given = [(row["question"], row["answer"], row["reference"]) for row in rows]
    verdicts = [feedback.verdict for feedback in judged(given, profile, language)]
    pairs = [(row["right"], verdict) for row, verdict in zip(rows, verdicts, strict=True)]
    wrong = [verdict for right, verdict in pairs if right == "no"]
    assert wrong.count("correct") <= {"en": 0.1, "es": 0.2}[language] * len(wrong)
    assert pairs.count(("yes", "correct")) >= 0.6 * (len(pairs) - len(wrong))
    assert ("yes", "contradictory") not in pairs


@pytest.mark.slow
@pytest.mark.skipif(not CASES.is_dir(), reason=f"the reported cases are not in {CASES}")
@pytest.mark.parametrize("name", ["facts", "probes"])
def test_reported_answers_have_the_verdict_of_a_teacher(name):
    rows = _read(CASES / f"{name}.csv")
    found = judged([(row["question"], row["answer"], row["reference"]) for row in rows])
    pairs = [(row["teacher"], feedback.verdict) for row, feedback in zip(rows, found, strict=True)]
    assert sum(teacher == verdict for teacher, verdict in pairs) >= 0.9 * len(rows)
    assert ("contradictory", "correct") not in pairs
    assert ("correct", "contradictory") not in pairs
