"""How runs end: interrupted, let down by the system, failing in part, watching."""

import re
import signal
import subprocess
import sys
import time
from random import Random

import pytest

from tests.faults.scenarios import pairs, wait_for
from tests.sharing import cases, python, shell

pytestmark = pytest.mark.slow

# Ctrl-C, as often as the second argument says, when the module is looked for that the first names.
INTERRUPTED = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(self)
            for _ in range(times):
                os.kill(os.getpid(), signal.SIGINT)

module, times = sys.argv[1], int(sys.argv[2])
sys.argv = ["ists-asp", *sys.argv[3:]]
from ists_asp.__main__ import run
sys.meta_path.insert(0, Finder())
run()
"""

# An interrupt that code which does not expect it catches, with more of them behind it.
SWALLOWED = """
import os, signal, time
from ists_asp.cli import app, process

@app.main.command()
def probe():
    class Loud:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGINT)
    process.PATIENCE = 0.3
    if {deleted}:
        Loud()
    else:
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            os.kill(os.getpid(), signal.SIGINT)
    print("going on", flush=True)
    while {going}:
        time.sleep(0.01)
    raise ValueError("what became of it")

import sys
sys.argv[1:] = ["probe"]
process.run()
"""
PARTS = ("app", "commands.solve", "driver")
SOLVE = ["-m", "ists_asp", "solve", "--profile", "images", "--tsv", "pairs.tsv"]
TRACE = ["--trace", "out.jsonl"]
DEAF = """
import os, signal, time
from pathlib import Path
from ists_asp.cli import process
from ists_asp.io.files import atomic_writer
process.PATIENCE = 0.1
process._raise_once()
with atomic_writer(Path("out.wa")):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)
    except KeyboardInterrupt:
        time.sleep(60)
"""


def test_a_working_folder_that_is_gone_is_one_line(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    # At the moment in which Stanza is loaded, after all that is read before.
    text = """
import os, sys
from ists_asp import __main__ as process
from ists_asp.annotate.stanza import StanzaAdapter
run = StanzaAdapter._run
def removing(*given, **options):
    os.rmdir(os.getcwd())
    return run(*given, **options)
