"""Corrections and marks: what they are about, that they are answers, whoever wrote the log."""

import csv
import io
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.answers import check_answer
from ists_asp.compare.comparison import read_answered
from ists_asp.errors import DataError, IstsError, UsageError
from ists_asp.evaluate.wa_check import check_file
from ists_asp.explain.feedback import COLUMNS
from ists_asp.io.formats import answer_record, read_record
from ists_asp.io.wa import given_answer, read_wa, write_pair
from ists_asp.model import Alignment, Answer, Chunk, Label, Scheme, Tag
from ists_asp.workbench.corrections import Action, Corrections, act
from ists_asp.workbench.feedback import Mark, Marks
from ists_asp.workbench.project import Project
from tests.sharing import cases, make_pair, refused

TOKENS = st.lists(st.integers(1, 6), max_size=4)
ACTIONS = st.builds(
    Action,
    id=st.just("1"),
    do=st.sampled_from(["accept", "join", "join", "part", "label", "score", "tag"]),
    tokens1=TOKENS,
    tokens2=TOKENS,
    label=st.none() | st.sampled_from(Label),
    score=st.none() | st.floats(1, 5) | st.sampled_from([4.99999, 4.999949, 1.00001, 5.0]),
    tag=st.none() | st.sampled_from(Tag),
    several=st.booleans(),
)
CHUNKS = [Chunk(1, 1), Chunk(2, 3), Chunk(4, 4), Chunk(5, 5)]
ODD = st.sampled_from(
    [None, -1, 0, 9, 4.99999, 5, "x", [], [[1, 5]], [[1, 9]], [9], [2, 1], {}, "EQUI"]
)
LINE = Alignment((1,), (1,), Label.SIMI, 3.0)


def start():
    """Five tokens a side in four chunks, nothing of them aligned."""
    pair = make_pair("a b <==> // e", ": 0 c d &")
    pair = pair.with_chunks(tuple(CHUNKS), tuple(CHUNKS))
    answer = Answer(pair, tuple(CHUNKS), tuple(CHUNKS), (), (), optimal=True)
    return act(answer, Action(id="1", do="accept"))


def accepted(answer, scheme, path):
    """Whether ``check`` accepts what is written of an answer, which reads as it was written."""
    path.write_text(write_pair(answer.pair, answer.alignments), "utf-8")
    assert check_file(path, scheme).faults == ()
    (again,) = read_wa(path)
    assert {(line.tokens1, line.tokens2, line.label) for line in again.to_alignments()} == {
        (line.tokens1, line.tokens2, line.label) for line in answer.alignments
    }
    assert not any("on no line" in note or "EQUI" in note for note in check_file(path).notes)


@given(scheme=st.sampled_from(Scheme), actions=st.lists(ACTIONS, min_size=1, max_size=12))
def test_whatever_people_do_check_accepts(scheme, actions, tmp_path_factory):
    answer = start()
    for action in actions:
        try:
            answer = check_answer(act(answer, action), scheme)
        except IstsError:
            continue
        # As it is in the log.
        record = json.loads(json.dumps(answer_record(answer)))
        assert read_record(record, scheme).alignments == answer.alignments
    accepted(answer, scheme, tmp_path_factory.getbasetemp() / "acted.wa")


@given(
    scheme=st.sampled_from(Scheme),
    top=st.dictionaries(st.sampled_from(["chunks1", "tokens2", "sent1", "rating", "cost"]), ODD),
    line=st.dictionaries(st.sampled_from(["tokens1", "tokens2", "label", "score", "tags"]), ODD),
)
def test_a_record_that_was_edited_by_hand_is_an_answer_or_refused(
    scheme, top, line, tmp_path_factory
):
    joined = Action(id="1", do="join", tokens1=[1], tokens2=[2, 3])
    record = json.loads(json.dumps(answer_record(act(start(), joined))))
    record["alignments"][0] |= line
    try:
        answer = read_record(record | top, scheme)
    except DataError:
        return
    if answer.alignments:
        accepted(answer, scheme, tmp_path_factory.getbasetemp() / "edited.wa")


