"""Commands that load rules in their own process do so in one that can be killed."""

import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from ists_asp import processes
from ists_asp.cli.app import main
from ists_asp.cli.driver import Working
from ists_asp.errors import RuleError, inside
from ists_asp.io.text import make_sentence
from ists_asp.io.wa import write_pair
from ists_asp.model import Alignment, Label, Pair
from ists_asp.run import pool
from ists_asp.run.pool import ask_each
from tests.sharing import cases, python

SENTENCES = ("a cat sits", "a dog sits")
CRASHED = "error: deep.lp: with these rules the command crashed (signal 11). "
CRASH = f"p({'f(' * 30_000}1{')' * 30_000})."
PROBES = """
import signal, sys, time
from ists_asp.run.worker import step

def work(what):
    if what == "steps":
        for _ in range(12):
            ends = time.process_time() + 0.1
            while time.process_time() < ends:
                pass
            step()
        return "done"
    if what == "deaf":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print(0, flush=True)
    hoard = []
    while True:
        if what == "memory":
            hoard.append(bytearray(10_000_000))
"""
APART = """
from functools import partial
import click, probes
from ists_asp import processes
from ists_asp.cli.app import main
from ists_asp.run import pool

@main.command()
@click.argument("what")
def probe(what):
    seconds = 1.0 if what in ("time", "steps") else 60.0
    click.echo(pool.apart(partial(probes.work, what), seconds))

processes.is_command = True
pool.MEMORY = 300
main()
"""


ASKED = {
    **{
        f"{command} cat dog{more}": ["--rules mine.lp", "-c highest=4"]
        for command, more in (
            *(("trace", ""), ("report", ""), ("facts", ""), ("why", " rating")),
            *(("why-not", " rating"), ("rules where may_align", " --gold gold.wa")),
        )
    },
    "diff shipped mine.lp cat dog": ["", "-c highest=4"],
    "learn --gold gold.wa": ["--rules mine.lp"],
    "learn --task sts --gold a.tsv": ["--rules mine.lp"],
    "rules list": ["--rules mine.lp"],
    "rules show may_align": ["--rules mine.lp"],
    "rules check mine.lp": [""],
}
DEEP = "pair deep: a rule or a term is nested too deeply. Break up its terms"


@cases(
    "ids | expected",
    ("", []),
    ("a b", ["a+", "b+"]),
    ("a", ["a"]),
    ("a odd b c d", ["a", "pair odd: odd; expected x. Y", "b", "c+", "d+"]),
    ("a odd deep", ["a", "pair odd: odd; expected x. Y", DEEP]),
)
def test_a_pair_that_fails_costs_no_other_pair(ids, expected):
    asked = []

    def decide(_system, pairs):
        asked.append(len(pairs))
        for pair in pairs:
            if pair.id == "odd":
                raise RuleError("odd", where="pair odd", expected="x", hint="Y", excerpt=None)
            if pair.id == "deep":
                raise RecursionError
        yield from (f"{pair.id}{'+' * (len(pairs) > 1)}" for pair in pairs)

    def ask(question, pairs):
        with inside(pairs[0]):
            return list(question(None, pairs))

    pairs = [SimpleNamespace(id=name) for name in ids.split()]
    batches = [pairs[at : at + 3] for at in range(0, len(pairs), 3)]
    assert [str(result) for _, result in ask_each(ask, batches, decide)] == expected
    assert sum(asked) <= 2 * len(pairs), "each is asked about at most twice"


def test_a_search_may_be_silent_for_the_time_that_is_promised():
    given = []
    asker = SimpleNamespace(ask=lambda *_, limit, **__: given.append(limit.seconds), warnings=())
    for seconds in (10.0, 100.0):
        setup = SimpleNamespace(limits=SimpleNamespace(seconds=seconds))
        system = SimpleNamespace(setup=setup, models_warnings=())
        Working(system, asker).ask(None)
    assert given == [pool.SECONDS, 260.0] == [120.0, 260.0]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["trace", "why", "report"])
def test_a_pair_that_takes_too_long_to_trace_is_one_line(tmp_path, command):
    words = " ".join(f"{word}{number}" for number in range(20) for word in ("a", "cat", "sat"))
    question = ["1 <==> 1"] if command == "why" else []
    script = f"""if True:
        from ists_asp.cli.app import main
        from ists_asp import processes
        from ists_asp.run import pool
        processes.is_command = True
        pool.lifetime = lambda seconds, pairs: seconds
        main({[command, "--timeout", "0.3", words, words, *question]!r})
    """
    found = python("-c", script, cwd=tmp_path)
    what = "answer" if command == "report" else "trace"
    line = f"error: pair 1: no {what} within 0.3 s. Allow more time, or simplify the rules\n"
    assert (found.returncode, found.stdout, found.stderr) == (1, "", line)


@pytest.mark.parametrize("command", ASKED)
def test_what_users_wrote_is_used_in_a_child(tmp_path, monkeypatch, command):
    class BegunError(Exception):
        pass

    def begin(_worker):
        raise BegunError

    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.lp").write_text("syntax error")
    (tmp_path / "mine.toml").write_text("syntax error")
    (tmp_path / "a.tsv").write_text("3\ta cat\ta dog\n")
    cat, dog = make_sentence(["cat"]), make_sentence(["dog"])
    gold = write_pair(Pair("1", cat, dog), [Alignment((1,), (1,), Label.SIMI, 3.0)])
    (tmp_path / "gold.wa").write_text(gold)
    monkeypatch.setattr(processes, "is_command", True)
    monkeypatch.setattr(pool.Worker, "begin", begin)
    # Nothing reads the files before.
    for option in ASKED[command]:
        with pytest.raises(BegunError):
            CliRunner().invoke(main, f"{command} {option}".split(), catch_exceptions=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "rule", "words"),
    [
        *((command, CRASH, CRASHED) for command in ("trace", "facts", "report")),
        ("rules list", CRASH, CRASHED.replace("deep.lp: ", "")),
        ("trace", f":- p({'f(' * 2000}X{')' * 2000}).", "nested too deeply"),
    ],
    ids=lambda value: value[:20],
)
def test_rules_too_deep_for_clingo_or_python_are_one_line(tmp_path, command, rule, words):
    (tmp_path / "deep.lp").write_text(rule)
    sentences = () if command == "rules list" else SENTENCES
    call = (*command.split(), "--rules", "deep.lp", *sentences)
    done = python("-m", "ists_asp", *call, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert words in done.stderr


@pytest.mark.slow
@cases(
    "what | code | words",
    ("time", 1, "error: the rules take more than 1 s. "),
    ("memory", 1, "error: more than 300 MB of memory. "),
    ("steps", 0, ""),
)
def test_a_child_is_killed_at_its_limits_only(tmp_path, what, code, words):
    (tmp_path / "probes.py").write_text(PROBES)
    found = python("-c", APART, "probe", what, cwd=tmp_path)
    assert found.returncode == code, found.stderr
    assert found.stderr.startswith(words)
    assert found.stderr.count("\n") == (1 if words else 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_child_ends_with_its_parent(tmp_path, number):
    (tmp_path / "probes.py").write_text(PROBES)
    command = [sys.executable, "-c", APART, "probe", "deaf"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, cwd=tmp_path, **pipes)
    assert process.stdout.readline() == "0\n"
    process.send_signal(number)
    # The child holds standard error: that this returns at all says that it has ended.
    errors = process.communicate(timeout=60)[1]
    assert process.returncode == (130 if number == signal.SIGINT else -number)
    assert errors == ""