StanzaAdapter._run = removing
sys.argv[1:] = ["solve", "A dog runs", "A cat runs", "--cache", "none"]
process.run()
"""
    done = python("-c", text, cwd=folder)
    told = "error: the working folder has been removed. Change to one that is there\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", told)


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("module", ["click", "clingo", *(f"ists_asp.cli.{name}" for name in PARTS)])
def test_an_interrupt_of_an_import_ends_the_command(tmp_path, module, times):
    words = ("solve", "--rules", "x.lp", "a", "b", "-o", "out.wa")
    found = python("-c", INTERRUPTED, module, times, *words, cwd=tmp_path)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("deleted", [True, False])
@pytest.mark.parametrize("going", [True, False])
def test_an_interrupt_that_is_caught_ends_the_command_all_the_same(deleted, going):
    found = python("-c", SWALLOWED.format(deleted=deleted, going=going))
    assert (found.returncode, found.stdout, found.stderr) == (130, "going on\n", "")


@pytest.mark.parametrize("words", ["--help", "solve --help", "--version", "", "profiles"])
def test_a_full_disk_behind_standard_output_is_one_line(tmp_path, words):
    found = shell(f"$asp {words} > /dev/full", tmp_path)
    assert found.returncode == 1
    assert re.fullmatch("error: standard output: .*No space left on device\n", found.stderr)


def test_what_cannot_be_told_does_not_count(tmp_path):
    (tmp_path / "x.lp").write_text("x. y(1,2,3) :- z(1).\n")
    for redirected in ("2> /dev/full", "2>&-", "2> >(true)"):
        found = shell(f"$asp rules list --rules x.lp {redirected}", tmp_path)
        assert (found.returncode, found.stderr) == (0, "")
        assert found.stdout.count("\n") > 10
    assert shell("$asp rules list --rules x.lp <&- >&- 2>&-", tmp_path).returncode == 2
    assert shell("$asp --help <&- >&- 2>&-", tmp_path).returncode == 0


@pytest.mark.parametrize("most", [5, 6, 8])
def test_too_many_open_files_are_one_line(tmp_path, most):
    (tmp_path / "x.lp").write_text("x.\n")
    for words in ("solve a b -q -o out.wa", "rules list --rules x.lp", "--help"):
        found = shell(f"ulimit -n {most}; $asp {words}", tmp_path)
        written = tmp_path / "out.wa"
        if found.returncode == 0:
            assert found.stderr == ""
            assert found.stdout or written.read_text()
            written.unlink(missing_ok=True)
        else:
            assert (found.returncode, found.stderr.count("\n")) == (1, 1)
            assert found.stderr.startswith("error: ")
            assert "Install" not in found.stderr, "nothing is wrong with the files"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["x.lp"]


@pytest.mark.parametrize(("given", "wanted"), [("", "1 1 1"), ("OMP_NUM_THREADS=3 ", "3 - -")])
def test_a_process_has_one_thread_unless_the_user_says_otherwise(tmp_path, given, wanted):
    (tmp_path / "sitecustomize.py").write_text(
        "import atexit, os, sys\nfrom ists_asp.cli import process\n_end = process.end\n"
        "names = ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS')\n"
        "def end(code):\n"
        "    print(*(os.environ.get(name, '-') for name in names), flush=True)\n"
        "    _end(code)\n"
        "process.end = end\n"
    )
    clean = "env -u OMP_NUM_THREADS -u OPENBLAS_NUM_THREADS -u MKL_NUM_THREADS"
    found = shell(f"PYTHONPATH=.:$PYTHONPATH {clean} {given} $asp --version", tmp_path)
    assert found.stdout.splitlines()[-1] == wanted


def solve(folder, *options):
    return python(*SOLVE, *options, cwd=folder, timeout=3000)


def begun(folder, *options):
    """A run in the background that has begun to write."""
    command = [sys.executable, *SOLVE, "-o", "out.wa", "-q", *options]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: list(folder.glob(".ists-asp-out.wa.*.part")))
    return process


@pytest.mark.parametrize("number", [0, signal.SIGINT, signal.SIGTERM])
def test_nothing_stays_among_the_temporary_files(tmp_path, monkeypatch, number):
    (tmp_path / "pairs.tsv").write_text(pairs(8))
    (temporary := tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    process = begun(tmp_path, "--jobs", "2", "--cache", "cache")
    wait_for(lambda: list(temporary.iterdir()))
    process.send_signal(number)
    process.communicate()
    assert list(temporary.iterdir()) == []


@cases(
    "count | options | kill | times",
    (110, [], signal.SIGINT, 1),
    (8, TRACE, signal.SIGKILL, 1),
    pytest.param(110, ["--jobs", "2"], signal.SIGKILL, 1, marks=pytest.mark.long),
    *(
        pytest.param(count, [*more, "--jobs", jobs], signal.SIGKILL, 3, marks=pytest.mark.long)
        for count, more in ((300, []), (80, TRACE))
        for jobs in "12"
    ),
)
def test_a_run_that_was_killed_is_repeated(tmp_path, count, options, kill, times):
    """It is killed at random moments; run once more, it writes what an undisturbed run writes."""
    random = Random(count)
    (tmp_path / "pairs.tsv").write_text(pairs(count))
    files = ["whole.wa", *(["--trace", "whole.jsonl"] if "--trace" in options else [])]
    whole = solve(tmp_path, "-o", *files, "-q", "--cache", "none")
    assert (whole.returncode, whole.stderr) == (0, "")
    command = ("--cache", "cache", *options)
    for _ in range(times):
        process = begun(tmp_path, *command)
        time.sleep(random.uniform(0, 0.03 * count))
        process.send_signal(kill)
        told = process.communicate(timeout=60)[1]
        assert "Traceback" not in told
        assert told == "" or f" of {count} pairs are done; " in told
        assert process.returncode in (0, 130 if kill == signal.SIGINT else -kill)
    assert solve(tmp_path, "-o", "out.wa", *command).returncode == 0
    again = solve(tmp_path, "-o", "out.wa", *command)
    assert f"\n{count} of {count} pairs found in the cache\n" in again.stderr
    outputs = [name.replace("whole", "out") for name in files[::2]]
    for name, output in zip(files[::2], outputs, strict=True):
        assert (tmp_path / output).read_bytes() == (tmp_path / name).read_bytes()
    left = sorted(["cache", "pairs.tsv", *files[::2], *outputs])
    assert sorted(path.name for path in tmp_path.iterdir()) == left


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("options", [["--jobs", "2"], ["--rules", "mine.lp"], []])
def test_a_run_that_is_told_to_end_does_so_without_a_word(tmp_path, number, options):
    # On a busy machine a short run is over before it hears; so is one whose answers are kept.
    (tmp_path / "pairs.tsv").write_text(pairs(4000))
    (tmp_path / "mine.lp").write_text("extra.\n")
    process = begun(tmp_path, "--no-incremental", *options)
    process.send_signal(number)
    assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == -number
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.lp", "pairs.tsv"]


def test_a_process_whose_libraries_swallow_its_end_takes_its_draft_with_it(tmp_path):
    assert python("-c", DEAF, cwd=tmp_path).returncode == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


# More pairs than are decided together, so that there is work for two; and few, to be traced.
@pytest.mark.parametrize(("count", "trace"), [(104, ()), (8, ("--trace", "out.trace"))])
def test_several_jobs_give_the_same_bytes(tmp_path, count, trace):
    (tmp_path / "pairs.tsv").write_text(pairs(count))
    written = []
    for jobs in ("1", "3"):
        found = solve(tmp_path, "--jobs", jobs, "-o", "out.jsonl", *trace)
        assert found.returncode == 0
        written.append([path.read_bytes() for path in sorted(tmp_path.glob("out.*"))])
    assert written[0] == written[1]
    assert len(written[0]) == (2 if trace else 1)


def test_rules_are_watched(tmp_path):
    (tmp_path / "pairs.tsv").write_text("1\ta cat sits\ta cat sits\n")
    rules = tmp_path / "mine.lp"
    rules.write_text("extra(1).\n")
    errors = tmp_path / "errors"
    command = [sys.executable, *SOLVE, "-o", "out.wa", "--rules", "mine.lp", "--watch"]
    with errors.open("w") as stream:
        process = subprocess.Popen(command, cwd=tmp_path, stderr=stream)
    try:
        for times, text in enumerate(("extra(1\n", "extra(1). extra(2).\n", None), 1):
            wait_for(lambda times=times: errors.read_text().count("watching the rules") == times)
            if text:
                (tmp_path / "out.wa").unlink(missing_ok=True)
                rules.write_text(text)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
    assert (tmp_path / "out.wa").exists()
    said = [word in errors.read_text() for word in ("changed: mine.lp", "error: mine.lp:", "Trace")]
    assert said == [True, True, False]
