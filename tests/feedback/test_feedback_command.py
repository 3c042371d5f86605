"""The command over tables: columns, references, marks, and what is refused."""

import csv
import io
import pickle

import pytest

from ists_asp.errors import AnswerError, DataError
from ists_asp.evaluate.ratings import suggest_marks

ROWS = """id,question,answer,reference,teacher
1,Why?,there is a gap,There is a gap in the path,Ann
2,Why?,i dont know,There is a gap in the path,=Bob
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.slow
def test_columns_of_the_user_come_first_and_unchanged(good, table, tmp_path):
    good("feedback", table, "-q", "--group", "-o", tmp_path / "out.csv")
    text = (tmp_path / "out.csv").read_text("utf-8")
    assert text.splitlines()[0] == (
        "id,question,answer,reference,teacher,best_reference,rating,verdict,right,missing,"
        "contradicts,extra,feedback,sure,check,group"
    )
    one, two = rows_of(text)
    assert (one["teacher"], two["teacher"]) == ("Ann", "=Bob")
    assert two["verdict"] == "no_answer"
    assert one["right"] == "“a gap”"


@pytest.mark.slow
def test_references_of_another_table(good, tmp_path):
    answers, key = tmp_path / "answers.csv", tmp_path / "key.csv"
    answers.write_text("Q,text\nWhy?,there is a gap\n", encoding="utf-8")
    key.write_text("Q,solution\nWhy?,It rains\nWhy?,There is a gap\n", encoding="utf-8")
    names = ("--question-col", "Q", "--answer-col", "text", "--reference-col", "solution")
    (row,) = rows_of(good("feedback", answers, "-q", "--references", key, *names))
    assert (row["best_reference"], row["verdict"]) == ("There is a gap", "correct")


@pytest.mark.slow
def test_a_quiz_and_one_text_are_references_of_wide_reports(good, run, tmp_path):
    answers, quiz = tmp_path / "answers.csv", tmp_path / "quiz.gift"
    answers.write_text("Alumno,Respuesta 1,Respuesta 2\nAna,there is a gap,-\nPromedio,1,\n")
    quiz.write_text("Why? {=There is a gap}\n\nWhen? {=It rains}\n")
    result = run("feedback", answers, "--reader", "none", "-q", "--references", quiz)
    one, two = rows_of(result.stdout)
    assert (one["Alumno"], one["id"], one["verdict"]) == ("Ana", "2.1", "correct")
    assert (two["best_reference"], two["verdict"]) == ("It rains", "no_answer")
    assert "row 3 has averages (Promedio); left out" in result.stderr
    options = ("-q", "--answer-col", "2", "--references", "There is a gap")
    (one,) = rows_of(good("feedback", answers, "--reader", "none", *options))
    assert (one["best_reference"], one["verdict"]) == ("There is a gap", "correct")


@pytest.mark.slow
def test_why(good, table):
    assert "[ignorance lp_rules/feedback/plain.lp:" in good("feedback", table, "--why", "2")


def test_why_of_an_unknown_id_lists_some(bad, table):
    assert "there is no answer 'S5'; expected 1, 2" in bad(2, "feedback", table, "--why", "S5")


@pytest.mark.parametrize("title", ["Student", "Name", "Nr", "alumno", "Código"])
def test_students_are_ids_where_there_is_no_other(run, tmp_path, title):
    path = tmp_path / "answers.csv"
    path.write_text(f"{title},answer,reference\nS1,a gap,a gap\nS2,b,c\n", encoding="utf-8")
    told = run("feedback", path, "--why", "S5").stderr
    assert f"answers.csv: {title} is the id" in told
    assert "expected S1, S2" in told


def test_a_student_of_several_answers_is_no_id(bad, tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("Student,answer,reference\nS1,a gap,a gap\nS1,b,c\n", encoding="utf-8")
    assert "expected 2, 3" in bad(2, "feedback", path, "--why", "S5")


@pytest.mark.parametrize(
    ("text", "options", "told"),
    [
        ("question,answer\nWhy?,a gap\n", (), "no column is called reference"),
        ("answer,reference\na gap,\n", (), "no model answer"),
        ("answer,reference\na gap,;\n", (), "no model answer"),
        (ROWS, ("--marks-col", "teacher"), "'Ann' is not a mark"),
        (ROWS, ("--marks-col", "nothing"), "there is no column 'nothing'"),
        (ROWS, ("--why", "9"), "there is no answer '9'"),
        (ROWS.replace("2,Why", "1,Why"), (), "the id 1 again"),
    ],
)
def test_faults_are_told_in_a_line(run, tmp_path, text, options, told):
    path = tmp_path / "answers.csv"
    path.write_text(text, encoding="utf-8")
    result = run("feedback", path, *options)
    assert result.exit_code in (1, 2)
    assert told in result.stderr
    assert "Traceback" not in result.stderr


def test_each_faulty_row_is_told_or_skipped(run, tmp_path):
    path = tmp_path / "answers.csv"
    bad = ["nan", "inf", "-inf", "1e308", "-1e999", "x"]
    rows = [f"{n},Q,a gap,a gap,{mark}\n" for n, mark in enumerate(bad)]
    rows += [f"8,Q,{'long ' * 501},a gap,1\n", "9,Q,a gap\n", "10,Q,,a gap,1\n"]
    path.write_text("id,question,answer,reference,points\n" + "".join(rows), encoding="utf-8")
    told = run("feedback", path, "--marks-col", "points").stderr.splitlines()
    places = [line.partition("answers.csv")[2].partition(": ")[0] for line in told]
    assert places == [*(f":{n}, column points" for n in range(2, 8)), ":8, column answer", ":9"]
    skipped = run("feedback", path, "--skip-bad", "--why", "none")
    assert skipped.stderr.count("; left out") == 2
    assert "there is no answer 'none'; expected 0, 1, 2, 3, 4, 5, 10" in skipped.stderr


def test_fewer_than_ten_marks_are_refused(run, tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(ROWS.replace(",Ann", ",3").replace(",=Bob", ",0"), encoding="utf-8")
    result = run("feedback", path, "-q", "--marks-col", "teacher")
    assert result.exit_code == 1
    assert "2 answers have a mark; expected 10 or more" in result.stderr


def test_marks_are_suggested_by_leaving_one_out():
    features = [[float(number % 2)] for number in range(24)]
    marks = [2.0 if number % 2 else 1.0 for number in range(20)] + [None] * 4
    scale = suggest_marks(features, marks)
    assert scale.suggested[20:] == (1.0, 2.0, 1.0, 2.0)
    assert (scale.kappa, scale.error, scale.marked) == (1.0, 0.0, 20)
    marks[0] = 2.0
    scale = suggest_marks(features, marks)
    # The mark itself does not count for its own suggestion.
    assert scale.suggested[0] == 1.0
    assert scale.error == pytest.approx(1 / 20)
    assert 0 < scale.kappa < 1
    with pytest.raises(DataError, match="9 answers have a mark"):
        suggest_marks(features, [1.0] * 9 + [None] * 15)


def test_the_help_says_first_what_it_is_not(good):
    lines = good("feedback", "--help").split("\n")
    text = next(line for line in lines[1:] if line.strip())
    assert "not a mark" in text


@pytest.mark.slow
def test_marks_that_agree_too_little_are_not_suggested(run, tmp_path):
    path = tmp_path / "answers.csv"
    rows = [f"{n},Why?,there is a gap,There is a gap,{n % 3}\n" for n in range(12)]
    path.write_text("id,question,answer,reference,points\n" + "".join(rows), encoding="utf-8")
    result = run("feedback", path, "--marks-col", "points")
    assert "no marks are suggested: they agree too little with yours" in result.stderr
    assert "suggested" not in result.stdout.splitlines()[0]
    assert "all answers: 12 correct; 0 to check" in result.stderr


@pytest.mark.slow
def test_answers_without_a_question_count_once(run, tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("id,answer,reference\n1,there is a gap,There is a gap\n", encoding="utf-8")
    assert "all answers: 1 correct; 0 to check" in run("feedback", path).stderr


@pytest.mark.slow
def test_an_answer_in_another_language_is_left_to_the_teacher(run, tmp_path):
    path = tmp_path / "answers.csv"
    answer = "los glóbulos rojos llevan el oxígeno a los tejidos"
    path.write_text(f"id,answer,reference\n1,{answer},They carry oxygen\n", encoding="utf-8")
    result = run("feedback", path)
    assert "answers.csv:2: this looks like Spanish; expected English" in result.stderr
    (row,) = rows_of(result.stdout)
    assert (row["verdict"], row["feedback"], row["check"]) == ("", "", "yes")


@pytest.mark.slow
def test_an_answer_without_a_word_is_none(run, tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("id,answer,reference\n1,?,It needs a battery\n2,...,no\n", encoding="utf-8")
    result = run("feedback", path, "-q")
    assert [row["verdict"] for row in rows_of(result.stdout)] == ["no_answer"] * 2
    assert result.stderr == ""


def test_an_error_about_an_answer_can_be_sent_by_a_worker():
    error = AnswerError("x", [], "one")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.expected, again.atoms) == (str(error), "one", ())
