"""Inputs and outputs of all kinds in parts: together they are what one process writes.

The scheduler and its worker are threads of this process, or processes that talk on 127.0.0.1 only.
"""

import csv
import gzip
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import fsspec
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from distributed import LocalCluster

from benchmarks import ROOT
from ists_asp.io.tables import Table
from ists_asp.pipeline.cluster import cut
from tests.faults.scenarios import wait_for

COMMAND = [sys.executable, "-m", "ists_asp"]
SECONDS = 240
PAIRS = [
    ("12 killed in bus accident", "10 killed in road accident"),
    ("A dog\nruns.", 'A "cat" sleeps.'),
    ("The bulb is on.", "The bulb is lit."),
    ("A dog\nruns.", "The dog is running."),
    ("Two men sit", "Three men sit down"),
]
ROWS = [{"one": 1, "sentence1": a, "sentence2": b} for a, b in PAIRS]
QUOTED = 'a,b\n"one\ntwo",x\n1" long,y\nthree,"y\n"\n\nfour,é\n\n\n'


@pytest.fixture(scope="module")
def inside():
    """The address of a scheduler whose worker is a thread of this process."""
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def dask(run, inside):
    """Run ists-asp on that scheduler, which ends with a code; return all that it says."""

    def call(name, *arguments, code=0, size=2):
        engine = ("--engine", "dask", "--scheduler", inside, "--partition", size)
        done = run(name, *engine, *arguments)
        assert done.exit_code == code, done.output
        return done.output

    return call


def parts(folder, ending):
    return [path.read_bytes() for path in sorted(Path(folder).glob(f"part-*{ending}"))]


def whole(folder, ending):
    return b"".join(parts(folder, ending))


def manifest(folder):
    return json.loads(Path(folder, "_manifest.json").read_text("utf-8"))


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
def test_a_csv_in_parts_which_neither_another_run_nor_other_files_lose(good, dask):
    write("pairs.csv")
    given = ("solve", "--table", "pairs.csv")
    good(*given, "--format", "jsonl", "-o", "all.jsonl")
    dask(*given, "-o", "out")
    assert [part["pairs"] for part in manifest("out")["parts"]] == [2, 2, 1]
    told = dask(*given, "-o", "out", code=2, size=3)
    assert "parts of a run with another partition" in told
    assert whole("out", ".jsonl") == Path("all.jsonl").read_bytes()
    Path("mine").mkdir()
    Path("mine/thesis.tex").write_text("mine")
    assert "files that are not parts of ours" in dask(*given, "-o", "mine", code=2)
    # What is not ours stays in the folder.
    others = [Path("out", name) for name in ("x.csv", "_records/probed", ".ists-asp-mine.part")]
    for other in others:
        other.write_text("mine")
    Path("out/part-00001.jsonl").unlink()
    Path("out/part-00001.jsonl").mkdir()
    assert "this is a folder" in dask(*given, "-o", "out", code=2)
    Path("out/part-00001.jsonl").rmdir()
    dask(*given, "-o", "out")
    assert whole("out", ".jsonl") == Path("all.jsonl").read_bytes()
    assert {other.read_text() for other in others} == {"mine"}


@pytest.mark.slow
def test_tables_of_all_kinds_with_a_header_each(good, dask):
    for kind in ("parquet", "csv", "xlsx", "csv.gz"):
        name = f"pairs.{kind}"
        if kind == "xlsx":
            good("sts", "--table", "pairs.csv", "-o", name)
        elif kind == "csv.gz":
            Path(name).write_bytes(gzip.compress(Path("pairs.csv").read_bytes()))
        else:
            write(name)
        form = "parquet" if kind == "parquet" else "csv"
        good("sts", "--table", name, "-o", f"all.{form}")
        dask("sts", "--table", name, "--format", form, "-o", f"out.{kind}")
        if form == "csv":
            assert joined(f"out.{kind}") == Path("all.csv").read_bytes(), kind
    assert pq.read_table("out.parquet").equals(pq.read_table("all.parquet"))
    assert len(parts("out.parquet", ".parquet")) == 3


def joined(folder):
    """Parts with a header each as one file."""
    first, *others = parts(folder, ".csv")
    header = first.splitlines(keepends=True)[0]
    assert all(part.startswith(header) for part in others)
    return first + b"".join(part.removeprefix(header) for part in others)


