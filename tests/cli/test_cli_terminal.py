"""No text of anybody moves the cursor, colours, turns or fakes what a terminal shows.

Every command runs in a pseudo-terminal with one hostile text wherever a text can stand: in
sentences, ids, names of files and folders, rules, profiles, templates, values of options.
"""

import json
import re
from pathlib import Path
from string import Template

import click
import pytest

from ists_asp.resources import data_dir
from tests.sharing import COMMANDS as ALL
from tests.terminal import Terminal, acts

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
    *(("evaluate", "--encoding"), ("learn", "--encoding"), ("fix", "a dog")),
}
"""Options that are refused, or done with, whatever their value."""
OURS = re.compile(rb"\x1b\[(?:0|1|3\d|9\d|\?25[lh]|2K|1A|38;5;\d+)m?|\r(?=\x1b)")
"""Colours of ours, and what draws a bar; the hostile text has none of it."""
# serve goes on until it is told to end: see tests/workbench/test_serve_command.py.
LEAVES = {path: ALL[path] for path in ALL if not isinstance(ALL[path], click.Group)}


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


COMMANDS = {
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
    ("fix",): [(f"cats {WORD} cats", f"cats {WORD}", f'"cats {WORD}" not aligned', *OWN)],
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
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_hostile_texts_are_shown(command, terminal, folder):
    for arguments in COMMANDS[command]:
        screen = terminal.run(*command, *arguments, folder=folder)
        text = check(screen, (command, arguments))
        assert (MARK in text) == (command not in SILENT)
        # The file with a syntax error is what rules check is given, the example fails, and the
        # profile judges no answers of students.
        failing = command in (("rules", "check"), ("rules", "test"), ("feedback",))
        assert screen.code == int(failing), text


def test_no_command_is_forgotten():
    assert LEAVES.keys() == COMMANDS.keys()


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
