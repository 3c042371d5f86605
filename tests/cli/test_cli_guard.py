"""Commands that load rules in their own process do so in one that can be killed."""

import signal
import subprocess
import sys
from importlib import import_module
from itertools import count

import pytest
from click.testing import CliRunner

from ists_asp.cli.app import main
from ists_asp.errors import RuleError
from ists_asp.io.text import make_sentence
from ists_asp.model import Pair
from ists_asp.run import watch as guard
from ists_asp.run.watch import Failed

SENTENCES = ("a cat sits", "a dog sits")
CRASH = f"p({'f(' * 30_000}1{')' * 30_000})."
ISOLATED = """
import sys, time
from ists_asp.run import watch as guard
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


EACH = """
import os, sys, time
from dataclasses import dataclass
from ists_asp.run import watch as guard
from ists_asp.cli.app import main
from ists_asp.cli.console import Failures, warn
from ists_asp.run.watch import Failed, each
from ists_asp.errors import RuleError
import click

@dataclass(frozen=True)
class Pair:
    id: str

def decide(pairs):
    batch = list(pairs)
    for pair in batch:
        # As clingo does, with several pairs at a time.
        if "div" in pair.id: os.kill(os.getpid(), 8)
        if "loop" in pair.id: time.sleep(60)
        while "spin" in pair.id: pass
        if "odd" in pair.id and len(batch) == 1: raise RuleError("odd", where=f"pair {pair.id}")
    if any("odd" in pair.id for pair in batch): raise RuleError("one of them is odd")
    for pair in batch:
        yield f"{pair.id}{'' if len(batch) == 1 else '+'}"

@main.command()
@click.argument("ids", nargs=-1)
def probe(ids):
    guard.isolate()
    warn("only once")
    found, failures = [], Failures()
    for one in each([Pair(id) for id in ids], decide, lambda pair: pair, 0.05):
        guard.alive()
        if isinstance(one, Failed): failures.add(one.pair.id, one.reason)
        found.append(one)
    click.echo(" ".join(one for one in found if not isinstance(one, Failed)))
    failures.end(len(found))

