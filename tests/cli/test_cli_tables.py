"""Tables in and tables out, as people who have them would type it; options from a file."""

import csv
import gzip
import json

import openpyxl
import pytest

ROWS = [
    ["Code", "Question", "Answer", "Reference", "Note"],
    ["k1", "Why?", "The bulb isn't on, I think.", "The bulb is off.", '=HYPERLINK("x")'],
    ["k2", "Why?", '=HYPERLINK("http://x")', "The switch is open.", "-5"],
]
BAD = [*ROWS, ["k3", "Why?", "", "The bulb is off.", "c"], ["k4", "Why?", "It is."]]
CONFIG = 'profile = "headlines"\nrules = ["mine/words.tsv"]\ntimeout = 5\n'
POWER = ("solve", "--json", "power fails", "electricity fails")


def write(path, rows=ROWS, delimiter=","):
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows(rows)


def read(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


@pytest.mark.slow
def test_all_columns_come_back_and_ours_stand_behind(good, tmp_path):
    write(tmp_path / "a.csv")
    good("solve", "--table", "a.csv", "--id-col", "Code", "-o", "out.csv")
    header, *rows = read(tmp_path / "out.csv")
    assert [row[:5] for row in [header, *rows]] == ROWS
    ours = "rating margin EQUI OPPO SPE1 SPE2 SIMI REL NOALI explanation error"
    assert " ".join(header[5:]) == ours
    record = dict(zip(header, rows[0], strict=True))
    assert 0 <= float(record["rating"]) <= 5
    assert 0 <= float(record["margin"]) <= 2
    assert "bulb" in record["explanation"]
    alone = good("explain", "--table", "a.csv", "--id-col", "Code", "--id", "k1").strip()
    assert record["explanation"] == alone
    good("explain", "--table", "a.csv", "-o", "words.csv")
    assert [row[-2:] for row in read(tmp_path / "words.csv")][1] == [alone, ""]


def test_rows_may_be_alignments_and_no_cell_of_ours_is_a_formula(good, tmp_path):
    write(tmp_path / "a.csv")
    options = ("--table", "a.csv", "--rows", "alignments", "-q")
    good("solve", *options, "-o", "out.csv")
    header, *rows = read(tmp_path / "out.csv")
    at = header.index("chunk1")
    assert {row[0] for row in rows} == {"k1", "k2"}
    assert all(not cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row[at:])
    assert any(row[at].startswith("'=") for row in rows)
    good("solve", *options, "-o", "out.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    assert "f" not in {cell.data_type for row in sheet for cell in row}


def test_faulty_rows_are_told_at_once_or_left_out_and_come_back(run, tmp_path):
    write(tmp_path / "a.csv", BAD)
    result = run("sts", "--table", "a.csv", "-o", "out.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    for told in ("4: Answer is empty", "5: 3 cells; expected 5: Code, Question, Answer, Reference"):
        assert f"a.csv:{told}" in result.stderr
    assert not (tmp_path / "out.csv").exists()
    result = run("sts", "--table", "a.csv", "--skip-bad", "-o", "out.csv")
    assert (result.exit_code, result.stderr.count("; left out")) == (0, 2)
    header, *rows = read(tmp_path / "out.csv")
    assert header[5:] == ["rating", "margin", "error"]
    assert [row[0] for row in rows if row[5]] == ["k1", "k2"]
    assert [row[0] for row in rows if not row[5]] == ["k3", "k4"]
    assert rows[2][7].startswith("a.csv:4: Answer is empty")


def test_a_choice_is_told_and_a_row_that_names_nothing_is_a_pair(run, tmp_path):
    write(tmp_path / "a.csv")
    told = run("sts", "--table", "a.csv").stderr
    assert "a.csv: the columns Answer and Reference are compared" in told
    write(tmp_path / "b.csv", [["un gato negro", "un perro"]], ";")
    result = run("sts", "--table", "b.csv", "--profile", "es")
    assert "b.csv: the columns 1 and 2 are compared; the first row is a pair" in result.stderr
    assert result.stdout.count("\n") == 1
    assert run("sts", "--table", "a.csv", "-q").stderr == ""


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "xlsx", "ods", "parquet"])
def test_an_output_is_an_input(good, tmp_path, kind):
    write(tmp_path / "a.csv")
    good("sts", "-q", "--table", "a.csv", "-o", f"one.{kind}")
    good("sts", "-q", "--table", f"one.{kind}", "-o", "two.csv")
    header, *rows = read(tmp_path / "two.csv")
    if kind == "jsonl":
        assert {"Code", "Question", "Note", "rating"} <= {*header}
    else:
        assert [row[:5] for row in [header, *rows]] == ROWS
        names = ["rating", "margin", "error"]
        assert header[5:] == [*names, *(f"ists_{name}" for name in names)]
        assert [list(map(float, row[5:7] + row[8:10])) for row in rows] == [
            list(map(float, row[8:10])) * 2 for row in rows
        ]


def test_packed_tables_and_streams(good, tmp_path):
    write(tmp_path / "a.csv")
    plain = good("sts", "-q", "--table", "a.csv")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress((tmp_path / "a.csv").read_bytes()))
    assert good("sts", "-q", "--table", "b.csv.gz") == plain
    tsv = "\n".join(f"{row[2]}\t{row[3]}" for row in ROWS[1:])
    assert good("sts", "-q", "--tsv", "-", stdin=tsv) == plain


@pytest.mark.slow
def test_options_come_from_the_nearest_file_and_what_is_typed_wins(
    run, good, written, tmp_path, monkeypatch
):
    for folder in ("mine", "below"):
        (tmp_path / folder).mkdir()
    written(CONFIG, "ists-asp.toml")
    written("power = electricity\n", "mine/words.tsv")
    monkeypatch.chdir(tmp_path / "below")
    shown = json.loads(good("config", "--json"))
    assert shown["file"] == str(tmp_path / "ists-asp.toml")
    assert shown["settings"]["rules"] == [str(tmp_path / "mine" / "words.tsv")]
    assert "profile  headlines" in good("config")
    result = run(*POWER)
    assert "ists-asp.toml is in use; --no-config leaves it out" in result.stderr
    assert json.loads(result.stdout)["alignments"][0]["label"] == "EQUI"
    typed, plain = good(*POWER, "--profile", "images"), good("--no-config", *POWER)
    profiles = [json.loads(text)["system"]["profile"] for text in (result.stdout, typed, plain)]
    assert profiles == ["headlines", "images", "default"]