@cases(
    "change | words",
    *(
        ({"score": score}, "a score of SIMI is out of range")
        for score in (float("nan"), float("inf"), 4.99999, 5.0)
    ),
    ({"label": Label.EQUI}, "a score of EQUI is out of range"),
    *(({"tokens1": places}, "is not made of chunks") for places in ((9,), (2,), (1, 1), ())),
    ({"tokens1": (1, 4)}, "several chunks"),
    ({"label": Label.NOALI, "score": None}, "NOALI is odd"),
)
def test_an_answer_is_judged_alike_whoever_gives_it(change, words):
    record = answer_record(start())
    lines = [line for line in record["alignments"] if 1 not in (*line["tokens1"], *line["tokens2"])]
    line = {"tokens1": (1,), "tokens2": (1,), "label": Label.SIMI, "score": 3.0} | change
    refused(DataError, words, read_record, record | {"alignments": [line, *lines]}, Scheme.Y2015)
    with pytest.raises(DataError, match="on two lines"):
        read_record(record | {"alignments": record["alignments"] * 2})
    refused(DataError, "neither aligned", read_record, record | {"alignments": lines})
    for odd in ({"id": None}, {"cost": ["x"]}, {"optimal": "x"}):
        refused(DataError, "this is not an answer", read_record, record | odd)


def test_gold_has_tokens_that_exist_and_scores_on_the_scale():
    pair = make_pair("a", "b")
    for line in (Alignment((1, 2), (1,), Label.SIMI, 3.0), Alignment((1,), (1,), Label.SIMI, 9.0)):
        refused(DataError, "pair 1", given_answer, pair, [line])
    assert check_answer(given_answer(pair, [LINE])).alignments == (LINE,)


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "p", "baseline")


def accept(project, name, corpus="t.csv"):
    """Accept that nothing in a pair of a corpus is aligned."""
    pair = next(pair for pair in project.corpus(corpus).pairs if pair.id == name)
    nothing = act(given_answer(pair, []), Action(id=name, do="accept"))
    Corrections(project).change(corpus, name, lambda now: now or nothing, f"accept {name}")


def corrected(project):
    """The sentences of the pairs that are corrected, and of those that are not there, by ids."""
    both = Corrections(project).mended("t.csv")
    return [{name: one.pair.sent1.text for name, one in some.items()} for some in both]


def test_a_correction_stays_with_what_its_pair_says(project):
    table = project.root / "corpora" / "t.csv"
    rows = ["a  dog sleeps,a cat", "a bird,a fish", "a bird,a fish", "a car,a bus"]

    def write(*rows):
        table.write_text("\n".join(["sentence1,sentence2", *rows]) + "\n")

    write(*rows)
    for name in ("2", "4"):
        accept(project, name)
    assert corrected(project) == [{"2": "a dog sleeps", "4": "a bird"}, {}]
    write("new,row", *rows)
    assert corrected(project) == [{"3": "a dog sleeps", "5": "a bird"}, {}]
    accept(project, "3")
    wa = project.root / "corrections" / "t.csv.wa"
    assert [one.id for one in read_wa(wa)] == ["3", "5"]
    # The pair is gone, and another one has its number.
    write(rows[1], rows[2], rows[3])
    accept(project, "2")
    assert corrected(project) == [{"2": "a bird", "3": "a bird"}, {"3-2": "a dog sleeps"}]
    assert [one.id for one in read_wa(wa)] == ["2", "3", "3-2"]
    assert Corrections(project).step("t.csv", back=True)["action"] == "accept 2"
    write(*rows)
    assert corrected(project) == [{"2": "a dog sleeps", "4": "a bird"}, {}]
    assert check_file(wa).correct


def test_what_is_no_correction_in_the_log_is_told_once_and_left(tmp_path):
    told = []
    project = Project(tmp_path / "p", "baseline", told.append)
    (project.root / "corpora" / "t.csv").write_text("sentence1,sentence2\na dog,a cat\n")
    accept(project, "2")
    log = project.root / "corrections" / ".log.jsonl"
    record = json.loads(log.read_bytes())
    record["alignments"][0] |= {"tokens2": [1], "label": "SIMI", "score": 9}
    odd = [{**record, "chunks1": [[1, 1]]}, record, {**record, "tokens1": ["a b", "c"]}]
    log.write_text("".join(json.dumps(one) + "\n" for one in odd) + log.read_text() + "{")
    for _ in "ab":
        assert corrected(project) == [{"2": "a dog"}, {}]
    assert [line.split(":")[1] for line in told] == ["1", "2", "3", "5"]


def mended(project, corpus="headlines"):
    return [list(some) for some in Corrections(project).mended(corpus)]


