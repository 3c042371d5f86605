"""The command as a whole: help, completion, streams, colours, and what is imported."""

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

import ists_asp
from ists_asp.cli import console
from ists_asp.cli.app import main
from ists_asp.resources import data_dir
from tests.sharing import COMMANDS, cases, python

LOADED = """
import sys
from ists_asp.cli.app import main
try: main(sys.argv[1:])
except SystemExit: pass
finally: print("loaded", *sys.modules, file=sys.stderr)
"""
HEAVY = {
    *("clingo", "jinja2", "msgspec", "numpy", "rapidfuzz", "rich", "scipy"),
    *("snowballstemmer", "stanza", "torch"),
}
SOLVED = "solve --profile headlines --cache {cache} Dogs Dogs"


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_says_what_goes_in_and_shows_examples(good, path):
    text = good(*path, "--help")
    for option in COMMANDS[path].params:
        assert isinstance(option, click.Argument) or option.help, option.name
    assert " ".join(["  ists-asp", *path]) in text.split("Examples:\n")[1]
    if path not in ((), ("rules",)):
        assert "In: " in text
        assert "Out: " in text


def test_a_group_alone_prints_its_help(run):
    for path in [path for path, one in COMMANDS.items() if isinstance(one, click.Group)]:
        alone = run(*path)
        assert (alone.exit_code, alone.stderr) == (0, "")
        assert alone.stdout == run(*path, "--help").stdout
        assert "\nCommands:\n  " in alone.stdout


@pytest.mark.parametrize(
    ("terminal", "total", "shown"),
    [(True, 2, True), (True, 1, True), (True, 2, False), (False, 2, True)],
)
def test_progress_is_for_several_pairs_on_a_terminal(monkeypatch, terminal, total, shown):
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with console.progress(total, shown=shown) as step:
        step()
    seen = terminal and shown and total > 1
    assert ("Pairs" in stream.getvalue()) == bool(stream.getvalue()) == seen


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_script_and_what_it_may_complete(run, monkeypatch, shell):
    monkeypatch.setenv("_ISTS_ASP_COMPLETE", f"{shell}_source")
    result = CliRunner().invoke(main, prog_name="ists-asp")
    assert (result.exit_code, "_ISTS_ASP_COMPLETE" in result.stdout) == (0, True)
    monkeypatch.setenv("_ISTS_ASP_COMPLETE", "bash_complete")
    for words, offer in (
        ("so", "plain,solve"),
        ("solve --fail", "plain,--fail-fast"),
        ("solve --format js", "plain,jsonl"),
        ("solve --sent1 data/x", "file,data/x"),
    ):
        monkeypatch.setenv("COMP_WORDS", f"ists-asp {words}")
        monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
        result = CliRunner().invoke(main, prog_name="ists-asp", catch_exceptions=False)
        assert result.stdout.split() == [offer]


def test_closed_pipe_is_silent():
    read, write = os.pipe()
    os.close(read)
    pipes = {"capture_output": False, "stdout": write, "stderr": subprocess.PIPE}
    assert python("-m", "ists_asp", "profiles", **pipes).stderr == ""
    os.close(write)


@pytest.mark.slow
def test_output_is_utf8_in_the_c_locale(written, tmp_path):
    environment = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    text = '%@rule mine: "Café „日本“"\nmine.\n'
    call = ("rules", "show", "mine", "--profile", "baseline", "--rules", written(text))
    done = python("-m", "ists_asp", *call, cwd=tmp_path, env=environment, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(f"mine.lp:2 (answer and explanation)\n{text}")


@pytest.mark.slow
def test_terminal_gets_text():
    master, slave = pty.openpty()
    pair = ("a cat", "one dog")
    done = python("-m", "ists_asp", "solve", *pair, capture_output=False, stdout=slave)
    os.close(slave)
    assert (done.returncode, os.read(master, 8)) == (0, b"Pair 1\r\n")
    os.close(master)


@pytest.mark.slow
def test_the_verbose_version_names_rules_weights_and_models(good):
    assert good("--version") == f"ists-asp {ists_asp.__version__}\n"
    text = good("--verbose", "--version")
    assert text.startswith(good("--version"))
    record = json.loads(good("solve", "--profile", "images", "--format", "jsonl", "a", "b"))
    system = record["system"]
    assert system["version"] == ists_asp.__version__
    assert re.search(rf"^models +{system['stanza']}$", text, re.MULTILINE)
    rules = f"rules {system['rules']}, weights {', '.join(system['weights'])}"
    assert re.search(rf"^profile images +{rules}$", text, re.MULTILINE)


@cases(
    "command | needed | ours",
    ("solve --help", {"msgspec"}, 40),
    pytest.param("--version", set(), 22, marks=pytest.mark.slow),
    pytest.param("profiles", {"msgspec", "clingo"}, 60, marks=pytest.mark.slow),
    pytest.param("evaluate {gold} {gold}", set(), 60, marks=pytest.mark.slow),
    pytest.param(SOLVED, {"clingo", "msgspec"}, 150, marks=pytest.mark.slow),
)
def test_a_command_imports_what_it_needs(command, needed, ours, tmp_path):
    gold = data_dir() / "samples/headlines/gold.wa"
    call = ("-c", LOADED, *command.format(gold=gold, cache=tmp_path).split())
    if command == SOLVED:
        # Stanza and torch are for sentences that the cache does not know.
        python(*call, check=True)
    done = python(*call, check=True)
    loaded = done.stderr.rpartition("loaded ")[2].split()
    assert {name.partition(".")[0] for name in loaded} & HEAVY <= needed
    assert len([name for name in loaded if name.startswith("ists_asp")]) <= ours


def test_an_interrupt_that_a_library_has_caught_is_not_lost(
    run, sides, pairs, tmp_path, monkeypatch
):
    monkeypatch.setattr("ists_asp.cli.interrupted", signal.SIGTERM)
    result = run("solve", *sides(pairs), "-o", "out.wa")
    assert (result.exit_code, result.stdout) == (130, "")
    assert not (tmp_path / "out.wa").exists()


def test_colours_are_for_terminals_unless_somebody_says_otherwise(run, tmp_path):
    gold = data_dir() / "samples" / "headlines" / "gold.wa"
    (tmp_path / "new.wa").write_text(gold.read_text("utf-8").replace("EQUI // 5", "SIMI // 4", 1))
    auto, always, never = (
        run("--color", wanted, "diff", gold, "new.wa", "--gold", gold).stdout
        for wanted in ("auto", "always", "never")
    )
    assert "\x1b[31m" in always
    assert "\x1b" not in never
    assert re.sub(r"\x1b\[\d+m", "", always) == never == auto
