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
from tests.sharing import COMMANDS

COMMAND = [sys.executable, "-m", "ists_asp"]


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


def test_help_loads_neither_clingo_nor_stanza():
    script = (
        "import sys; from ists_asp.cli.app import main\n"
        "try: main(['solve', '--help'])\n"
        "finally: print(sorted({'clingo', 'torch', 'stanza', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.endswith("\n[]\n")


def test_closed_pipe_is_silent():
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, "profiles"], stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert done.stderr == b""


@pytest.mark.slow
def test_output_is_utf8_in_the_c_locale(tmp_path):
    environment = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    text = '%@rule mine: "Café „日本“"\nmine.\n'
    (tmp_path / "x.lp").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [*COMMAND, "rules", "show", "mine", "--profile", "baseline", "--rules", tmp_path / "x.lp"],
        capture_output=True,
        env=environment,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode("utf-8").endswith(f"x.lp:2 (answer and explanation)\n{text}")


@pytest.mark.slow
def test_terminal_gets_text():
    master, slave = pty.openpty()
    done = subprocess.run([*COMMAND, "solve", "a cat", "one dog"], stdout=slave)
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "needed", "ours"),
    [
        (["--version"], set(), 22),
        (["profiles"], {"msgspec", "clingo"}, 60),
        (["evaluate", "{gold}", "{gold}"], set(), 60),
        (
            ["solve", "--profile", "headlines", "--cache", "{cache}", "Dogs bark", "Dogs bark"],
            {"clingo", "msgspec"},
            150,
        ),
    ],
    ids=lambda each: each[0] if isinstance(each, list) else "",
)
def test_a_command_imports_what_it_needs(arguments, needed, ours, tmp_path):
    places = {"gold": data_dir() / "samples/headlines/gold.wa", "cache": tmp_path}
    command = [sys.executable, "-c", LOADED, *(one.format(**places) for one in arguments)]
    if "solve" in arguments:
        # Stanza and torch are for sentences that the cache does not know.
        subprocess.run(command, capture_output=True, check=True, timeout=120)
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
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
    told = {
        wanted: run("--color", wanted, "diff", gold, "new.wa", "--gold", gold).stdout
        for wanted in ("auto", "always", "never")
    }
    assert "\x1b[31m" in told["always"]
    assert "\x1b" not in told["auto"] + told["never"]
    assert re.sub(r"\x1b\[\d+m", "", told["always"]) == told["never"] == told["auto"]
