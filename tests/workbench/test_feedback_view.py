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
TABLE = f"""id,question,answer,reference,note
a,Why did bulb A go out?,there is a gap in the path,There is a gap in the path,-1
b,Why did bulb A go out?,{HOSTILE},There is a gap in the path,
c,What is the capital of Australia?,Sydney,Canberra,
d,What is the capital of Australia?,Canberra,Canberra,
e,What is the capital of Australia?,Canberra,?,
"""


def mark(verdict, answer="a — \x00\n"):
    return Mark(question="q", answer=answer, references=["r"], verdict=verdict)


def test_a_mark_lasts_and_a_faulty_line_is_told_and_left(tmp_path):
    told = []
    project = Project(tmp_path / "p", warn=told.append)
    marks, path = Marks(project), tmp_path / "p" / "feedback.jsonl"
    for new in (mark("correct"), mark("incomplete"), mark("irrelevant", "b")):
        marks.put(new)
    assert [row.verdict for row in Marks(project).read()] == ["incomplete", "irrelevant"]
    marks.put(mark(None))
    assert [row.answer for row in marks.read()] == ["b"]
    good, _ = path.read_bytes().splitlines()[-2:]
    odd = [good.replace(b"irrelevant", verdict) for verdict in (b"fine", b"correct\\n", b"\\ud800")]
    odd += [good.replace(b'"r"', b""), b"\xff", b"[" * 9999, good[:30]]
    path.write_bytes(b"\n".join([good, *odd]))
    for verdict in ("irrelevant", "correct"):
        for _ in "ab":
            assert [(row.answer, row.verdict) for row in marks.read()] == [("b", verdict)]
        marks.put(mark("correct", "b"))
    assert {line.split(":")[1] for line in told} == set("2345678")
    path.write_bytes(b"{}\n" * 10_001)
    with pytest.raises(DataError, match=r"feedback\.jsonl: more than 10000 lines that are no"):
        marks.read()
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DataError, match="this is a link"):
        marks.put(mark("correct"))


@pytest.mark.browser
def test_a_table_is_read_or_refused_in_one_line(page):
    def post(name, data):
        options = {"headers": {"content-type": "application/octet-stream"}, "data": data}
        return page.request.post("/project/feedback/table", params={"name": name}, **options)

    for text in (TABLE, TABLE.replace(",", "\t")):
        read = post("t.csv", text.encode("utf-16")).json()
        assert read["roles"] == {"question": 1, "answer": 2, "reference": 3, "id": 0}
        assert (len(read["rows"]), read["rows"][3][2]) == (5, "Canberra")
        assert read["added"] == [*COLUMNS, "corrected"]
    many = b"a\n" + b"b\n" * 5001
    faulty = [b"", b"id,answer\n", b"a,b\n1\n", b"a\n\xff\n", b'"', many]
    for name, data in [("t.doc", b"x"), ("t.xlsx", b"PK\x03"), *(("t.csv", one) for one in faulty)]:
        refused = post(name, data)
        assert (refused.status in (400, 422), "\n" in refused.json()["error"]) == (True, False)


def judge(page, table):
    page.goto("/feedback")
    page.click("#paste summary")
    page.fill("#text", table)
    page.click("#pasted button")
    page.click("#start")


@pytest.mark.browser
def test_work_is_cancelled_and_what_is_judged_stays(page, expect):
    judged = [[{"verdict": "correct", "feedback": "Yes.", "sure": 90, "check": ""}] * 10]
    # The second request waits for ever.
    page.route("**/api/feedback?*", lambda route: judged and route.fulfill(json=judged.pop()))
    judge(page, "id,answer,reference\n" + "a,b,c\n" * 25)
    expect(page.locator("#doing")).to_have_text("10 of 25 answers judged")
    page.click("#cancel")
    expect(page.locator("#message")).to_have_text("Cancelled.")
    expect(page.locator("#total")).to_have_text("10 answers: 10 correct")


@pytest.mark.browser
@pytest.mark.slow
def test_answers_are_judged_corrected_and_exported(page, served, expect):
    rows, path = page.locator(".answers tbody tr"), served.folder / "feedback.jsonl"
    for before in ("", "contradictory"):
        judge(page, TABLE)
        expect(page.locator("#export")).to_be_visible()
        expect(rows.filter(has_text=HOSTILE)).to_have_count(1)
        expect(rows.filter(has_text="no model answer")).to_contain_text("check")
        choice = page.get_by_label("Your verdict on answer c")
        expect(choice).to_have_value(before)
        choice.select_option("contradictory")
        if not before:
            expect(page.locator("#message")).to_have_text("Answer c is contradictory.")
    assert json.loads(path.read_text("utf-8"))["answer"] == "Sydney"
    with page.expect_download() as download:
        page.click("#export")
    lines = list(csv.DictReader(io.StringIO(download.value.path().read_text("utf-8"))))
    assert [line["corrected"] for line in lines] == ["", "", "contradictory", "", ""]
    assert (lines[1]["answer"], lines[3]["verdict"]) == (f"'{HOSTILE}", "correct")
    choice.select_option("")
    expect(page.locator("#message")).to_have_text("Answer c is as judged again.")
    assert json.loads(path.read_bytes().splitlines()[-1])["verdict"] is None
