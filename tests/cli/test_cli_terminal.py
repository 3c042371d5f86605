"""The command as a whole; nothing that anybody wrote acts on a terminal that shows it."""

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from string import Template

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import ists_asp
from ists_asp.cli import console
from ists_asp.cli.app import main
from ists_asp.cli.console import progress, warn
from ists_asp.errors import DataError, RuleError
from ists_asp.resources import data_dir
from ists_asp.terminal import behind, door, one_line, open_doors, plain, styled, unbroken, visible
from tests.sharing import COMMANDS, cases, python
from tests.terminal import Terminal, acts

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
MARK = "ZQX"
WORD = f"\u202e{MARK}\u2066\u200f\u061c[red]%s"
"""What can stand in a sentence, where all other characters are read as blanks."""
LINE = f"\x1b[41m\x1b[2J\x1b]0;t\x07\r\x08\x7f\x9b2J{WORD}\u2028\u2029\x85\x0b\x0c"
"""What can stand on a line of a file."""
HOSTILE = f"{LINE}\t\nFAKED: x"
NAME = f"{HOSTILE}\udcff"
"""A name of a file that is not UTF-8."""
PAIR = ("--tokens", "--tsv", f"{NAME}.tsv")
PROFILED = ("--profile", HOSTILE)
OWN = ("--rules", HOSTILE, *PROFILED)
SILENT = {("cache", "clear"), ("config",)}
"""Commands that repeat nothing that they read."""
UNTOLD = {
    *(("cache", "--cache"), ("diff", "--rules"), ("learn", "--reader"), ("report", "--answers")),
    *((name, "--scheduler") for name in ("solve", "explain", "sts", "feedback")),
    *((name, f"--{what}") for name in ("evaluate", "learn") for what in ("gold-col", "sheet")),
    *(("evaluate", "--encoding"), ("learn", "--encoding")),
}
"""Options that are refused, or done with, whatever their value."""
OURS = re.compile(rb"\x1b\[(?:0|1|3\d|9\d|\?25[lh]|2K|1A|38;5;\d+)m?|\r(?=\x1b)")
"""Colours of ours, and what draws a bar; the hostile text has none of it."""
# serve goes on until it is told to end: see tests/workbench/test_serve_command.py.
LEAVES = {path: COMMANDS[path] for path in COMMANDS if not isinstance(COMMANDS[path], click.Group)}


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
    ("tty", "total", "shown"),
    [(True, 2, True), (True, 1, True), (True, 2, False), (False, 2, True)],
)
def test_progress_is_for_several_pairs_on_a_terminal(monkeypatch, tty, total, shown):
    stream = io.StringIO()
    stream.isatty = lambda: tty
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with console.progress(total, shown=shown) as step:
        step()
    seen = tty and shown and total > 1
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
    # The last one holds for what other tests print.
    always, never, auto = (
        run("--color", wanted, "diff", gold, "new.wa", "--gold", gold).stdout
        for wanted in ("always", "never", "auto")
    )
    assert "\x1b[31m" in always
    assert "\x1b" not in never
    assert re.sub(r"\x1b\[\d+m", "", always) == never == auto


def hostile(name, **more):
    """The text of a file in ``hostile``, with hostile texts in it."""
    text = Path(__file__).with_name("hostile").joinpath(name).read_text("utf-8")
    return Template(text).substitute(line=LINE, word=WORD, toml=toml(HOSTILE), **more)


def toml(text):
    """A text as TOML has it."""
    return json.dumps(text).replace("\x7f", "\\u007f")


