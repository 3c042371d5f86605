"""Faults that need a process of their own: what is done to the command, and what may become of it.

``fault(name, ends)`` takes a function that runs the command in a place with the fault. Those that
are only a shell line, an environment, or rules stand in tables.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ists_asp.io.store import FILE

SECONDS = 300.0
"""No fault may keep the command longer, on a machine that does other things as well."""

FEW = 6
MANY = 260
"""Pairs of a run that can be interrupted; after every 100 of them it notes how far it is."""

_WORDS = ("cat", "dog", "horse", "man", "woman", "child", "bird", "boat")
_ID = re.compile(r'^<sentence id="([^"]*)" status="([^"]*)">$', re.MULTILINE)
FAULTS = []
SOLVE = [sys.executable, "-m", "ists_asp", "solve", "--profile", "baseline"]


class Told(NamedTuple):
    """The command ends with one line that says what is wrong, if any, and writes no output."""

    words: str | None
    code: int = 1


class Same(NamedTuple):
    """The output has the same bytes as without the fault."""

    pairs: int


class Failed(NamedTuple):
    """These pairs have no answer and are named; all others are there."""

    ids: tuple[str, ...]
    pairs: int


class Fault(NamedTuple):
    """A fault; ``inject`` runs the command with it and returns how the last run ended."""

    name: str
    inject: Callable[[Place], subprocess.CompletedProcess]
    ends: Told | Same | Failed


@dataclass
class Place:
    """An empty folder; ``whole`` has the answers of an undisturbed run, by number of pairs."""

    folder: Path
    cache: Path
    whole: dict[int, bytes]
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def out(self):
        return self.folder / "out.wa"

    @property
    def drafts(self):
        """The drafts, which have letters drawn by lot in their names."""
        return sorted(self.folder.glob(".ists-asp-*.part"))

    def holding(self, content, name="pairs.tsv"):
        """Itself, with a file of this content."""
        (self.folder / name).write_text(content)
        return self

    def pairs(self, count=FEW, **variables):
        """Itself, with so many pairs, and these variables of the environment."""
        self.environment.update(variables)
        return self.holding(pairs(count))

    def command(self, *options, pairs="pairs.tsv"):
        return [*SOLVE, "--tsv", pairs, "-o", "out.wa", "--cache", str(self.cache), *options]

    def solve(self, *options, pairs="pairs.tsv"):
        return self.run(self.command(*options, pairs=pairs))

    def run(self, command):
        return self.ended(self.begun(command))

    def shell(self, text):
        """Run ``$solve`` in a shell."""
        self.environment["solve"] = " ".join([*SOLVE, "--cache", str(self.cache)])
        return self.run(["bash", "-c", text])

    def begun(self, command):
        none, environment = subprocess.DEVNULL, os.environ | self.environment
        streams = {"stdin": none, "stdout": none, "stderr": subprocess.PIPE, "errors": "replace"}
        return subprocess.Popen(command, cwd=self.folder, env=environment, text=True, **streams)

    def ended(self, process):
        """How a command ended, which is waited for."""
        errors = process.communicate(timeout=SECONDS)[1]
        return subprocess.CompletedProcess(process.args, process.returncode, stderr=errors)

    def under_way(self, *options):
        """A run over many pairs, of which some are on disk."""
        process = self.pairs(MANY).begun(self.command("--no-incremental", *options))
        wait_for(lambda: any(draft.stat().st_size for draft in self.drafts))
        return process

    def answers(self):
        """Id and status of each pair in the output, in order."""
        return _ID.findall(self.out.read_text("utf-8"))


def pairs(count):
    words = ((n, _WORDS[n % 8], _WORDS[n // 8 % 8]) for n in range(count))
    return "".join(f"{n}\ta {a} sits near a {b}\ta {b} stands by the {a}\n" for n, a, b in words)


def wait_for(condition, seconds=SECONDS):
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "nothing happened"
        time.sleep(0.01)


def fault(name, ends):
    """Add a function to the list of faults."""

    def add(inject):
        FAULTS.append(Fault(name, inject, ends))
        return inject

    return add


# Shell lines, and the surroundings of the command.

_FILE = "$solve --tsv pairs.tsv -o out.wa -q"
_PIPED = "$solve --tsv pairs.tsv -q"
_FULL = Told("No space left on device")
_COPIED = "ulimit -f 1; for _ in {1..200}; do cat pairs.tsv; done | $solve --tsv - -o out.wa"
_SMALL = f"ulimit -f 60; {_FILE}"

for _name, _ends, _count, _text in (
    ("the disk is full", _FULL, FEW, f"{_PIPED} -o /dev/full"),
    ("the folder may not be written", Told("cannot be written"), FEW, f"{_PIPED} -o /proc/out.wa"),
    ("nobody reads", Told(None), MANY, f'{_PIPED} | head -n 1; exit "${{PIPESTATUS[0]}}"'),
    ("standard output is closed", Told("standard output is closed", 2), FEW, f"{_PIPED} >&-"),
    ("standard input is closed", Told("standard input is closed", 2), FEW, "$solve --tsv - <&-"),
    ("no room for a copy", Told("cannot be stored: File too large"), MANY, _COPIED),
    ("few files may be open", Same(FEW), FEW, f"ulimit -n 40; {_FILE}"),
    ("new files may be read by nobody", Same(FEW), FEW, f"umask 0777; {_PIPED} > out.wa"),
    ("there is no program on the path", Same(FEW), FEW, f"PATH=; {_FILE}"),
    (
        *("a scheduler is not there", Told("there are no workers"), FEW),
        "$solve --table pairs.tsv -o parts --engine dask --scheduler tcp://127.0.0.1:9",
    ),
):
    fault(_name, _ends)(lambda place, count=_count, text=_text: place.pairs(count).shell(text))

for _name, _variables in (
    ("the locale knows ASCII only", {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
    ("the locale is not installed", {"LC_ALL": "xx_XX.KOI8-R"}),
    ("there is no home", {"HOME": "/nonexistent", "XDG_CACHE_HOME": ""}),
    ("there is no place for drafts", {"TMPDIR": "/nonexistent"}),
    ("the terminal is dumb and narrow", {"TERM": "dumb", "COLUMNS": "1", "LINES": "1"}),
    ("Python leaves assertions out", {"PYTHONOPTIMIZE": "2"}),
    ("Python hashes in another order", {"PYTHONHASHSEED": "77"}),
    ("there are more threads than processors", {"OMP_NUM_THREADS": "64"}),
    ("the time zone is unknown", {"TZ": "Nowhere/Never"}),
):
    fault(_name, Same(FEW))(lambda place, more=_variables: place.pairs(**more).solve("-q"))


# Rules without an end, or that make clingo crash.

_BOMB = 'bomb :- word(1,_,"bomb").\n'
_DEEP = "deep(0) :- bomb. deep(N+1) :- deep(N)."
_PIGEONS = "{ in(P,H) : H=1..11 } = 1 :- P=1..12, bomb. :- in(P,H), in(Q,H), P<Q."
_MANY = "many(A,B,C,D) :- bomb, A=1..900, B=1..900, C=1..900, D=1..900."
_MOST = "#maximize { 2147483647@9,I : word(1,I,_) }. n(2147483647+1). n(-2147483648*-1)."
_NESTED = f"p({'f(' * 30_000}1{')' * 30_000})."
_ONE = Failed(("1",), FEW)
_NO_END = Told("before any pair, those of mine.lp among them")

for _name, _ends, _rules, *_options in (
    ("grounding a pair has no end", _ONE, _DEEP, "--timeout", "1"),
    ("solving a pair has no end", _ONE, _PIGEONS, "--timeout", "1"),
    ("a pair takes all memory", _ONE, _MANY, "--timeout", "50", "--memory", "360"),
    ("a pair has no answer set", _ONE, ":- bomb."),
    ("what is shown is no answer", _ONE, "label(1,1,evil) :- bomb.", "--lax"),
    ("an answer has tokens that it lacks", _ONE, "span_token(1,X,999) :- bomb, aligned(X,_)."),
    ("an alignment has two labels", _ONE, "label(X,Y,noali) :- bomb, aligned(X,Y).", "--lax"),
    ("scores are out of range", _ONE, "score(X,Y,99) :- bomb, aligned(X,Y).", "--lax"),
    ("weights overflow", _ONE, "#maximize { 2147483647@9,I : bomb, aligned(_,_), I = 1..2 }."),
    ("a pair divides what overflows", _ONE, "x(-2147483648/I) :- bomb, I = -1..-1."),
    ("all pairs divide what overflows", Told("arithmetic overflow"), "x(-2147483648/-1)."),
    ("terms are nested until clingo crashes", Told("the rules cannot be loaded"), _NESTED),
    ("a rule file includes a device", Told("outside the rule folder"), '#include "/dev/zero".'),
    ("a script", Told("#script is refused"), "#script (python) import os; os.abort() #end."),
    ("a table has a billion rows", _NO_END, "p(1..1000000000).\n"),
    ("a cross product", _NO_END, "p(X,Y,Z) :- X=1..2000, Y=1..2000, Z=1..2000.\n"),
    ("a table counts up for ever", _NO_END, "n(0). n(N+1) :- n(N).\n"),
    ("a rule has a million literals", _NO_END, f"p :- {','.join(['q'] * 300_000)}.\n"),
):
    fault(_name, _ends)(
        lambda place, rules=_rules, options=_options: (
            place.holding(pairs(FEW).replace("a dog sits", "a bomb sits", 1))
            .holding(_BOMB + rules, "mine.lp")
            .solve("--rules", "mine.lp", *(options or ("--timeout", "10")))
        )
    )

for _name, _rules in (
    ("weights add up to more than 32 bits, and numbers wrap", _MOST),
    ("terms are nested deeper than Python goes", f":- p({'f(' * 2000}X{')' * 2000})."),
):
    fault(_name, Same(FEW))(
        lambda place, rules=_rules: (
            place.pairs().holding(rules, "mine.lp").solve("-q", "--rules", "mine.lp")
        )
    )


@fault("the rules change while a worker is replaced", Told("a rule file has changed"))
def _(place):
    place.holding(_BOMB + _DEEP, "mine.lp").holding("0\ta bomb\ta bomb\n1\ta cat\ta dog\n")
    process = place.begun(place.command("--rules", "mine.lp", "--timeout", "3"))
    wait_for(lambda: place.drafts)
    place.holding(_BOMB + "more.", "mine.lp")
    return place.ended(process)


# The input.


@fault("the lines of the input are shuffled", Same(FEW))
def _(place):
    ending = place.holding("".join(reversed(pairs(FEW).splitlines(keepends=True)))).solve("-q")
    # The answers are those of the ids, in the order of the input.
    parts = [f"{part}\n\n\n" for part in place.out.read_text().split("\n\n\n") if part]
    place.out.write_text("".join(reversed(parts)))
    return ending


@fault("the second file has lost its last lines", Told("3 sentences against 2 in b.txt"))
def _(place):
    place.holding("a cat\na dog\na man\n", "a.txt").holding("a cat\na dog\n", "b.txt")
    return place.run([*SOLVE, "--sent1", "a.txt", "--sent2", "b.txt", "-o", "out.wa"])


@fault("the input is a link to itself", Told("cannot be read: Too many levels of symbolic links"))
def _(place):
    (place.folder / "pairs.tsv").symlink_to("pairs.tsv")
    return place.solve()


@fault("the input can be read only once", Same(FEW))
def _(place):
    """A pipe, which the command knows by two names."""
    pipe = place.folder / "pairs.tsv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(pairs(FEW)))
    writer.start()
    ending = place.solve("-q", pairs="./pairs.tsv")
    writer.join()
    return ending


@fault("characters are beyond all reason", Same(FEW))
def _(place):
    odd = "\u202e\u2066x\u0300\u0301\ufeff \U0001f469\u200d\U0001f4bb \x01\x85\u2028 \u0130"
    line = f'odd\t{odd} ﷽\t// <==> \\ " {odd}\n'
    ending = place.holding(pairs(FEW) + line).solve("-q")
    text = place.out.read_bytes()
    assert text.count(b"</sentence>") == FEW + 1
    place.out.write_bytes(text[: text.index(b'<sentence id="odd"')])
    return ending


@fault("the input grows while it is read", Told("the input has changed while it was read"))
def _(place):
    process = place.under_way()
    with (place.folder / "pairs.tsv").open("a") as stream:
        stream.write("more\ta cat\ta dog\n")
    return place.ended(process)


# The output.


@fault("the disk is full in the middle, and an old output is there", Told("File too large"))
def _(place):
    place.out.write_text("old")
    ending = place.pairs(MANY).shell(_SMALL)
    assert place.out.read_text() == "old"
    place.out.unlink()
    return ending


@fault("the disk is full in the middle, then there is room", Same(MANY))
def _(place):
    assert place.pairs(MANY).shell(_SMALL).returncode == 1
    return place.solve("-q")


@fault("the folder of the output is removed meanwhile", Told("cannot be written"))
def _(place):
    source, place.folder = place.pairs(MANY).folder / "pairs.tsv", place.folder / "sub"
    place.folder.mkdir()
    process = place.begun(place.command("-q", pairs=str(source)))
    wait_for(lambda: any(draft.stat().st_size for draft in place.drafts))
    shutil.rmtree(place.folder)
    return place.ended(process)


@fault("somebody else's file has the name of a journal", Same(MANY))
def _(place):
    journal = place.folder / ".ists-asp-out.wa.journal"
    journal.write_text("[]\n")
    ending = place.pairs(MANY).solve("-q")
    assert (ending.stderr, journal.read_text()) == ("", "[]\n")
    return ending


@fault("two runs write the same output", Same(MANY))
def _(place):
    process = place.under_way("-q")
    # Halted, or it may be done before the other begins.
    process.send_signal(signal.SIGSTOP)
    ending = place.solve("-q")
    assert ending.returncode == 0
    assert len(place.drafts) == 1, "that of a run that lives"
    process.send_signal(signal.SIGCONT)
    return place.ended(process)


@fault("the run is killed between the moments when its outputs appear", Same(MANY))
def _(place):
    process = place.under_way("-q", "--trace", "out.jsonl")
    process.kill()
    process.communicate()
    place.drafts[0].rename(place.out)
    return place.solve("-q", "--trace", "out.jsonl")


# The cache.


def _copy(place):
    """Give the place a cache of its own, and open it."""
    copy = place.folder / "cache"
    shutil.copytree(place.cache, copy)
    place.cache = copy
    return sqlite3.connect(copy / FILE)


for _name, _value in (
    ("the cache holds JSON of another shape", '[{"lemma": 1}, [2]]'),
    ("the cache holds too few words", '[["a", "X", "X"]]'),
    ("the cache is random", None),
):

    @fault(_name, Same(FEW))
    def _(place, value=_value):
        with closing(_copy(place)) as database, database:
            if value is not None:
                database.execute("UPDATE entries SET value = ?", (value,))
        if value is None:
            (place.cache / FILE).write_bytes(os.urandom((place.cache / FILE).stat().st_size))
        return place.pairs().solve("-q")


@fault("the disk of the cache is full", Same(FEW))
def _(place):
    _copy(place).close()
    return place.pairs().shell("(ulimit -f 1; $solve --tsv pairs.tsv -q) | cat > out.wa")


@fault("there is no place for a cache by default", Same(FEW))
def _(place):
    place.environment = {"XDG_CACHE_HOME": "/proc/none", "HOME": "/proc/none"}
    given = place.command("-q")
    return place.pairs().run([one for one in given if one not in ("--cache", str(place.cache))])


# Processes that are killed.


def _below(pid):
    """The processes below a process, with their command lines, children first."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        line = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        found += [(int(child), line), *_below(int(child))]
    return found


