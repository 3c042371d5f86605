"""Inputs and outputs of all kinds in parts: together they are what one process writes."""

import csv
import io
import json
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ists_asp.io.tables import Table
from ists_asp.pipeline.cluster import cut

PAIRS = [
    ("12 killed in bus accident", "10 killed in road accident"),
    ("A dog\nruns.", 'A "cat" sleeps.'),
    ("The bulb is on.", "The bulb is lit."),
    ("A dog\nruns.", "The dog is running."),
    ("Two men sit", "Three men sit down"),
]
ROWS = [{"one": 1, "sentence1": a, "sentence2": b} for a, b in PAIRS]


def parts(folder, ending):
    return [path.read_bytes() for path in sorted(Path(folder).glob(f"part-*{ending}"))]


def write(name, rows=ROWS):
    path = Path(name)
    if path.suffix == ".jsonl":
        rows = [{k: v for k, v in row.items() if k != "one" or at} for at, row in enumerate(rows)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=3)
    else:
        with path.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


@pytest.mark.slow
def test_a_csv_in_parts_which_those_of_another_run_keep(command, dask):
    write("pairs.csv")
    command("solve", "--table", "pairs.csv", "--format", "jsonl", "-o", "all.jsonl")
    dask("solve", "--table", "pairs.csv", "-o", "out")
    made = json.loads(Path("out/_manifest.json").read_text())
    assert [part["pairs"] for part in made["parts"]] == [2, 2, 1]
    told = dask("solve", "--table", "pairs.csv", "-o", "out", code=2, size=3)
    assert "parts of a run with another partition" in told.stderr
    assert b"".join(parts("out", ".jsonl")) == Path("all.jsonl").read_bytes()
    Path("mine").mkdir()
    Path("mine/thesis.tex").write_text("mine")
    told = dask("solve", "--table", "pairs.csv", "-o", "mine", code=2)
    assert "files that are not parts of ours" in told.stderr


@pytest.mark.slow
def test_parquet_and_csv_with_a_header_each(command, dask):
    for kind in ("parquet", "csv"):
        write(f"pairs.{kind}")
        command("sts", "--table", f"pairs.{kind}", "-o", f"all.{kind}")
        dask("sts", "--table", f"pairs.{kind}", "--format", kind, "-o", f"out.{kind}")
    assert pq.read_table("out.parquet").equals(pq.read_table("all.parquet"))
    assert len(parts("out.parquet", ".parquet")) == 3
    assert joined("out.csv") == Path("all.csv").read_bytes()


def joined(folder):
    """Parts with a header each as one file."""
    first, *others = parts(folder, ".csv")
    header = first.splitlines(keepends=True)[0]
    assert all(part.startswith(header) for part in others)
    return first + b"".join(part.removeprefix(header) for part in others)


@pytest.mark.slow
def test_files_of_sentences_and_traces(command, dask):
    lines = [(" ".join(a.split()), b) for a, b in PAIRS]
    for side, name in enumerate(("a.txt", "b.txt")):
        Path(name).write_text("".join(pair[side] + "\n" for pair in lines))
    given = ("--sent1", "a.txt", "--sent2", "b.txt")
    command("solve", *given, "-o", "all.wa", "--trace", "all.jsonl")
    dask("solve", *given, "--format", "wa", "-o", "out", "--trace", "traces")
    assert b"".join(parts("out", ".wa")) == Path("all.wa").read_bytes()
    assert b"".join(parts("traces", ".jsonl")) == Path("all.jsonl").read_bytes()
    Path("b.txt").write_text("one\n")
    told = dask("solve", *given, "--format", "wa", "-o", "other", code=1)
    assert "expected as many sentences in both files" in told.output


@pytest.mark.slow
def test_explanations_of_several_files_are_numbered_through(command, dask):
    write("a1.jsonl", ROWS[:3])
    write("a2.jsonl", ROWS[3:])
    write("all.jsonl")
    command("explain", "--table", "all.jsonl", "-o", "all.txt")
    dask("explain", "--table", "a?.jsonl", "-o", "out")
    assert b"".join(parts("out", ".txt")) == Path("all.txt").read_bytes()


@pytest.mark.slow
def test_a_faulty_row_and_a_pair_that_fails(dask):
    rows = [*ROWS, {"sentence1": "word " * 600, "sentence2": "long"}]
    write("pairs.jsonl", [*rows, {"sentence2": "alone"}])
    told = dask("sts", "--table", "pairs.jsonl", "-o", "out", code=1)
    assert "pairs.jsonl:7: no 'sentence1'" in told.output
    told = dask("sts", "--table", "pairs.jsonl", "-o", "out2", "--skip-bad", code=3)
    assert "no answer for 1 of 6 pairs: 6" in told.output
    assert parts("out2", ".txt")[2].splitlines()[1] == b"0.000"