def test_the_log_holds_over_a_restart_and_a_line_that_was_cut_off(project):
    folder = project.root / "corrections"
    log, wa = folder / ".log.jsonl", folder / "headlines.wa"
    for name in "21":
        accept(project, name, "headlines")
    whole = log.read_bytes()
    log.write_bytes(whole + whole[:70])
    wa.write_text("")
    accept(project, "3", "headlines")
    assert mended(project) == [["1", "2", "3"], []]
    assert [one.id for one in read_wa(wa)] == ["1", "2", "3"]
    assert list(read_answered(folder / "headlines.jsonl")) == ["1", "2", "3"]
    for name, left in (("3", ["1", "2"]), ("1", ["2"]), ("2", [])):
        action = {"id": name, "action": f"accept {name}"}
        assert Corrections(project).step("headlines", back=True) == action
        assert [one.id for one in read_wa(wa)] == left if left else not wa.exists()
    assert json.loads(log.read_bytes().splitlines()[-1])["action"] == "undo"
    with pytest.raises(UsageError, match="there is nothing to undo"):
        Corrections(project).step("headlines", back=True)
    assert mended(project) == [[], []]
    for name in "21":
        assert Corrections(project).step("headlines", back=False)["id"] == name
    assert mended(project) == [["1", "2"], []]
    accept(project, "4", "headlines")
    with pytest.raises(UsageError, match="there is nothing to redo"):
        Corrections(project).step("headlines", back=False)


def test_a_corpus_may_be_called_log(project):
    (project.root / "corpora" / "images").rename(project.root / "corpora" / "log")
    for corpus in ("headlines", "log"):
        accept(project, "1", corpus)
        assert mended(project, corpus) == [["1"], []]


def test_a_spoilt_line_of_the_log_harms_no_other_and_nothing_is_written_through_a_link(project):
    folder, victim = project.root / "corrections", project.root / "victim"
    folder.mkdir()
    (folder / ".log.jsonl").write_bytes(b'{"corpus":"headlines","action":"x"}\n\xff\n[]\n')
    accept(project, "1", "headlines")
    assert mended(project) == [["1"], []]
    victim.write_text("mine")
    (folder / "headlines.wa").unlink()
    (folder / "headlines.wa").symlink_to(victim)
    refused(DataError, "this is a link", accept, project, "1", "headlines")
    assert victim.read_text() == "mine"


def test_a_faulty_pair_of_the_second_annotator_is_told_and_left(tmp_path):
    told, second = [], tmp_path / "second"
    second.mkdir()
    project = Project(tmp_path / "p", "baseline", told.append, second=second)
    rows = "".join(f"{number},a dog {number},a cat\n" for number in range(1, 5))
    (project.root / "corpora" / "t.csv").write_text(f"id,sentence1,sentence2\n{rows}")
    right, odd = (
        "1 <==> 1 // SIMI // 3",
        {"1": "4 <==> 1 // SIMI // 3", "3": "1 <==> 1 // SIMI // 9"},
    )
    pairs = {pair.id: write_pair(pair, [LINE]) for pair in project.corpus("t.csv").pairs}
    theirs = (text.replace(right, odd.get(name, right)) for name, text in pairs.items())
    (second / "t.csv.wa").write_text("".join(theirs))
    for _ in "ab":
        assert list(Corrections(project).second("t.csv")) == ["2", "4"]
    assert [line.split(": ")[0] for line in told] == ["t.csv.wa:50", "t.csv.wa"]
    assert told[1].startswith("t.csv.wa: pair 1: token 4 of sentence 1, which has 3 tokens")


def test_a_log_takes_no_more_than_its_length(project):
    (project.root / "corpora" / "t.csv").write_text("sentence1,sentence2\na dog,a cat\n")
    accept(project, "2")
    log = project.root / "corrections" / ".log.jsonl"
    whole, undo = json.loads(log.read_bytes()), {"corpus": "t.csv", "action": "undo", "id": "x"}
    whole |= {"pair": None, "tokens1": None}
    odd = ({**whole, "sent1": f"a dog{n}"} for n in range(10_000))
    log.write_text("".join(json.dumps(line) + "\n" for line in (*odd, *[undo] * 10_000)))
    began = time.process_time()
    assert Corrections(project).counts() == {"t.csv": 10_000}
    assert len(Corrections(project).mended("t.csv")[1]) == 10_000
    assert time.process_time() - began < 6


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
    refused(DataError, r"feedback\.jsonl: more than 10000 lines that are no", marks.read)
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    refused(DataError, "this is a link", marks.put, mark("correct"))


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
        if not before:
            choice.select_option("contradictory")
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