def _killing(place, chosen):
    """Kill some of the maker of workers and its children while two of these are at work."""
    process = place.under_way("-q", "--jobs", "2")
    (maker,) = [child for child, line in _below(process.pid) if "forkserver" in line][:1]
    for child in chosen(maker, [child for child, _ in _below(maker)]):
        os.kill(child, signal.SIGKILL)
    return place.ended(process)


for _name, _chosen in (
    ("a worker is", lambda _, workers: workers[:1]),
    ("all workers are", lambda _, workers: workers),
    ("the process that makes workers is", lambda maker, _: [maker]),
):
    fault(f"{_name} killed", Same(MANY))(lambda place, chosen=_chosen: _killing(place, chosen))


@fault("the parent is killed while a worker grounds without end", Same(MANY))
def _(place):
    place.holding("1\ta bomb\ta bomb\n", "bomb.tsv")
    place.holding('deep(0) :- word(1,_,"bomb"). deep(N+1) :- deep(N).', "bomb.lp")
    options = ("--rules", "bomb.lp", "--timeout", "50")
    process = place.begun(place.command(*options, pairs="bomb.tsv"))
    wait_for(lambda: place.drafts and any(_seconds(one) > 2.5 for one, _ in _below(process.pid)))
    below = [child for child, _ in _below(process.pid)]
    process.kill()
    process.communicate()
    # Nothing of it goes on.
    wait_for(lambda: all(_stat(child)[:1] in ([], ["Z"]) for child in below), 60)
    return place.pairs(MANY).solve("-q")


def _stat(pid):
    """What the system says of a process behind its name; nothing if it has gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _seconds(pid):
    return sum(map(int, _stat(pid)[11:13])) / os.sysconf("SC_CLK_TCK")