@pytest.mark.slow
def test_files_of_sentences_and_traces(good, dask):
    lines = [(" ".join(a.split()), b) for a, b in PAIRS]
    for name, column in zip(("a.txt", "b.txt"), zip(*lines, strict=True), strict=True):
        Path(name).write_text("".join(f"{line}\n" for line in column))
    given = ("solve", "--sent1", "a.txt", "--sent2", "b.txt")
    good(*given, "-o", "all.wa", "--trace", "all.jsonl")
    dask(*given, "--format", "wa", "-o", "out", "--trace", "traces")
    assert whole("out", ".wa") == Path("all.wa").read_bytes()
    assert whole("traces", ".jsonl") == Path("all.jsonl").read_bytes()
    Path("b.txt").write_text("one\n")
    told = dask(*given, "--format", "wa", "-o", "other", code=1)
    assert "expected as many sentences in both files" in told


@pytest.mark.slow
def test_explanations_of_several_files_are_numbered_through(good, dask):
    write("a1.jsonl", ROWS[:3])
    write("a2.jsonl", ROWS[3:])
    write("all.jsonl")
    good("explain", "--table", "all.jsonl", "-o", "all.txt")
    dask("explain", "--table", "a?.jsonl", "-o", "out")
    assert whole("out", ".txt") == Path("all.txt").read_bytes()


@pytest.mark.slow
def test_a_faulty_row_and_a_pair_that_fails(dask):
    rows = [*ROWS, {"sentence1": "word " * 600, "sentence2": "long"}, {"sentence2": "alone"}]
    write("pairs.jsonl", rows)
    given = ("sts", "--table", "pairs.jsonl", "-o")
    assert "pairs.jsonl:7: no 'sentence1'" in dask(*given, "out", code=1)
    assert "no answer for 1 of 6 pairs: 6" in dask(*given, "out2", "--skip-bad", code=3)
    assert parts("out2", ".txt")[2].splitlines()[1] == b"0.000"
    write("pairs.jsonl", [*ROWS, {}])
    Path("pairs.jsonl").write_text(Path("pairs.jsonl").read_text().replace("{}", "null"))
    assert "JSON that is not an object" in dask(*given, "out3", code=1)


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
def test_feedback(good, dask):
    rows = [("a1", "The bulb is in a closed path."), ("a2", "no idea"), ("a3", "closed path")]
    reference = "The bulb is in a closed path; it is on"
    write("answers.csv", [{"id": a, "answer": b, "reference": reference} for a, b in rows])
    good("feedback", "answers.csv", "-o", "all.csv")
    dask("feedback", "answers.csv", "-o", "out")
    assert joined("out") == Path("all.csv").read_bytes()
    assert "goes without" in dask("feedback", "answers.csv", "-o", "x", "--group", code=2)
    # A wide report has an answer a row in either case.
    wide = {
        f"{part} {n}": text
        for n in "12"
        for part, text in (("Response", "on"), ("Right answer", "on"))
    }
    write("wide.csv", [{"Name": name, **wide} for name in ("Ada", "Ben")])
    good("feedback", "wide.csv", "-o", "all.csv")
    dask("feedback", "wide.csv", "-o", "wide")
    numbers = [row["id"] for row in csv.DictReader(joined("wide").decode().splitlines())]
    assert numbers == ["2.1", "2.2", "3.1", "3.2"]


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


