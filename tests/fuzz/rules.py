"""Generated rule files: ``python -m tests.fuzz rules-es`` tries them.

Each is a file of a few odd rules (:mod:`tests.fuzz.generator`) over six pairs, which a child
decides together and alone. No pair may cost another its answer, and all that is told is a line.
"""

import gc
import json
import os
import resource
import signal
import tempfile
import traceback
from collections import Counter
from pathlib import Path

from ists_asp import load
from ists_asp.errors import IstsError
from ists_asp.evaluate.wa_check import check_file
from ists_asp.io.wa import write_answer
from ists_asp.model import Label, Pair, Sentence, Token, Word

from .generator import generate

MARKED = 1
"""The place of the pair with the marker."""

PROFILES = ("default", "headlines", "es")

SECONDS = 20
"""Seconds of processor time for all pairs: most take a tenth of one."""

OVER = (-signal.SIGXCPU, -signal.SIGKILL)
CRASHES = (-signal.SIGFPE, -signal.SIGSEGV, -signal.SIGABRT)
"""How clingo ends a process; a worker's end costs its pair alone, see tests/faults."""

LONGEST = 2000
"""Characters of a message, the line of the rule that it quotes included."""


def read_pairs(language):
    """The pairs, annotated as Stanza does: two lines each, ``form|lemma|upos|xpos`` a word."""
    lines = Path(__file__).with_name(f"pairs.{language}.txt").read_text("utf-8").splitlines()
    sentences = [Sentence(tuple(_tokens(line))) for line in lines]
    return [Pair(str(n // 2), *sentences[n : n + 2]) for n in range(0, len(sentences), 2)]


def _tokens(line):
    for index, text in enumerate(line.split(" "), 1):
        words = tuple(Word(*word.split("|")) for word in text.split("+"))
        yield Token(index, "".join(word.form for word in words), words)


def in_child(work, memory, seconds=resource.RLIM_INFINITY):
    """What some work yields in a child with limits, and how that ends."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reading)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + (seconds > 0) * 2))
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            with os.fdopen(writing, "w") as pipe:
                for found in work():
                    print(json.dumps(found), file=pipe, flush=True)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = [json.loads(line) for line in pipe]
    return told, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Laboratory:
    """Tries rule files with a profile, whose shipped rules are worked out once."""

    def __init__(self, profile, folder):
        self.profile, self.folder = profile, Path(folder)
        with self.load() as system:
            self.pairs = read_pairs(system.profile.language)
            list(system.decide(self.pairs))
        # What the collector does not look at is not copied for each child.
        gc.collect()
        gc.freeze()

    def load(self, *rules):
        cache = self.folder / "cache"
        return load(self.profile, rules=rules, cache=cache, incremental=False)

    def findings(self, text):
        """How a rule file went, and each fault with its kind."""
        told, code = in_child(lambda: [self._tried(text)], 8 << 30, SECONDS)
        ends = dict.fromkeys(OVER, "over the limits") | dict.fromkeys(CRASHES, "clingo crashed")
        if not told and code not in ends:
            return "broken", [("died", f"exit code {code}")]
        return told[0] if told else (ends[code], [])

    def _tried(self, text):
        path = self.folder / "mine.lp"
        path.write_text(text, "utf-8", "surrogatepass")
        try:
            with self.load(path) as system:
                together = self._decided(system, self.pairs)
                alone = [self._decided(system, [pair]) for pair in self.pairs]
        except IstsError as error:
            return "rules refused", list(_worded(str(error)))
        except MemoryError:
            return "over the limits", []
        except Exception:
            return "broken", [("traceback", traceback.format_exc())]
        failed = sum(isinstance(answers, str) for answers in alone)
        how = "all answered" if not failed else "some failed"
        return how, list(self._faults(together, alone))

    @staticmethod
    def _decided(system, pairs):
        """The answers of pairs, or why there are none."""
        try:
            return [answers[0] for answers in system.decide(pairs)]
        except IstsError as error:
            return str(error)

    def _faults(self, together, alone):
        fine = [answers[0] for answers in alone if not isinstance(answers, str)]
        for reason in {answers for answers in (together, *alone) if isinstance(answers, str)}:
            yield from _worded(reason)
        if isinstance(together, str):
            if len(fine) == len(alone):
                yield "lost", f"all have answers alone, none in company: {together}"
        else:
            fine += together
            for pair, answers, company in zip(self.pairs, alone, together, strict=True):
                if isinstance(answers, str) or answers[0] != company:
                    yield "differs", f"pair {pair.id}: alone {answers}, in company {company}"
        for answer in fine:
            for fault in answer_faults(answer):
                yield "no answer", f"pair {answer.pair.id}: {fault}"
        path = self.folder / "out.wa"
        path.write_text("".join(map(write_answer, fine[: len(self.pairs)])), "utf-8")
        if fine:
            yield from (("refused by check", str(fault)) for fault in check_file(path).faults)


def _worded(reason):
    if not reason.strip() or "Traceback" in reason or len(reason) > LONGEST:
        yield "wordless", reason


def answer_faults(answer):
    """What no answer has; the rules of a user may leave tokens of punctuation out."""
    for line in answer.alignments:
        if bool(line.tokens1 and line.tokens2) is not line.label.aligned:
            yield f"{line.label} for {line.tokens1} and {line.tokens2}"
        if line.label.aligned and (line.score is None or not 0 <= line.score <= 5):
            yield f"{line.label} with the score {line.score}"
        if line.label is Label.EQUI and line.score != 5:
            yield f"EQUI with the score {line.score}"
    for side in (1, 2):
        used = [token for line in answer.alignments for token in getattr(line, f"tokens{side}")]
        if len(used) != len(set(used)):
            yield f"tokens of sentence {side} on several lines: {sorted(used)}"
    if not answer.chunks1 or not answer.chunks2:
        yield "a sentence without chunks"


def faults_of(numbers, profile):
    """Each number, with what is wrong with how the rule file with it goes, and its text."""
    ways = Counter()
    with tempfile.TemporaryDirectory() as folder:
        laboratory = Laboratory(profile, folder)
        for number in numbers:
            text = "\n".join(generate(profile, number))
            how, found = laboratory.findings(text)
            ways[how] += 1
            faults = "\n".join(f"{kind}: {seen[-400:]}" for kind, seen in found)
            yield number, faults and f"{faults}\n{text}"
    few = len(numbers) >= 8 and 6 * ways["all answered"] <= len(numbers)
    yield "all", f"hardly a file reaches the solver: {dict(ways)}" if few else ""
