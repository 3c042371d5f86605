"""The engine dask with real schedulers and workers, which talk on 127.0.0.1 only."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import psutil
import pytest
from distributed import LocalCluster

from benchmarks import ROOT
from tests.cluster.test_parts import PAIRS, parts

COMMAND = [sys.executable, "-m", "ists_asp"]
SECONDS = 240


def run(*arguments, cwd, code=0, **more):
    done = subprocess.run(
        [*COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, timeout=SECONDS, **more
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def dask(*arguments, cwd, code=0, size=2, **more):
    options = ["--engine", "dask", "--partition", str(size), *arguments]
    command = options.pop(4)
    return run(command, *options, cwd=cwd, code=code, **more)


def manifest(folder):
    return json.loads((folder / "_manifest.json").read_text("utf-8"))


def write_pairs(path, pairs=PAIRS):
    records = [{"sent1": one, "sent2": two} for one, two in pairs]
    records[1]["kind"] = "pets"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")


@pytest.fixture
def folder(tmp_path):
    write_pairs(tmp_path / "pairs.jsonl")
    return tmp_path


@pytest.mark.slow
def test_same_bytes_as_local_and_nothing_is_made_again(folder):
    run("solve", "--table", "pairs.jsonl", "-o", "local.jsonl", cwd=folder)
    dask("solve", "--table", "pairs.jsonl", "-o", "out", "--jobs", "2", cwd=folder)
    assert b"".join(parts(folder / "out", ".jsonl")) == (folder / "local.jsonl").read_bytes()
    made = manifest(folder / "out")
    assert made["complete"]
    assert [part["pairs"] for part in made["parts"]] == [2, 2, 1]
    assert made["schema"] == "answer"
    before = {path: path.stat().st_mtime_ns for path in (folder / "out").glob("part-*")}
    (folder / "out" / "part-00001.jsonl").write_text("damaged\n")
    again = dask("solve", "--table", "pairs.jsonl", "-o", "out", cwd=folder)
    assert "3 parts, of which 2 were there" in again.stderr
    assert b"".join(parts(folder / "out", ".jsonl")) == (folder / "local.jsonl").read_bytes()
    assert manifest(folder / "out") == made
    after = {path: path.stat().st_mtime_ns for path in before}
    assert sum(before[path] == after[path] for path in before) == 2


def started(folder, *arguments):
    """A run in the background that has written a part, and its workers."""
    size = ["--engine", "dask", "--partition", "10"]
    command = [*COMMAND, "sts", *size, "--table", "many.jsonl", "-o", "out", *arguments]
    running = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
    for _ in range(20 * SECONDS):
        if list((folder / "out").glob("part-*")):
            break
        assert running.poll() is None
        time.sleep(0.05)
    below = psutil.Process(running.pid).children()
    return running, [one for one in below if "spawn_main" in " ".join(one.cmdline())]


@pytest.mark.slow
def test_workers_and_the_client_are_killed(folder):
    write_pairs(folder / "many.jsonl", PAIRS * 16)
    run("sts", "--table", "many.jsonl", "-o", "local.txt", "--cache", "none", cwd=folder)
    client, workers = started(folder, "--cache", "none")
    workers[0].kill()
    client.wait(SECONDS)
    assert client.returncode == 0
    assert b"".join(parts(folder / "out", ".txt")) == (folder / "local.txt").read_bytes()
    shutil.rmtree(folder / "out")
    client, workers = started(folder, "--cache", "none")
    client.send_signal(signal.SIGKILL)
    client.wait(SECONDS)
    psutil.wait_procs(workers, 30)
    assert not any(one.is_running() and one.status() != "zombie" for one in workers)
    there = len(list((folder / "out").glob("part-*")))
    assert 0 < there < 8
    assert not manifest(folder / "out")["complete"]
    table = ("--table", "many.jsonl", "-o", "out", "--cache", "none")
    again = dask("sts", *table, cwd=folder, size=10)
    assert "8 parts, of which 0 were there" not in again.stderr
    assert b"".join(parts(folder / "out", ".txt")) == (folder / "local.txt").read_bytes()
    names = sorted(path.name for path in (folder / "out").iterdir())
    assert names[:2] == ["_manifest.json", "_records"]
    assert len(names) == 10


@pytest.mark.slow
def test_limits_hold_in_workers(folder):
    (folder / "endless.lp").write_text(
        'many(1) :- token(1,1,"Two").\nmany(N+1) :- many(N), N < 2000000000.\n'
    )
    limits = ("--rules", "endless.lp", "--lax", "--timeout", "1", "--cache", "none")
    told = dask("solve", "--table", "pairs.jsonl", "-o", "out", *limits, cwd=folder, code=3)
    assert "no answer for 1 of 5 pairs: 5" in told.stderr
    lines = [json.loads(line) for line in b"".join(parts(folder / "out", ".jsonl")).splitlines()]
    assert ["error" in line for line in lines] == [False] * 4 + [True]


@pytest.mark.slow
def test_a_worker_that_lacks_something_is_named(folder, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    for name in ("python/ists_asp", "asp", "lp_rules"):
        shutil.copytree(ROOT / name, other / name, ignore=shutil.ignore_patterns("__pycache__"))
    (other / "data").symlink_to(ROOT / "data")
    with (other / "lp_rules" / "alignment" / "evidence.lp").open("a") as stream:
        stream.write("\n% another version\n")
    with LocalCluster(0, host="127.0.0.1", dashboard_address="127.0.0.1:0") as cluster:
        address = cluster.scheduler_address
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-dashboard"]
        environment = os.environ | {"PYTHONPATH": str(other / "python")}
        command = [*worker, "--no-nanny", "--host", "127.0.0.1"]
        with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as running:
            try:
                place = ("--scheduler", address, "--table", "pairs.jsonl", "-o", "out")
                told = dask("solve", *place, cwd=folder, code=1)
            finally:
                running.kill()
    assert "error: workers: tcp://127.0.0.1:" in told.stderr
    assert "lacks the rules " in told.stderr
    assert not list((folder / "out").glob("part-*"))


def test_without_the_extra_the_command_says_what_to_install(folder):
    script = (
        "import sys; sys.modules['distributed'] = None; from ists_asp.cli.app import main; main()"
    )
    arguments = ["solve", "--engine", "dask", "--table", "pairs.jsonl", "-o", "out"]
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr == (
        "error: --engine dask needs distributed. Install the extra: pip install "
        "'ists-asp[cluster]'\n"
    )