guard.active = True
guard.SECONDS = 2.0
guard.CAREFUL = 3
guard.lifetime = lambda seconds, pairs: seconds
main(["probe", *sys.argv[1:]])
"""
ASKED = {
    "trace cat dog": ["--rules mine.lp", "-c highest=4"],
    "why cat dog rating": ["--rules mine.lp", "-c highest=4"],
    "why-not cat dog rating": ["--rules mine.lp", "-c highest=4"],
    "report cat dog": ["--rules mine.lp", "-c highest=4"],
    "facts cat dog": ["--rules mine.lp", "-c highest=4"],
    "diff shipped mine.lp cat dog": ["", "-c highest=4"],
    "learn --gold gold.wa": ["--rules mine.lp"],
    "learn --task sts --gold a.tsv": ["--rules mine.lp"],
    "rules list": ["--rules mine.lp"],
    "rules show may_align": ["--rules mine.lp"],
    "rules check mine.lp": [""],
    "rules where may_align cat dog --gold gold.wa": ["--rules mine.lp", "-c highest=4"],
}
GOLD = """<sentence id="1" status="">
// a cat
// a dog
<source>
1 a :
2 cat :
</source>
<translation>
1 a :
2 dog :
</translation>
<alignment>
1 2 <==> 1 2 // SIMI // 3 // a cat <==> a dog
</alignment>
</sentence>
"""
DEEP = "a rule or a term is nested too deeply. Break up its terms"
CRASHED = (
    "with these rules the command crashed: arithmetic overflow (signal 8). "
    "Look for a division of -2147483648 by -1, which the processor refuses"
)
SPUN = "pair spin: no answer within 0.05 s. Allow more time, or simplify the rules"
SLOW = "pair loop: the rules take more than 2 s. Look for rules without an end, such as p("


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ids", "code", "out", "told"),
    [
        ("a div b c d e", 3, "a b c d+ e+", [f"pair div: {CRASHED}"]),
        ("odd a div loop b", 3, "a b", ["pair odd: odd", f"pair div: {CRASHED}", SLOW]),
        ("a spin b c", 3, "a b c", [SPUN]),
        ("div", 1, "", [f"pair div: {CRASHED}"]),
        ("spin", 1, "", [SPUN]),
    ],
)
def test_a_pair_that_costs_a_child_its_life_costs_no_other_pair(ids, code, out, told):
    found = call("-c", EACH, *ids.split())
    assert (found.returncode, found.stdout.split()) == (code, out.split()), found.stderr
    first, *lines = found.stderr.splitlines()
    assert first == "warning: only once"
    kind = "error" if code == 1 else "warning"
    assert all(line.startswith(f"{kind}: {what}") for line, what in zip(lines, told, strict=False))
    last = [line for line in lines if line.startswith("warning: no answer for")]
    assert (len(lines), len(last)) == (len(told) + (code == 3), code == 3)


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ("", []),
        ("a b", ["a+", "b+"]),
        ("a", ["a"]),
        ("a odd b c d", ["a", Failed("odd", "odd; expected x. Y"), "b", "c", "d"]),
        ("a odd deep", ["a", Failed("odd", "odd; expected x. Y"), Failed("deep", DEEP)]),
    ],
)
def test_a_pair_that_fails_costs_no_other_pair(ids, expected):
    calls = count()

    def decide(pairs):
        if next(calls) > 2 * len(expected):
            pytest.fail("pairs are tried again without an end")
        batch = list(pairs)
        for pair in batch:
            if pair.id == "odd":
                raise RuleError("odd", where="pair odd", expected="x", hint="Y", excerpt="no")
            if pair.id == "deep":
                raise RecursionError
        yield from (f"{pair.id}{'+' * (len(batch) > 1)}" for pair in batch)

    sentence = make_sentence(["a"])
    pairs = [Pair(identifier, sentence, sentence) for identifier in ids.split()]
    found = guard.each(pairs, decide, lambda pair: pair)
    assert [
        Failed(one.pair.id, one.reason) if isinstance(one, Failed) else one for one in found
    ] == expected


def test_the_error_of_an_only_pair_is_raised():
    def decide(_pairs):
        raise RuleError("odd")
        yield

    only = [Pair("1", make_sentence(["a"]), make_sentence(["b"]))]
    with pytest.raises(RuleError, match="odd"):
        list(guard.each(only, decide, lambda pair: pair))


def test_a_child_of_rules_may_be_silent_for_the_time_that_is_promised():
    assert guard.patience(10.0) == guard.SECONDS == 120.0
    assert guard.patience(100.0) == 260.0


@pytest.mark.slow
@pytest.mark.parametrize("command", ["trace", "why", "report"])
def test_a_pair_that_takes_too_long_to_trace_is_one_line(tmp_path, command):
    words = " ".join(f"{word}{number}" for number in range(20) for word in ("a", "cat", "sat"))
    question = ["1 <==> 1"] if command == "why" else []
    script = f"""if True:
        from ists_asp.cli.app import main
        from ists_asp.run import watch as guard
        guard.active = True
        guard.lifetime = lambda seconds, pairs: seconds
        main({["--timeout", "0.3", words, words, *question]!r})
    """.replace("main([", f"main(['{command}', ")
    found = call("-c", script, folder=tmp_path)
    assert (found.returncode, found.stdout) == (1, "")
    what = "answer" if command == "report" else "trace"
    line = f"error: pair 1: no {what} within 0.3 s. Allow more time, or simplify the rules\n"
    assert found.stderr == line


@pytest.mark.parametrize("command", ASKED)
def test_what_users_wrote_is_used_in_a_child(tmp_path, monkeypatch, command):
    class IsolatedError(Exception):
        pass

    def isolate(*_):
        raise IsolatedError

    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.lp").write_text("syntax error")
    (tmp_path / "mine.toml").write_text("syntax error")
    (tmp_path / "a.tsv").write_text("3\ta cat\ta dog\n")
    (tmp_path / "gold.wa").write_text(GOLD)
    # What is imported later would keep the replacement.
    import_module("ists_asp.cli.driver")
    assert all(main.commands.values())
    for module in list(sys.modules.values()):
        if module.__name__.startswith(("ists_asp.cli.", "ists_asp.run.")) and hasattr(
            module, "isolate"
        ):
            monkeypatch.setattr(module, "isolate", isolate)
    # Nothing reads the files before.
    for option in ASKED[command]:
        with pytest.raises(IsolatedError):
            CliRunner().invoke(main, f"{command} {option}".split(), catch_exceptions=False)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["trace", "facts", "report"])
def test_a_crash_of_clingo_is_one_line(tmp_path, command):
    (tmp_path / "crash.lp").write_text(CRASH)
    found = call("-m", "ists_asp", command, "--rules", "crash.lp", *SENTENCES, folder=tmp_path)
    assert found.returncode == 1
    assert found.stderr.startswith("error: with these rules the command crashed (signal 11). ")
    assert found.stderr.count("\n") == 1
    assert found.stdout == ""


@pytest.mark.slow
def test_rules_deeper_than_python_goes_are_one_line(tmp_path):
    (tmp_path / "deep.lp").write_text(f":- p({'f(' * 2000}X{')' * 2000}).")
    found = call("-m", "ists_asp", "trace", "--rules", "deep.lp", *SENTENCES, folder=tmp_path)
    assert (found.returncode, found.stderr.count("\n")) == (1, 1)
    assert "nested too deeply" in found.stderr


def test_listing_rules_is_guarded_too(tmp_path):
    (tmp_path / "crash.lp").write_text(CRASH)
    found = call("-m", "ists_asp", "rules", "list", "--rules", "crash.lp", folder=tmp_path)
    assert (found.returncode, found.stderr.count("\n")) == (1, 1)
    assert found.stderr.startswith("error: with these rules the command crashed (signal 11). ")


@pytest.mark.slow
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


@pytest.mark.slow
def test_scripts_are_refused(tmp_path):
    (tmp_path / "script.lp").write_text("#script (python)\nprint('here')\n#end.\n")
    options = ("-m", "ists_asp", "solve", "--profile", "baseline", "--rules", "script.lp")
    refused = call(*options, *SENTENCES, folder=tmp_path)
    told = refused.stderr.count("#script is refused")
    assert (refused.returncode, refused.stdout, told) == (1, "", 1)
