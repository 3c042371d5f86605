"""How the command ends when it is interrupted, and when the system lets it down."""

import shlex
import subprocess
import sys

import pytest

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


def call(*arguments, folder=None):
    return subprocess.run(
        arguments, cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


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
    done = call(sys.executable, "-c", text, folder=folder)
    told = "error: the working folder has been removed. Change to one that is there\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", told)


def shell(text, folder):
    """Run a line in which ``$asp`` is the command."""
    line = text.replace("$asp", f"{shlex.quote(sys.executable)} -m ists_asp")
    return call("bash", "-c", line, folder=folder)


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(
    "module",
    [
        *("click", "ists_asp.cli.app", "ists_asp.cli.commands.solve", "ists_asp.cli.driver"),
        "clingo",
    ],
)
def test_an_interrupt_of_an_import_ends_the_command(tmp_path, module, times):
    words = ("solve", "--rules", "x.lp", "a", "b", "-o", "out.wa")
    found = call(sys.executable, "-c", INTERRUPTED, module, str(times), *words, folder=tmp_path)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("deleted", [True, False])
@pytest.mark.parametrize("going", [True, False])
def test_an_interrupt_that_is_caught_ends_the_command_all_the_same(deleted, going):
    found = call(sys.executable, "-c", SWALLOWED.format(deleted=deleted, going=going))
    assert (found.returncode, found.stdout, found.stderr) == (130, "going on\n", "")


@pytest.mark.parametrize("words", ["--help", "solve --help", "--version", "", "profiles"])
def test_a_full_disk_behind_standard_output_is_one_line(tmp_path, words):
    found = shell(f"$asp {words} > /dev/full", tmp_path)
    assert found.returncode == 1
    assert found.stderr.startswith("error: standard output: ")
    assert found.stderr.endswith("No space left on device\n")
    assert found.stderr.count("\n") == 1


def test_what_cannot_be_told_does_not_count(tmp_path):
    (tmp_path / "x.lp").write_text("x. y(1,2,3) :- z(1).\n")
    for redirected in ("2> /dev/full", "2>&-", "2> >(true)"):
        found = shell(f"$asp rules list --rules x.lp {redirected}", tmp_path)
        assert (found.returncode, found.stderr) == (0, "")
        assert found.stdout.count("\n") > 10


def test_a_command_that_is_told_nothing_and_tells_nothing_ends(tmp_path):
    found = shell("$asp rules list --rules x.lp <&- >&- 2>&-", tmp_path)
    assert found.returncode == 1
    assert shell("$asp --help <&- >&- 2>&-", tmp_path).returncode == 0


@pytest.mark.parametrize("most", [5, 6, 8])
def test_too_many_open_files_are_one_line(tmp_path, most):
    (tmp_path / "x.lp").write_text("x.\n")
    for words in ("solve a b -q -o out.wa", "rules list --rules x.lp", "--help"):
        found = shell(f"ulimit -n {most}; $asp {words}", tmp_path)
        if found.returncode == 0:
            assert (found.stderr, bool(found.stdout)) == ("", True)
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