def test_without_the_extra_the_command_says_what_to_install(bad, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    call = ("solve", "--engine", "dask", "--table", "pairs.jsonl", "-o", "out")
    Path("pairs.jsonl").write_text('{"sent1": "a", "sent2": "b"}\n')
    told = "--engine dask needs distributed. Install the extra: pip install 'ists-asp[cluster]'"
    assert bad(1, *call) == told


def apart(*arguments, code=0):
    """Run ists-asp in a process of its own, which ends with a code; return what it reports."""
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def engine(size):
    return ("--engine", "dask", "--partition", str(size), "-o", "out")


@pytest.fixture
def table(tmp_path, monkeypatch):
    """The pairs in the working folder; the options that name them."""
    monkeypatch.chdir(tmp_path)
    write("pairs.jsonl")
    return ("--table", "pairs.jsonl")


@pytest.mark.slow
def test_same_bytes_as_local_and_nothing_is_made_again(table):
    apart("solve", *table, "-o", "local.jsonl")
    apart("solve", *engine(2), *table, "--jobs", "2")
    assert whole("out", ".jsonl") == Path("local.jsonl").read_bytes()
    made = manifest("out")
    assert (made["complete"], made["schema"]) == (True, "answer")
    assert [part["pairs"] for part in made["parts"]] == [2, 2, 1]
    before = {path: path.stat().st_mtime_ns for path in Path("out").glob("part-*")}
    Path("out/part-00001.jsonl").write_text("damaged\n")
    assert "3 parts, of which 2 were there" in apart("solve", *engine(2), *table)
    assert whole("out", ".jsonl") == Path("local.jsonl").read_bytes()
    assert manifest("out") == made
    assert sum(path.stat().st_mtime_ns == time for path, time in before.items()) == 2


def started(command):
    """A run in the background that has written a part, and its workers."""
    running = subprocess.Popen([*COMMAND, *command], stderr=subprocess.DEVNULL)
    wait_for(lambda: list(Path("out").glob("part-*")) or running.poll() is not None, SECONDS)
    assert running.poll() is None
    below = psutil.Process(running.pid).children()
    return running, [one for one in below if "spawn_main" in " ".join(one.cmdline())]


@pytest.mark.slow
@pytest.mark.usefixtures("table")
def test_workers_and_the_client_are_killed(monkeypatch, tmp_path_factory):
    temporary = tmp_path_factory.mktemp("t")
    monkeypatch.setenv("TMPDIR", str(temporary))
    write("many.jsonl", ROWS * 16)
    given = ("--table", "many.jsonl", "--cache", "none")
    apart("sts", *given, "-o", "local.txt")
    client, workers = started(("sts", *engine(10), *given))
    workers[0].kill()
    assert client.wait(SECONDS) == 0
    assert not [*temporary.glob("ists-asp-*"), *temporary.glob("pymp-*")]
    assert whole("out", ".txt") == Path("local.txt").read_bytes()
    shutil.rmtree("out")
    client, workers = started(("sts", *engine(10), *given))
    client.send_signal(signal.SIGKILL)
    client.wait(SECONDS)
    psutil.wait_procs(workers, 30)
    assert not any(one.is_running() and one.status() != "zombie" for one in workers)
    assert 0 < len(parts("out", ".txt")) < 8
    assert not manifest("out")["complete"]
    assert "8 parts, of which 0 were there" not in apart("sts", *engine(10), *given)
    assert whole("out", ".txt") == Path("local.txt").read_bytes()
    names = sorted(path.name for path in Path("out").iterdir())
    assert (names[:2], len(names)) == (["_manifest.json", "_records"], 10)


@pytest.mark.slow
def test_limits_hold_in_workers(table):
    Path("endless.lp").write_text(
        'many(1) :- token(1,1,"Two").\nmany(N+1) :- many(N), N < 2000000000.\n'
    )
    limits = ("--rules", "endless.lp", "--lax", "--timeout", "1", "--cache", "none")
    told = apart("solve", *engine(2), *table, *limits, code=3)
    assert "no answer for 1 of 5 pairs: 5" in told
    lines = map(json.loads, whole("out", ".jsonl").splitlines())
    assert ["error" in line for line in lines] == [False] * 4 + [True]


@pytest.mark.slow
def test_a_worker_that_lacks_something_is_named(table, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    for name in ("python/ists_asp", "asp", "lp_rules"):
        shutil.copytree(ROOT / name, other / name, ignore=shutil.ignore_patterns("__pycache__"))
    (other / "data").symlink_to(ROOT / "data")
    with (other / "lp_rules" / "alignment" / "evidence.lp").open("a") as stream:
        stream.write("\n% another version\n")
    with LocalCluster(0, host="127.0.0.1", dashboard_address="127.0.0.1:0") as cluster:
        address = cluster.scheduler_address
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-dashboard"]
        worker += ["--no-nanny", "--host", "127.0.0.1"]
        environment = os.environ | {"PYTHONPATH": str(other / "python")}
        with subprocess.Popen(worker, env=environment, stderr=subprocess.DEVNULL) as running:
            try:
                told = apart("solve", *engine(2), "--scheduler", address, *table, code=1)
            finally:
                running.kill()
    assert "error: workers: tcp://127.0.0.1:" in told
    assert "lacks the rules " in told
    assert not parts("out", "")
