"""The view of feedback: a table is read, judged, corrected, and exported."""

import csv
import io
import json

import pytest

from ists_asp.errors import DataError
from ists_asp.explain.feedback import COLUMNS
from ists_asp.workbench.feedback import Mark, Marks
from ists_asp.workbench.project import Project

HOSTILE = "=1+1 <img src=x onerror=alert(1)>"
TABLE = f"""nr,question,answer,reference,note
a,Why did bulb A go out?,there is a gap in the path,There is a gap in the path,-1
b,Why did bulb A go out?,{HOSTILE},There is a gap in the path,
c,What is the capital of Australia?,Sydney,Canberra,
d,What is the capital of Australia?,Canberra,Canberra,
e,What is the capital of Australia?,Canberra,?,
"""


@pytest.fixture
def marks(tmp_path):
    return Marks(Project(tmp_path / "p"))


def mark(verdict, answer="a — \x00\n"):
    return Mark(question="q", answer=answer, references=["r"], verdict=verdict)


def test_a_mark_is_changed_removed_and_there_after_a_restart(marks, tmp_path):
    for verdict in ("correct", "incomplete"):
        marks.put(mark(verdict))
    marks.put(mark("irrelevant", "b"))
    again = Marks(Project(tmp_path / "p"))
    assert [one.verdict for one in again.read().values()] == ["incomplete", "irrelevant"]
    again.put(mark(None))
    assert [one.answer for one in marks.read().values()] == ["b"]


def test_a_faulty_line_and_a_link_are_not_written_over(marks, tmp_path):
    path = tmp_path / "p" / "feedback.jsonl"
    path.write_text(mark("correct").model_dump_json() + "\n{\n", "utf-8")
    with pytest.raises(DataError, match=r"feedback\.jsonl:2: this is not a corrected verdict"):
        marks.put(mark("correct"))
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DataError, match="this is a link"):
        marks.put(mark("correct"))
    assert not (tmp_path / "elsewhere").exists()


def workbook(text):
    from openpyxl import Workbook

    book, stream = Workbook(), io.BytesIO()
    for row in csv.reader(io.StringIO(text)):
        book.active.append([None if cell.startswith("=") else cell for cell in row])
    book.save(stream)
    return stream.getvalue()


def post(page, name, data):
    options = {"params": {"name": name}, "headers": {"content-type": "application/octet-stream"}}
    return page.request.post("/project/feedback/table", data=data, **options)


@pytest.mark.browser
def test_a_table_is_read_whatever_kind_it_is(page):
    tabs = TABLE.replace(",", "\t").encode("utf-16")
    for name, data in (("t.csv", TABLE.encode()), ("t.csv", tabs), ("t.xlsx", workbook(TABLE))):
        read = post(page, name, data).json()
        assert read["roles"] == {"question": 1, "answer": 2, "reference": 3, "id": 0}
        assert (len(read["rows"]), read["rows"][3][2]) == (5, "Canberra")
        assert read["added"] == [*COLUMNS, "corrected"]


@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "data"),
    [
        *(("t.csv", text) for text in (b"", b"id,answer\n", b"a,b\n1\n", b"a\n\xff\n")),
        *(("t.doc", b"x"), ("t.xlsx", b"PK\x03\x04"), ("t.csv", b"a\n" + b"b\n" * 5001)),
    ],
)
def test_a_faulty_table_is_refused_in_one_line(page, name, data):
    answer = post(page, name, data)
    assert answer.status in (400, 422)
    assert "\n" not in answer.json()["error"]


@pytest.mark.browser
@pytest.mark.slow
def test_answers_are_judged_corrected_and_exported(page, served, expect):
    def judge():
        page.goto("/feedback")
        page.click("#paste summary")
        page.fill("#text", TABLE)
        page.click("#pasted button")
        expect(page.locator("#answer")).to_have_value("2")
        page.select_option("#id", "0")
        page.click("#start")
        expect(page.locator("#export")).to_be_visible()

    judge()
    rows, path = page.locator(".answers tbody tr"), served.folder / "feedback.jsonl"
    expect(page.locator("#questions h2")).to_have_count(3)
    assert page.locator(".check td:nth-child(1)").all_inner_texts()[-1] == "e"
    expect(rows.filter(has_text=HOSTILE)).to_have_count(1)
    expect(rows.filter(has_text="no model answer")).to_contain_text("check")
    expect(page.locator("#total")).to_contain_text("without a verdict")
    page.get_by_label("Your verdict on answer c").select_option("contradictory")
    expect(page.locator("#message")).to_have_text("Answer c is contradictory.")
    (line,) = path.read_text("utf-8").splitlines()
    assert json.loads(line)["answer"] == "Sydney"
    judge()
    choice = page.get_by_label("Your verdict on answer c")
    expect(choice).to_have_value("contradictory")
    with page.expect_download() as download:
        page.click("#export")
    lines = list(csv.DictReader(download.value.path().open(encoding="utf-8", newline="")))
    assert [one["corrected"] for one in lines] == ["", "", "contradictory", "", ""]
    assert lines[1]["answer"] == f"'{HOSTILE}"
    assert lines[3]["verdict"] == "correct"
    choice.select_option("")
    expect(page.locator("#message")).to_have_text("Answer c is as judged again.")
    assert path.read_text("utf-8") == ""