@pytest.fixture(scope="module")
def terminal():
    found = Terminal()
    yield found
    found.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of files with hostile names and contents."""
    root = tmp_path_factory.mktemp("terminal")
    word = re.sub(r"([\[\]])", r"\\\1", WORD)
    templates = (data_dir() / "templates" / "en.toml").read_text("utf-8")
    texts = {
        f"{NAME}1": f"cats {WORD} cats\ncats {LINE}\n",
        f"{NAME}2": f"cats {WORD}\ncats {LINE}\n",
        f"{NAME}/gold/sent1.txt": f"cats {WORD} cats\n",
        f"{NAME}/gold/sent2.txt": f"cats {WORD}\n",
        f"{NAME}/gold/sent1.chunk.txt": f"[ cats ] [ {word} ] [ cats ]\n",
        f"{NAME}/gold/sent2.chunk.txt": f"[ cats ] [ {word} ]\n",
        f"{NAME}/gold/gold.wa": hostile("answers.wa", id="1", label="EQUI // 5"),
        f"{NAME}.gold.wa": hostile("answers.wa", id=WORD, label="EQUI // 5"),
        f"{NAME}.wa": hostile("answers.wa", id=WORD, label="SIMI // 4"),
        f"{NAME}.feedback.tsv": f"id\tanswer\treference\n{WORD}\tcats {WORD}\tcats {WORD}\n",
        f"{NAME}.tsv": f"{WORD}\tcats {WORD} cats\tcats {WORD}\n",
        f"{NAME}.sts.tsv": "".join(
            f"{points}\tcats {WORD}{more1}\tcats {WORD}{more2}\n"
            for points, more1, more2 in ((5, " cats", ""), (0, "", " cats"))
        ),
        f"{NAME}.rules/own.lp": "own.",
        f"{NAME}.tests/tests.tsv": f'cats {WORD}\tcats {WORD}\t"cats {WORD}" not aligned\n',
        f"{NAME}.tests/none.lp": "none.",
        f"{HOSTILE}.lp": f'own :- "{LINE}" "{LINE}".',
        f"{HOSTILE}.toml": templates.replace('"there is nothing to compare"', toml(LINE)),
    }
    for base, weight in ((HOSTILE, "5"), (f"{HOSTILE}2", "-5")):
        texts[f"{base}/profiles/{HOSTILE}.toml"] = hostile("profile.toml")
        for name in ("answer.lp", "rating.lp", "explanation.lp"):
            texts[f"{base}/own/{name}"] = hostile(name, weight=weight)
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


TYPED = {
    ("solve",): [
        ("--sent1", f"{NAME}1", "--sent2", f"{NAME}2", *OWN, "--format", "jsonl", "-o", "/dev/tty"),
        (*PAIR, *OWN, "--format", "text", "--trace", "/dev/tty"),
    ],
    ("sts",): [(*PAIR, *OWN)],
    ("config",): [()],
    ("feedback",): [(f"{NAME}.feedback.tsv", *OWN)],
    ("explain",): [(*PAIR, *OWN, "--templates", f"{HOSTILE}.toml")],
    ("report",): [(*PAIR, *OWN, "--gold", f"{NAME}.wa", "-o", f"{NAME}.html")],
    ("trace",): [(*PAIR, *OWN, "--depth", "9", "--all")],
    ("fix",): [(f"cats {WORD} cats", f"cats {WORD}", f'"cats {WORD}" ~ "cats {WORD}" EQUI', *OWN)],
    ("why",): [(*PAIR, *OWN, "1 <==> 1")],
    ("why-not",): [(*PAIR, *OWN, "1 <==> 2")],
    ("facts",): [(*PAIR, *OWN)],
    ("chunk",): [(*PAIR, *OWN)],
    ("evaluate",): [(f"{NAME}.gold.wa", f"{NAME}.wa", "--by-pair")],
    ("check",): [(f"{NAME}.wa", "--stats")],
    ("diff",): [
        (HOSTILE, f"{HOSTILE}2", *PAIR, *PROFILED),
        (f"{NAME}.gold.wa", f"{NAME}.wa", "--gold", f"{NAME}.gold.wa"),
    ],
    ("rules", "copy"): [(f"{NAME}.copy",)],
    ("rules", "list"): [OWN],
    ("rules", "show"): [("own_chunks", *OWN), ("own_chunks", *OWN, "--json")],
    ("rules", "find"): [("own", *OWN), ("own", *OWN, "--json")],
    ("rules", "vocabulary"): [OWN, ("own", *OWN, "--json")],
    ("rules", "where"): [("own_chunks", *PAIR, *OWN), ("own_chunks", *PAIR, *OWN, "--json")],
    ("rules", "test"): [(f"{NAME}.tests", *OWN), (f"{NAME}.tests", *OWN, "--json")],
    ("rules", "check"): [(HOSTILE, f"{HOSTILE}.lp", *PROFILED, "--sample", f"{NAME}/gold")],
    ("profiles",): [("--rules", HOSTILE), ("--rules", HOSTILE, "--json")],
    ("learn",): [("--task", "sts", "--gold", f"{NAME}.sts.tsv", *OWN)],
    ("cache", "info"): [("--cache", f"{NAME}.cache")],
    ("cache", "clear"): [("--cache", f"{NAME}.cache")],
}


del LEAVES["serve",]


def check(screen, command):
    """What a command wrote, of which nothing moves the cursor, colours, turns or lies."""
    text = OURS.sub(b"", screen.output).decode("utf-8")
    acting = {character for character in text if acts(character)} - {"\n", "\t"}
    assert not acting, (command, text)
    assert not re.search(r"^\W*FAKED", text, re.MULTILINE), (command, text)
    assert "Traceback" not in text, (command, text)
    return text


@pytest.mark.slow
@pytest.mark.parametrize("command", TYPED, ids=" ".join)
def test_hostile_texts_are_shown(command, terminal, folder):
    for arguments in TYPED[command]:
        screen = terminal.run(*command, *arguments, folder=folder)
        text = check(screen, (command, arguments))
        assert (MARK in text) == (command not in SILENT)
        # The file with a syntax error is what rules check is given, the example fails, and the
        # profile judges no answers of students.
        failing = command in (("rules", "check"), ("rules", "test"), ("feedback",))
        assert screen.code == int(failing), text


def test_no_command_is_forgotten():
    assert LEAVES.keys() == TYPED.keys()


@pytest.mark.slow
def test_hostile_options_are_shown(terminal, folder):
    calls = [[HOSTILE], [f"--{NAME}"], ["rules", HOSTILE]]
    calls.append(["rules", "list", "--rules", f"{NAME}.rules"])
    for path, command in LEAVES.items():
        calls.append([*path, f"--{NAME}"])
        for parameter in command.params:
            if not (isinstance(parameter, click.Option) and parameter.is_flag):
                question = ["1 <==> 1"] if path[0].startswith("why") else []
                question += ["own"] if path[-1] == "where" else []
                question += ["a cat", "a dog", "cat aligned"] if path == ("fix",) else []
                given = [*_needed(command, parameter), *_given(parameter)]
                calls.append([*path, *given, *question])
    screens = zip(calls, terminal.run_all(calls, folder), strict=True)
    untold = {(call[0], call[-2]) for call, screen in screens if MARK not in check(screen, call)}
    assert untold == UNTOLD


def _needed(command, besides):
    """What must be there besides, so that an argument or option comes to be looked at.

    All stops at the profile, which is hostile as well and is not there.
    """
    known = {option for parameter in command.params for option in parameter.opts}
    inputs = ("sentences", "table", "sent1", "sent2", "jsonl")
    found = [*PAIR] if "--tsv" in known and besides.name not in inputs else []
    found += ["--profile", f"{NAME}.none"] if "--profile" in known else []
    for parameter in command.params:
        if parameter.required and parameter is not besides:
            found += _given(parameter)
    if besides.name in ("sent1", "sent2"):
        found += [f"--sent{3 - int(besides.name[-1])}", NAME]
    return found


def _given(parameter):
    """What is typed for an argument or an option."""
    if isinstance(parameter, click.Option):
        return [parameter.opts[0], NAME]
    return [NAME, NAME] if parameter.name == "sentences" else [NAME]


ANY = st.text(st.characters(categories=None))


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_what_acts_is_shown_and_nothing_else_is_touched():
    everything = [chr(number) for number in range(0x110000)]
    active = {character for character in everything if acts(character)} - {"\t", "\n"}
    for character in active:
        shown = visible(character)
        assert (shown.isascii(), shown.isprintable()) == (True, True)
        assert json.loads(f'"{shown}"') == character
    # Deprecated ones are not for display either.
    shown_as_codes = active | set("\u206a\u206b\u206c\u206d\u206e\u206f")
    rest = "".join(char for char in everything if char not in shown_as_codes)
    assert visible(rest) == rest
    assert visible("a\x1b[31m\r\x9b2J\u202e\udcff\tb\nc") == (
        "a\\u001b[31m\\r\\u009b2J\\u202e\\udcff\tb\nc"
    )
    assert one_line("a\tb\nc\r\x0b\x85") == "a\\tb\\nc\\r\\u000b\\u0085"
    assert unbroken("  a \n\n  b\t\x1b ") == "  a  b\t\x1b"


@given(ANY)
def test_a_line_stays_a_line_and_cleaning_twice_is_cleaning_once(text):
    shown = one_line(text)
    assert shown.splitlines() in ([], [shown])
    assert not any(map(acts, shown))
    assert one_line(shown) == shown
    assert visible(visible(text)) == visible(text)


@given(ANY, ANY)
def test_only_our_own_colours_pass_and_only_to_terminals(ours, theirs):
    text = f"{theirs}\x1b[31m{styled(ours, 'red')}\x1b[0m"
    screen, file = Screen(), io.StringIO()
    for stream in (screen, file):
        print(text, end="", file=door(stream))
    before, after = visible(f"{theirs}\x1b[31m"), "\\u001b[0m"
    assert screen.getvalue() == f"{before}\x1b[31m{visible(ours)}\x1b[0m{after}"
    assert file.getvalue() == f"{before}{visible(ours)}{after}"
    assert plain(text) == f"{theirs}\x1b[31m{ours}\x1b[0m"
    # There is one door only.
    once = door(screen)
    assert door(once) is once
    assert behind(once) is behind(screen) is screen
    once.writelines(["a\x1b", "b"])
    assert screen.getvalue().endswith("a\\u001bb")


@pytest.mark.parametrize("kind", [Screen, io.StringIO])
def test_standard_output_is_cleaned_for_people_only(kind, monkeypatch):
    out, err = kind(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    open_doors()
    print("\x9b", end="")
    print("\x9b", end="", file=sys.stderr)
    assert (out.getvalue(), err.getvalue()) == ("\\u009b" if kind is Screen else "\x9b", "\\u009b")


@given(ANY, ANY, ANY)
def test_an_error_is_one_line_whatever_it_quotes(found, where, hint):
    text = str(DataError(found, where=where, expected=found, hint=hint))
    assert not any(map(acts, text))
    assert str(RuleError(found, excerpt="    a\n    ^")).split("\n")[1:] == ["    a", "    ^"]


def test_what_is_printed_while_a_bar_is_drawn_is_cleaned(monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with progress(2, shown=True) as step:
        warn("a\x9b\u202e\x1b[41m[red]\nb")
        print("c\x9b\x1b[41m", file=sys.stderr)
        step()
    shown = screen.getvalue()
    assert "warning: a\\u009b\\u202e\\u001b[41m[red]\\nb" in shown
    assert "c\\u009b\\u001b[41m" in shown
    assert "\x1b[41m" not in shown
    assert sys.stderr is screen
