"""Where one rule file after the other is tried: the workers of ``ists-asp solve``, made cheap.

Nearly all that loading a profile takes is spent on looking at the syntax trees of the shipped
rules, which are the same each time. A laboratory does that once and remembers it:
functions of single syntax trees that depend on nothing else. Each rule file is then tried in a
child of its own, which inherits all of that, and in which a pool of workers decides the pairs.
"""

from __future__ import annotations

import functools
import gc
import multiprocessing
import os
import pickle
import resource
import select
import signal
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ists_asp.engine import Limits, Setup
from ists_asp.errors import IstsError
from ists_asp.knowledge import knowledge
from ists_asp.model import Pair, Sentence, Token, Word
from ists_asp.processes import OUT_OF_TIME
from ists_asp.rules import load_program
from ists_asp.run import pool, worker
from ists_asp.run.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ists_asp.io.formats import Outcome

__all__ = ["MINE", "Laboratory", "Run", "read_pairs"]

MINE = "mine.lp"
"""The name of the rule file that is tried."""

LIMITS = Limits(seconds=1.0, memory=2 << 30, grace=0.5)
"""What a pair may take: most take a tenth of a second."""

SHORT = Limits(seconds=0.4, memory=2 << 30, grace=0.3)
"""What a pair may take where one of them has met its limit already."""

SECONDS = 10
"""Seconds of processor time after which a run is over the limits."""

HANG = 900.0
"""Seconds that no run takes: six pairs that all are killed, together and alone."""

_TIME_OVER = (-signal.SIGXCPU, OUT_OF_TIME)

_HERE = Path(__file__).parent


@dataclass
class Run:
    """What became of the pairs with a rule file.

    ``refused`` is why the rules could not be loaded. ``together`` has the outcomes of all pairs
    decided at once, ``alone`` those of each by itself, ``broken`` what was raised that is no
    message for users, with its traceback.
    """

    refused: str = ""
    together: Sequence[Outcome] = ()
    alone: list[Outcome] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    seconds: float = 0.0
    hung: bool = False
    ended: int = 0
    """The exit code of a worker that ended early, negative for a signal."""
    pooled: bool = False
    processor: float = 0.0


def read_pairs(language):
    """The pairs, annotated as Stanza does: two lines each, ``form|lemma|upos|xpos`` a word."""
    lines = (_HERE / f"pairs.{language}.txt").read_text("utf-8").splitlines()
    sentences = [Sentence(tuple(_tokens(line))) for line in lines]
    return [
        Pair(str(number), *sentences[2 * number : 2 * number + 2])
        for number in range(len(sentences) // 2)
    ]


def _tokens(line):
    tokens = []
    for index, text in enumerate(line.split(" "), 1):
        words = tuple(Word(*word.split("|")) for word in text.split("+"))
        tokens.append(Token(index, "".join(word.form for word in words), words))
    return tokens


class Laboratory:
    """Tries rule files with a profile.

    Args:
        profile: its name.
        pairs: how many there are.
        limits: what a pair may take.
    """

    def __init__(self, profile, pairs=6, limits=LIMITS):
        self.profile = profile
        self.limits = limits
        self.pairs = read_pairs(load_program(profile)[0].language)[:pairs]
        _remember()
        decider = worker.Decider(Setup(profile, limits=limits))
        decider.decide(self.pairs)
        decider.system.close()
        # What the collector does not look at is not copied for each child.
        gc.collect()
        gc.freeze()

    def run(self, text, alone, *, pool=False):
        """Try a rule file.

        Args:
            text: what it holds.
            alone: the places of the pairs that are decided by themselves as well.
            pool: whether a pool decides them in any case; it does where a worker is lost. Where
                that has met its limit the next have less: what is wanted to know is what becomes
                of the neighbours.
        """
        with TemporaryDirectory() as folder:
            path = Path(folder) / MINE
            path.write_text(text, "utf-8", "surrogatepass")
            spec = Setup(self.profile, (path,), limits=self.limits)
            pairs = [self.pairs[place] for place in alone]
            run = None if pool else self.in_child(lambda run: self._worked(run, spec, pairs))
            if run is None or run.ended:
                over = run is not None and run.ended in _TIME_OVER
                if over:
                    spec = replace(spec, limits=SHORT)
                run = self.in_child(lambda run: self._pooled(run, spec, pairs, lost=over))
                run.pooled = True
            return run

    def _worked(self, run, spec, alone):
        """Decide as a worker does."""
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, 2 * SECONDS))
        decider = worker.begin(spec)
        self._decided(run, lambda pairs: worker.decide(decider, pairs), alone)

    def _pooled(self, run, spec, alone, *, lost):
        # Its workers inherit what this process remembers.
        pool._context = lambda: multiprocessing.get_context("fork")
        workers = Pool(spec, 1)
        if lost:
            # As the pool goes on where a batch has cost its worker.
            reports = (workers.submit([pair]).result() for pair in alone)
            run.together = [outcome for report in reports for outcome in report.outcomes]
            return
        self._decided(run, lambda pairs: workers.submit(pairs).result(), alone)

    def _decided(self, run, decide, alone):
        for pairs in (self.pairs, *([pair] for pair in alone)):
            try:
                outcomes = decide(pairs).outcomes
            except Exception as error:
                _note(run, error)
                continue
            if len(pairs) > 1:
                run.together = outcomes
            else:
                run.alone += outcomes

    def in_child(self, work):
        """What comes of work in a child, whose children end with it."""
        began = time.monotonic()
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            run = Run()
            try:
                os.setpgid(0, 0)
                os.close(reading)
                try:
                    work(run)
                except Exception as error:
                    _note(run, error)
                run.processor = time.process_time()
                with os.fdopen(writing, "wb") as stream:
                    pickle.dump(run, stream)
            finally:
                os.killpg(0, signal.SIGKILL)
        os.close(writing)
        data, hung = b"", False
        with os.fdopen(reading, "rb", buffering=0) as stream:
            while True:
                left = max(0.0, began + HANG - time.monotonic())
                hung = not select.select([stream], [], [], left)[0]
                more = b"" if hung else stream.read(1 << 20)
                if not more:
                    break
                data += more
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        run = pickle.loads(data) if data and not hung else Run(hung=hung, ended=code)
        run.seconds = time.monotonic() - began
        return run


def _note(run, error):
    if isinstance(error, IstsError):
        run.refused = run.refused or str(error)
    else:
        run.broken.append("".join(traceback.format_exception(error)))


@functools.cache
def _remember():
    """Keep what is found out about syntax trees and pairs, in this process for good."""
    knowledge.Knowledge.facts = _by_pair(knowledge.Knowledge.facts)
    _everywhere("ists_asp.engine.preparation", "freeze_gc", lambda _freeze: lambda: None)


def _everywhere(module, name, wrap):
    """Replace a function in all modules that have imported it."""
    old = getattr(import_module(module), name)
    new = wrap(old)
    for each in list(sys.modules.values()):
        if getattr(each, "__name__", "").startswith("ists_asp") and vars(each).get(name) is old:
            setattr(each, name, new)


def _by_pair(facts):
    known = {}

    def remembered(self, pair):
        # The id alone is that of another pair in another language.
        key = pair.id, pair.sent1.text
        if key not in known:
            known[key] = list(facts(self, pair))
        return known[key]

    return remembered