@pytest.mark.slow
def test_memory_and_files_by_address(dask, tmp_path):
    write("pairs.jsonl")
    dask("sts", "--table", "pairs.jsonl", "-o", "out")
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/corpus/pairs.jsonl", Path("pairs.jsonl").read_bytes())
    cache = ("--cache", "memory://cache")
    dask("sts", "--table", "memory://corpus/pairs.jsonl", "-o", "memory://done", *cache)
    found = sorted(path for path in memory.ls("/done", detail=False) if "part-" in path)
    assert [memory.cat_file(path) for path in found] == parts("out", ".txt")
    assert memory.find("/cache")
    dask("sts", "--table", f"file://{tmp_path}/pairs.jsonl", "-o", f"file://{tmp_path}/out3")
    assert parts("out3", ".txt") == parts("out", ".txt")


@pytest.mark.slow
def test_feedback(command, dask):
    rows = [("a1", "The bulb is in a closed path."), ("a2", "no idea"), ("a3", "closed path")]
    with Path("answers.csv").open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["id", "answer", "reference"])
        writer.writerows((*row, "The bulb is in a closed path; it is on") for row in rows)
    command("feedback", "answers.csv", "-o", "all.csv")
    dask("feedback", "answers.csv", "-o", "out")
    assert joined("out") == Path("all.csv").read_bytes()
    assert "goes without" in dask("feedback", "answers.csv", "-o", "x", "--group", code=2).output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--table", "pairs.xlsx", "-o", "out"), "cannot be cut into parts"),
        (("--table", "pairs.csv.gz", "-o", "out"), "cannot be cut into parts"),
        (("--table", "none.csv", "-o", "out"), "there is no such file"),
        (("--table", "pairs.csv"), "--engine dask writes a folder"),
        (("--table", "pairs.csv", "--format", "xlsx", "-o", "out"), "cannot be written in parts"),
        (("a dog", "a cat", "-o", "out"), "--engine dask is for files of pairs"),
        (("--table", "odd://pairs.csv", "-o", "out"), "no such address"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(dask, arguments, told):
    write("pairs.csv")
    found = dask("solve", *arguments, code=2).output
    assert told in found
    assert not Path("out").exists()


def test_an_address_needs_the_engine(command):
    assert (
        "an address, which --engine dask can write"
        in command(*("solve", "a dog", "a cat", "-o", "memory://out"), code=2).output
    )


QUOTED = 'a,b\n"one\ntwo",x\n1" long,y\nthree,"y\n"\n\nfour,é\n\n\n'


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_rows_are_cut_where_the_reader_ends_them(tmp_path, mark):
    path = tmp_path / "rows.csv"
    path.write_text(mark + QUOTED)
    table = Table(path, header=True)
    cuts, lines, _ = cut([str(path)], "csv", 1, table.part(io.BytesIO(), "rows.csv"))
    text = path.read_bytes()
    shown = [text[slice(*span)].decode() for part in cuts for span in part.bounds]
    # Quotation marks inside a cell are that row's fault.
    expected = ['a,b\n"one\ntwo",x\n', '1" long,y\n', 'three,"y\n"\n', "\nfour,é\n", "\n\n"]
    assert shown == [mark + expected[0], *expected[1:]]
    assert [part.before for part in cuts] == [0, 3, 4, 6, 8]
    assert lines == 10


@pytest.mark.slow
def test_what_is_not_ours_stays_in_the_folder(dask):
    write("pairs.csv")
    dask("solve", "--table", "pairs.csv", "-o", "out")
    for name in ("probe_results.csv", "_records/probed", ".ists-asp-mine.part"):
        Path("out", name).write_text("mine")
    Path("out/part-00001.jsonl").unlink()
    Path("out/part-00001.jsonl").mkdir()
    assert "this is a folder" in dask("solve", "--table", "pairs.csv", "-o", "out", code=2).output
    Path("out/part-00001.jsonl").rmdir()
    dask("solve", "--table", "pairs.csv", "-o", "out")
    assert len(parts("out", ".jsonl")) == 3
    for name in ("probe_results.csv", "_records/probed", ".ists-asp-mine.part"):
        assert Path("out", name).read_text() == "mine"


def test_a_line_that_is_no_object_is_told_of(dask):
    write("pairs.jsonl")
    with Path("pairs.jsonl").open("a") as stream:
        stream.write("null\n")
    told = dask("solve", "--table", "pairs.jsonl", "-o", "out", code=1).output
    assert "JSON that is not an object" in told
