"""Does the suite notice? Breaks chosen lines, one after the other, and runs the tests.

``python -m tests.mutants`` copies the checkout, changes one line of the copy (a sign, a bound, an
order, a rule), and runs the tests until one fails: first those that are meant for it, then those
of every day, then all. What no test notices is told, and the exit code is 1 if those are more
than two. Tests that do not end notice, too. ``--only 3,17`` tries some of them, ``--first`` runs
only the tests that are meant for it. A test checks that all lines are there.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]

_LEFT_OUT = shutil.ignore_patterns(".venv", ".git", ".*_cache", "__pycache__")
_MISSED = 2
_LONGEST = 3600
"""Seconds that tests may take: a broken line may be one that ends a loop."""


@dataclass(frozen=True)
class Mutant:
    """A line to break: ``old`` stands once in ``file``; ``tests`` are run first."""

    file: str
    old: str
    new: str
    tests: str

    def __str__(self):
        return f"{self.file}: {self.old.strip()} -> {self.new.strip()}"

    def apply(self, root):
        """Break the line below ``root``."""
        path = root / self.file
        path.write_text(self.broken(path.read_text("utf-8")), "utf-8")

    def broken(self, text):
        """The text of the file with the line broken."""
        count = text.count(self.old)
        assert count == 1, f"{self.file}: {self.old!r} is there {count} times"
        return text.replace(self.old, self.new)


_LINES = r"""
{PY}/evaluate/scorer.py tests/evaluate
- max(fan1[link[0]], fan2[link[1]])
+ min(fan1[link[0]], fan2[link[1]])
{PY}/evaluate/scorer.py tests/evaluate
- (len(one & two) + 1) / (len(one | two) - 1)
+ len(one & two) / len(one | two)
{PY}/evaluate/scorer.py tests/evaluate
- max(right.score, answer.score) < 3
+ max(right.score, answer.score) <= 3
{PY}/evaluate/ratings.py tests/evaluate
- min(1.0, mean + margin)
+ min(1.0, mean - margin)
{PY}/answers.py tests/test_answers.py
- if not 0 <= rating <= 1000 * highest:
+ if not 0 <= rating <= 2000 * highest:
{PY}/answers.py tests/test_answers.py
- if self._one_to_one and len(places) > 1:
+ if self._one_to_one and len(places) > 2:
{PY}/answers.py tests/test_answers.py
- if not 0 <= place < len(self.chunks):
+ if not 0 <= place <= len(self.chunks):
{PY}/io/wa.py tests/io
- sorted(alignments, key=_order)
+ alignments
{PY}/io/wa.py tests/io
- if token.number != due:
+ if token.number > due:
{PY}/io/text.py tests/io
- if len(raw) > LONGEST:
+ if len(raw) > 2 * LONGEST:
{PY}/io/text.py tests/io
- column {error.start + 1} is
+ column {error.start} is
{PY}/limits.py tests/test_limits.py
-     if size > most:
+     if size > most + 1:
{PY}/limits.py tests/test_limits.py
- _TOGETHER * (pairs - 1)
+ _TOGETHER * pairs
{PY}/knowledge/vectors.py tests/vectors tests/knowledge
- percents[percents < MIN_PERCENT] = 0
+ percents[percents <= MIN_PERCENT] = 0
{PY}/knowledge/lexicon.py tests/knowledge
- edges1 + edges2 <= MAX_EDGES
+ edges1 + edges2 < MAX_EDGES
{PY}/knowledge/words.py tests/knowledge
- return int(digits), len(whole) - len(digits)
+ return int(digits), len(fraction) - len(digits)
{PY}/knowledge/words.py tests/knowledge
- if len(w) >= MIN_LETTERS and w.isalpha()
+ if len(w) > MIN_LETTERS and w.isalpha()
{PY}/solver/bounds.py tests/solver
- if each.reduced(priority, prices) < len(each.chunks)
+ if each.reduced(priority, prices) < 0
{PY}/solver/batch.py tests/solver
- return [batch for batch in batches if len(batch) >= max(least, 1)]
+ return []
{PY}/run/watch.py tests/run tests/cli
- if busy or now != last else
+ if now != last else
{PY}/run/pool.py tests/run tests/faults
- -self.code not in _CRASHES
+ -self.code in _CRASHES
{PY}/run/watch.py tests/cli/test_cli_guard.py
- careful = place + CAREFUL
-     _course
+ careful = 0
+     _course
{PY}/terminal.py tests/test_terminal.py
- "\x00-\x08\x0b-\x1f\x7f-\x9f"
+ "\x00-\x08\x0b-\x1f\x7f"
{PY}/trace/trace.py tests/trace
- if 0 < number <= len(sentence.tokens)
+ if 0 <= number <= len(sentence.tokens)
{PY}/trace/trace.py tests/trace
- (-term.priority, term.weight, str(term.terms))
+ (term.priority, term.weight, str(term.terms))
{PY}/trace/near_misses.py tests/trace
- return lacking, self.gap < 0,
+ return -lacking, self.gap < 0,
{PY}/trace/questions.py tests/trace
- if number > size]
+ if number > size + 1]
{PY}/rules/parsing.py tests/rules
- if earlier.file != rule.file:
+ if earlier.file == rule.file:
{PY}/learn/ratings.py tests/learn/test_learn_ratings.py
- SPEAKS_AGAINST.name: -1
+ SPEAKS_AGAINST.name: 1
{PY}/annotate/annotator.py tests/annotate
- full = start + WINDOW
+ full = start + WINDOW + 1
asp/align.lp tests/encodings
- span_chunk(2,Y,C)} > 1.
+ span_chunk(2,Y,C)} > 2.
asp/label.lp tests/encodings
- #maximize{ W@3,X,Y
+ #minimize{ W@3,X,Y
asp/score.lp tests/encodings
- score(X,Y,5) :- label(X,Y,equi).
+ score(X,Y,4) :- label(X,Y,equi).
asp/chunks.lp tests/encodings
- J <= I}.
+ J < I}.
asp/chunks.lp tests/encodings
- W > 0, not must_join(S,I).
+ W >= 0, not must_join(S,I).
lp_rules/labels/contradiction.lp tests/encodings
- _denial_differs(X,Y) :- _denied(S,X,Y), other(S,R), not _denied(R,X,Y).
+ _denial_differs(X,Y) :- _denied(S,X,Y), other(S,R), _denied(R,X,Y).
asp/label.lp tests/encodings
- _side_class(spe1,1,this_spe; spe1,2,other_spe; spe2,2,this_spe; spe2,1,other_spe).
+ _side_class(spe1,1,this_spe; spe1,2,other_spe; spe2,2,other_spe; spe2,1,this_spe).
lp_rules/explanation/answer.lp tests/explain
- I = #min{J : own(K,S,J)}, token(S,I,_).
+ I = #max{J : own(K,S,J)}, token(S,I,_).
lp_rules/chunking/boundaries.lp tests/encodings
- must_split(S,I) :- boundaries_open, upos(S,I,det), upos(S,I-1,noun)
+ must_split(S,I) :- boundaries_open, upos(S,I,det), upos(S,I+1,noun)
lp_rules/explanation/answer.lp tests/explain
- _verb_in(K,S,I), I < J : _nominal_in(K,S,J).
+ _verb_in(K,S,I), I > J : _nominal_in(K,S,J).
""".replace("{PY}", "python/ists_asp")
"""For each mutant its file and the tests that are run first, what stands there, what is to."""


def _read(block):
    head, *lines = block.splitlines()
    file, tests = head.split(" ", 1)
    old, new = ("\n".join(line[2:] for line in lines if line[0] == sign) for sign in "-+")
    return Mutant(file, old, new, tests)


MUTANTS = [_read(block) for block in re.split(r"^(?=[^-+\n])", _LINES, flags=re.MULTILINE)[1:]]


def caught(mutant, root, stages):
    """The first test that fails with a line broken in a fresh copy below ``root``; None if none."""
    shutil.copytree(ROOT, root, ignore=_LEFT_OUT)
    shared = ROOT.parent / "shared"
    if shared.exists() and not (root.parent / "shared").exists():
        (root.parent / "shared").symlink_to(shared)
    mutant.apply(root)
    for stage in stages:
        running = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *stage],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root / "python")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            said, _ = running.communicate(timeout=_LONGEST)
        except subprocess.TimeoutExpired:
            # Its workers as well, which may be in a loop without an end.
            os.killpg(running.pid, signal.SIGKILL)
            running.communicate()
            return f"the tests did not end within {_LONGEST} s"
        if running.returncode:
            failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
            return failed[0] if failed else f"pytest ended with {running.returncode}"
    return None


def main():
    """Try the mutants and tell what became of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="numbers, with commas between them")
    parser.add_argument("--first", action="store_true", help="only the tests meant for each")
    arguments = parser.parse_args()
    wanted = [int(number) for number in arguments.only.split(",") if number]
    survived = []
    for number, mutant in enumerate(MUTANTS, start=1):
        if wanted and number not in wanted:
            continue
        began = time.monotonic()
        stages = [mutant.tests.split()] + ([] if arguments.first else [[], ["-m", ""]])
        with TemporaryDirectory() as folder:
            test = caught(mutant, Path(folder) / "checkout", stages)
        if test is None:
            survived.append(number)
        seconds = time.monotonic() - began
        print(f"{number:2} {seconds:5.0f} s  {mutant}\n      {test or 'NOT NOTICED'}", flush=True)
    tried = len(wanted) or len(MUTANTS)
    print(f"{tried - len(survived)} of {tried} were noticed; not: {survived or 'none'}")
    return int(len(survived) > _MISSED)


if __name__ == "__main__":
    sys.exit(main())
