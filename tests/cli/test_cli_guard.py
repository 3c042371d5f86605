"""Commands that load rules in their own process do so in one that can be killed."""

import signal
import subprocess
import sys

import pytest

SENTENCES = ("a cat sits", "a dog sits")
CRASH = f"p({'f(' * 30_000}1{')' * 30_000})."
ISOLATED = """
import sys, time
from ists_asp.cli import guard
from ists_asp.cli.app import main
import click

@main.command()
@click.argument("what")
def probe(what):
    guard.isolate(60.0 if what == "memory" else 1.0)
    if what == "work":
        for _ in range(12):
            time.sleep(0.1)
            guard.alive()
        sys.exit(7)
    held = []
    while True:
        if what == "memory":
            held.append(bytearray(10_000_000))

guard.active = True
guard.MEMORY = 300
main()
"""


def call(*arguments, folder=None):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


@pytest.mark.parametrize("command", ["trace", "explain", "facts", "report"])
def test_a_crash_of_clingo_is_one_line(tmp_path, command):
    (tmp_path / "crash.lp").write_text(CRASH)
    found = call("-m", "ists_asp", command, "--rules", "crash.lp", *SENTENCES, folder=tmp_path)
    assert found.returncode == 1
    assert found.stderr.startswith("error: with these rules the command crashed (signal 11). ")
    assert found.stderr.count("\n") == 1
    assert found.stdout == ""


def test_rules_deeper_than_python_goes_are_one_line(tmp_path):
    (tmp_path / "deep.lp").write_text(f":- p({'f(' * 2000}X{')' * 2000}).")
    found = call("-m", "ists_asp", "trace", "--rules", "deep.lp", *SENTENCES, folder=tmp_path)
    assert (found.returncode, found.stderr.count("\n")) == (1, 1)
    assert "nested too deeply" in found.stderr


def test_listing_rules_is_guarded_too(tmp_path):
    (tmp_path / "crash.lp").write_text(CRASH)
    found = call("-m", "ists_asp", "rules", "list", "--rules", "crash.lp", folder=tmp_path)
    assert (found.returncode, found.stderr.count("\n")) == (1, 1)


@pytest.mark.parametrize(
    ("what", "code", "words"),
    [
        ("time", 1, "error: the rules take more than 1 s. "),
        ("memory", 1, "error: the rules take more than 300 MB. "),
        ("work", 7, ""),
    ],
)
def test_a_child_is_killed_at_its_limits_only(what, code, words):
    found = call("-c", ISOLATED, "probe", what)
    assert found.returncode == code, found.stderr
    assert found.stderr.startswith(words)
    assert found.stderr.count("\n") == (1 if words else 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_child_ends_with_its_parent(number):
    looping = ISOLATED.replace("else 1.0", "else 60.0")
    # Ctrl-C reaches both; a child that clingo holds does not hear it.
    deaf = "import signal; signal.signal(2, signal.SIG_IGN); print(0, flush=True)"
    looping = looping.replace("held = []", deaf)
    process = subprocess.Popen(
        [sys.executable, "-c", looping, "probe", "time"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "0\n"
    process.send_signal(number)
    # The child holds standard error: that this returns at all says that it has ended.
    errors = process.communicate(timeout=60)[1]
    assert process.returncode == (130 if number == signal.SIGINT else -number)
    assert errors == ""


def test_scripts_run_where_they_are_allowed(tmp_path):
    script = "#script (python)\nimport clingo\ndef two(): return clingo.Number(2)\n#end.\n"
    (tmp_path / "script.lp").write_text(f"{script}:- @two() = 2.\n")
    options = ("-m", "ists_asp", "solve", "--profile", "baseline", "--rules", "script.lp")
    refused = call(*options, *SENTENCES, folder=tmp_path)
    assert (refused.returncode, "#script is refused" in refused.stderr) == (1, True)
    allowed = call(*options, "--allow-scripts", *SENTENCES, folder=tmp_path)
    assert "the rules admit no answer set" in allowed.stderr
